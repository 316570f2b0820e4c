"""What a Bench2Drive agent wrote of each step, from which comfort is computed."""

from __future__ import annotations

import re
from pathlib import Path

from bestrand_drive.benchmarks.result_files import METRIC_INFO, records_of
from bestrand_drive.benchmarks.strict_json import parse_json
from bestrand_drive.errors import DataRefused

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,199}")
_LIMIT = 256 << 20


def saved_name(result: bytes) -> str | None:
    """Name of the folder of a drive, as its record says it; None without, or when it is no plain name."""
    try:
        records = records_of(parse_json(result, "the result"), "the result") or ()
    except DataRefused:
        return None
    name = records[0].get("save_name") if records else None
    return name if isinstance(name, str) and _NAME.fullmatch(name) else None


def find_metric_info(agent_folder: Path, result: bytes | None) -> bytes | None:
    """The file of one drive, None when the agent wrote none (or one beyond all measure)."""
    name = saved_name(result or b"")
    path = agent_folder / (name or "") / METRIC_INFO
    if name is None or not path.is_file() or path.stat().st_size > _LIMIT:
        return None
    return path.read_bytes()
