"""Workers and drivers as processes of their own, on this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.faults.runs import Runs
from tests.simulation.processes.trees import HEARS_SIGNALS, ROOT

LIMIT_S = 60
Process = subprocess.Popen[str]


@contextmanager
def command(runs: Runs, name: str, *words: object, program: str = "tests.simulation.crews.quick") -> Iterator[Process]:
    """Run the command, what it says in a file; killed at the end if it still runs."""
    argv = [*HEARS_SIGNALS, sys.executable, "-m", program, *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", "COLUMNS": "400"}
    with (
        open(runs.folder / f"{name}.said", "a") as out,
        subprocess.Popen(argv, env=environment, stdout=out, stderr=out, text=True, cwd=runs.folder) as process,
    ):
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()


def worker(runs: Runs, name: str, *more: object):
    """A worker for a run; its scratch is its own."""
    place = runs.folder / f"scratch-{name}"
    place.mkdir(exist_ok=True)
    return command(runs, name, "worker", runs.path, "--scratch", place, *more)


def driver(runs: Runs, *more: object):
    """The driver of a run."""
    return command(runs, "driver", *runs.arguments("--engine", "workers", *more))


def said(runs: Runs, name: str) -> str:
    """What a process has printed."""
    path = runs.folder / f"{name}.said"
    return path.read_text() if path.exists() else ""


def ended(process: Process) -> int:
    """How a process ended."""
    return process.wait(LIMIT_S)


def driving(runs: Runs, name: str, count: int = 1) -> bool:
    """Whether so many evaluators of a worker have begun to drive; their logs are in its scratch then."""
    logs = (runs.folder / f"scratch-{name}").rglob("logs/*.log")
    return sum("Preparing" in path.read_text(errors="replace") for path in logs) >= count


def scratch(runs: Runs, name: str) -> list[Path]:
    """What a worker has in its scratch."""
    return list((runs.folder / f"scratch-{name}").iterdir())
