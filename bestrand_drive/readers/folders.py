"""Files under a path that a user named, and lines of JSON in them, with bounds on both."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bestrand_drive.errors import DataRefused
from bestrand_drive.files import read_bytes, refuse_swollen

LONGEST_LINE = 64 * 2**20
"""Bytes of one JSON line; a line holds one answer of a model."""
MOST_FILES = 100_000


def files_under(path: Path, pattern: str = "*") -> list[Path]:
    """Files whose names match, sorted by path; a file named itself is taken whatever its name.

    A link that leads out of ``path`` is not followed.

    Raises:
        DataRefused: ``path`` is not there, or holds more than ``MOST_FILES`` such files.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise DataRefused(f"{path}: there is no such file or folder.")
    root = path.resolve()
    found = sorted(file for file in path.rglob(pattern) if file.is_file() and file.resolve().is_relative_to(root))
    if len(found) > MOST_FILES:
        raise DataRefused(f"{path}: holds {len(found)} files {pattern}; the most is {MOST_FILES}, name a smaller part.")
    return found


def read_json(path: Path, *, limit_mib: int = 1024) -> Any:  # noqa: ANN401  anything JSON can hold
    """Parse a JSON file; NaN and Infinity are taken as Python writes them.

    Raises:
        DataRefused: It cannot be read or is no JSON.
    """
    return parse_json(read_bytes(path, limit_mib=limit_mib), str(path))


def parse_json(content: bytes, place: str) -> Any:  # noqa: ANN401  anything JSON can hold
    """Parse JSON text; ``place`` is only used in messages.

    Raises:
        DataRefused: It is no JSON, or would fill the memory.
    """
    refuse_swollen(content, place)
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise DataRefused(f"{place}: not valid JSON ({error}).") from error


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file with one a line, read line by line.

    Raises:
        DataRefused: A line is too long, no JSON object, or cut short; the message says which.
    """
    try:
        with path.open("rb") as stream:
            number = 0
            while line := stream.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise DataRefused(f"{path}, line {number}: over {LONGEST_LINE // 2**20} MiB long.")
                if not line.strip():
                    continue
                value = parse_json(line, f"{path}, line {number}")
                if not isinstance(value, dict):
                    raise DataRefused(f"{path}, line {number}: not a JSON object.")
                yield value
    except OSError as error:
        raise DataRefused(f"{path}: cannot be read ({error}).") from error


def number_of(value: object) -> float | None:
    """A number or truth value as float (NaN stays, infinity does not count as one); None for everything else."""
    if isinstance(value, bool | int | float):
        try:
            number = float(value)
        except OverflowError:
            return None
        return None if math.isinf(number) else number
    return None
