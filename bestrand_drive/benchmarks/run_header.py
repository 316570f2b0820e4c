"""What a reader of results needs to know of a run folder: that it is one, and what simulated it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bestrand_drive.benchmarks.strict_json import load_json
from bestrand_drive.errors import DataRefused

RUN_FILE = "run.json"
RUN_SCHEMA: Final = "bestrand-run/1"
RESULTS = "results"
"""Folder of a run that holds exactly the counted results."""
COUNTED_FILE = re.compile(r"RouteScenario_[0-9]{1,18}\.json|[0-9]{4,18}_res\.json")
"""Names in it: Bench2Drive's and Fail2Drive's own."""
_NO_HELP = "The run that wrote it"
"""From there on a message speaks of a result file."""
UNKNOWN_SIMULATOR = "unknown"
"""A bare result file does not say what simulated it."""
MIXED_SIMULATORS = "mixed"
"""Runs in CARLA and on the headless server were pooled."""


@dataclass(frozen=True)
class RunHeader:
    """The part of ``run.json`` that readers of results use: ``carla``, ``headless``, or ``mixed`` for both."""

    simulator: str


def read_header(folder: Path) -> RunHeader | None:
    """The header of a run folder, or None when the folder is no run of ours.

    Raises:
        DataRefused: ``run.json`` is damaged or of a newer schema.
    """
    path = folder / RUN_FILE
    if not path.is_file():
        return None
    with told_what_helps(folder):
        raw = load_json(path)
    schema = raw.get("schema") if isinstance(raw, dict) else None
    if not (isinstance(schema, str) and schema.startswith("bestrand-run/")):
        return None
    refuse_other_schema(schema, path)
    simulator = raw.get("simulator")
    if not isinstance(simulator, str):
        raise DataRefused(f"{path}: it does not say which simulator was used. The file was edited or damaged.")
    return RunHeader(simulator)


@contextmanager
def told_what_helps(folder: Path) -> Iterator[None]:
    """Refuse a run folder that does not say what it is a run of, with what helps: its attempts may well be whole.

    Raises:
        DataRefused: The block did, of ``run.json``.
    """
    try:
        yield
    except DataRefused as error:
        fault = str(error).partition(_NO_HELP)[0].rstrip()
        raise DataRefused(f"{fault} {advice_without_run_file(folder)}") from error


def advice_without_run_file(folder: Path) -> str:
    """What to do about a ``run.json`` that is gone or damaged."""
    return (
        f"Take {RUN_FILE} back from a copy, or use another --out and `bestrand adopt {folder / RESULTS}` into it; "
        "a new one would not know whose attempts these are."
    )


def refuse_other_schema(schema: object, path: Path) -> None:
    """Refuse a run of another version of the format.

    Raises:
        DataRefused: With what to do.
    """
    if schema != RUN_SCHEMA:
        raise DataRefused(
            f"{path}: written as {str(schema)[:40]!r}; this version reads {RUN_SCHEMA!r}. Upgrade with "
            "`pip install --upgrade bestrand-drive`, or use the version that wrote it."
        )
