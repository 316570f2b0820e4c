"""Finding result files under a path and parsing them strictly: a damaged or foreign file is named, never skipped.

Accepted documents: ``{"_checkpoint": {"records": [...]}}`` (the evaluators' checkpoints and ``merged.json``) and
``{"merged_records": [...]}``.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestrand_drive.errors import DataRefused
from bestrand_drive.files import read_bytes

JsonObject = dict[str, Any]

_LIMIT_MIB = 256
METRIC_INFO = "metric_info.json"
_COMPANION_KEYS = {
    "Overtaking",
    "Merging",
    "Emergency_Brake",
    "Give_Way",
    "Traffic_Signs",
    "Driving Efficiency",
    "Driving Smoothness",
}


@dataclass(frozen=True)
class ResultDocument:
    """One parsed result file: where it lies under the root, and its records as JSON objects."""

    relative: str
    records: tuple[JsonObject, ...]


@dataclass(frozen=True)
class ResultFolder:
    """Everything found under one path, in sorted-file order, and the files that were passed over."""

    documents: tuple[ResultDocument, ...]
    ignored: tuple[str, ...]


def read_documents(root: Path) -> ResultFolder:
    """Parse every result file at or under ``root``.

    Args:
        root: A result file, or a folder that is searched for ``*.json`` in any depth.

    Raises:
        DataRefused: ``root`` is absent or holds no result file, or a file is truncated, empty, two documents in
            one, nested too deep, or JSON without records. The message names the file and the position.
    """
    if root.is_file():
        records = _records(root, load_json(root))
        if records is None:
            raise DataRefused(f"{root}: a summary, not a result file. Give the file or folder of per-route records.")
        return ResultFolder((ResultDocument(root.name, records),), ())
    if not root.is_dir():
        raise DataRefused(f"{root}: no such file or folder. Give a result file or a folder of result files.")
    return _read_folder(root)


def _read_folder(root: Path) -> ResultFolder:
    documents, ignored = [], []
    for path in sorted(find_files(root), key=lambda found: found.relative_to(root).as_posix()):
        relative = path.relative_to(root).as_posix()
        records = None if _passed_over(path) else _records(path, load_json(path))
        if records is None:
            ignored.append(relative)
        else:
            documents.append(ResultDocument(relative, records))
    if not documents:
        raise DataRefused(f"{root}: no result file (*.json with per-route records) in this folder. Check the path.")
    return ResultFolder(tuple(documents), tuple(ignored))


def _passed_over(path: Path) -> bool:
    """Per-step records of the agent, and pipes or devices, which would block a reader."""
    if path.name == METRIC_INFO:
        return True
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except OSError as error:
        raise DataRefused(f"{path}: cannot be read ({error.strerror}). Remove the broken link or file.") from error


def find_files(root: Path) -> Iterator[Path]:
    """Every ``*.json`` entry under ``root``; a folder reached twice, as through a looping link, is entered once."""
    seen: set[tuple[int, int]] = set()
    for folder, subfolders, names in os.walk(root, followlinks=True, onerror=_refuse_folder):
        identity = os.stat(folder)
        if (identity.st_dev, identity.st_ino) in seen:
            subfolders.clear()
            continue
        seen.add((identity.st_dev, identity.st_ino))
        subfolders.sort()
        yield from (Path(folder) / name for name in names if name.lower().endswith(".json"))


def _refuse_folder(error: OSError) -> None:
    raise DataRefused(f"{error.filename}: the folder cannot be read ({error.strerror}). Check its permissions.")


def load_json(path: Path) -> Any:  # noqa: ANN401  anything JSON can hold
    """Parse one JSON document; the literals NaN and Infinity become floats, repeated keys are refused.

    Raises:
        DataRefused: Naming the file and the position of the fault.
    """
    content = read_bytes(path, limit_mib=_LIMIT_MIB)
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


def _records(path: Path, document: object) -> tuple[JsonObject, ...] | None:
    """The records of a parsed document; None for an official summary, which has none by design."""
    if not isinstance(document, dict):
        raise DataRefused(f"{path}: JSON, but not an object. This is not a result file of an evaluator.")
    holder = document.get("_checkpoint", document)
    found = next(
        (holder[key] for key in ("records", "merged_records") if isinstance(holder, dict) and key in holder), None
    )
    if found is None and _COMPANION_KEYS & document.keys():
        return None
    if not isinstance(found, list):
        raise DataRefused(f"{path}: JSON without a list of records. This is not a result file of an evaluator.")
    for index, record in enumerate(found):
        if not isinstance(record, dict):
            raise DataRefused(f"{path}, record {index}: not an object. The file is damaged.")
    return tuple(found)
