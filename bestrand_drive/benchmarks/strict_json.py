"""JSON as evaluators write it, parsed strictly: one whole document or an error that names the file and the position."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bestrand_drive.errors import DataRefused
from bestrand_drive.files import read_bytes, refuse_swollen

JsonObject = dict[str, Any]

_LIMIT_MIB = 256


def load_json(path: Path) -> Any:  # noqa: ANN401  anything JSON can hold
    """Parse one JSON document; the literals NaN and Infinity become floats, repeated keys are refused.

    Raises:
        DataRefused: Naming the file and the position of the fault.
    """
    return parse_json(read_bytes(path, limit_mib=_LIMIT_MIB), str(path))


def parse_json(content: bytes, path: str) -> Any:  # noqa: ANN401  as above
    """Parse the content of a file; ``path`` is only used in messages. A byte order mark is passed over.

    Raises:
        DataRefused: It is empty, truncated, two documents in one, no UTF-8, nested too deep, repeats a key, or
            would fill the memory.
    """
    refuse_swollen(content, path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataRefused(f"{path}, byte {error.start}: not UTF-8 text. Take a fresh copy of the file.") from error
    if not text.strip():
        raise DataRefused(f"{path}: the file is empty. The run that wrote it did not finish; remove it or run again.")
    try:
        return json.loads(text, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno} (character {error.pos} of {len(text)})"
        raise DataRefused(f"{path}, {where}: {error.msg}. The file is truncated or damaged.") from error
    except (RecursionError, ValueError) as error:
        fault = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise DataRefused(f"{path}: {fault}. This is not a result file of an evaluator.") from error


def _unique_keys(pairs: list[tuple[str, Any]]) -> JsonObject:
    unique = dict(pairs)
    if len(unique) != len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"key {repeated[:40]!r} occurs twice in one object")
    return unique
