"""Finding result files under a path and parsing them strictly: a damaged or foreign file is named, never skipped.

Accepted documents: ``{"_checkpoint": {"records": [...]}}`` (the evaluators' checkpoints and ``merged.json``) and
``{"merged_records": [...]}``. A run folder of ours (with a ``run.json``) is read through its ``results/`` only: what
was tried there, and did not count, is no result.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.benchmarks.run_header import COUNTED_FILE, RESULTS, RUN_FILE, UNKNOWN_SIMULATOR, read_header
from bestrand_drive.benchmarks.strict_json import JsonObject, load_json
from bestrand_drive.errors import DataRefused

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
    """Everything found under one path.

    Attributes:
        documents: In order of their sorted names.
        ignored: Files that were passed over.
        root: What the names are relative to: the path itself, or ``results/`` of a run folder.
        simulator: ``carla``, ``headless`` or ``mixed`` as a run folder says, else ``unknown``.
    """

    documents: tuple[ResultDocument, ...]
    ignored: tuple[str, ...]
    root: Path
    simulator: str = UNKNOWN_SIMULATOR


def read_documents(root: Path) -> ResultFolder:
    """Parse every result file at or under ``root``.

    Args:
        root: A result file, a run folder, or a folder that is searched for ``*.json`` in any depth.

    Raises:
        DataRefused: ``root`` is absent or holds no result file, or a file is truncated, empty, two documents in
            one, nested too deep, or JSON without records. The message names the file and the position.
    """
    if root.is_file():
        records = records_of(load_json(root), root)
        if records is None:
            raise DataRefused(f"{root}: a summary, not a result file. Give the file or folder of per-route records.")
        return ResultFolder((ResultDocument(root.name, records),), (), root)
    if not root.is_dir():
        raise DataRefused(f"{root}: no such file or folder. Give a result file or a folder of result files.")
    header = read_header(root)
    return _read_folder(root) if header is None else _read_run(root, header.simulator)


def _read_folder(root: Path) -> ResultFolder:
    documents, ignored, files = [], [], _sorted_files(root)
    for path in files:
        if path.name == RUN_FILE and read_header(path.parent):
            raise DataRefused(f"{root}: holds a whole run of a policy, {path.parent}. Name that folder itself.")
    for path in files:
        relative = path.relative_to(root).as_posix()
        records = None if _passed_over(path) else records_of(load_json(path), path)
        if records is None:
            ignored.append(relative)
        else:
            documents.append(ResultDocument(relative, records))
    if not documents:
        raise DataRefused(f"{root}: no result file (*.json with per-route records) in this folder. Check the path.")
    return ResultFolder(tuple(documents), tuple(ignored), root)


def _read_run(run: Path, simulator: str) -> ResultFolder:
    """The counted results of a run folder; what else lies among them (a merged file, say) is passed over."""
    root = run / RESULTS
    files = _sorted_files(root) if root.is_dir() else []
    counted = [path for path in files if COUNTED_FILE.fullmatch(path.name)]
    if not counted:
        raise DataRefused(f"{run}: this run has no counted result yet. Run it, or ask `bestrand run ... --explain`.")
    documents = tuple(
        ResultDocument(path.relative_to(root).as_posix(), records_of(load_json(path), path) or ()) for path in counted
    )
    other = (path for path in files if path not in counted and path.name != METRIC_INFO)
    return ResultFolder(documents, tuple(path.relative_to(root).as_posix() for path in other), root, simulator)


def _sorted_files(root: Path) -> list[Path]:
    return sorted(find_files(root), key=lambda found: found.relative_to(root).as_posix())


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


def records_of(document: object, path: Path | str) -> tuple[JsonObject, ...] | None:
    """The records of a parsed document; None for an official summary, which has none by design.

    Raises:
        DataRefused: It is no result file; ``path`` is only used in the message.
    """
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
