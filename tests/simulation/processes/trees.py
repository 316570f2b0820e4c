"""Trees of processes for tests, and waiting for them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import bestrand_drive
from bestrand_drive.simulation.processes.identity import ProcessId, identify, is_running, send_signal
from bestrand_drive.simulation.processes.supervised import Launch
from bestrand_drive.simulation.processes.tree import command_line

ROOT = Path(bestrand_drive.__file__).resolve().parent.parent
LIMIT_S = 30.0
"""After that a wait has failed; nothing is expected to take that long."""

STUBBORN = 'trap "" TERM INT HUP; echo $$ > {name}; while :; do sleep 0.1; done'
"""A shell that only SIGKILL ends."""
RUNAWAYS = """
sh -c 'echo $$ > plain; exec sleep 600' &
setsid sh -c 'echo $$ > session; exec sleep 600' &
(setsid sh -c '(echo $(exec sh -c "echo \\$PPID") > forked; exec sleep 600) & exit' &) &
"""
"""Grandchildren that stay, leave the session, and leave both parent and session (double fork)."""
NAMES = ("plain", "session", "forked")


@pytest.fixture(autouse=True)
def own_runtime_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's runtime folder is the test's own, also for processes that it starts."""
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


def shell(folder: Path, script: str, **more: Any) -> Launch:
    """Launch a shell script in a folder."""
    return Launch(("sh", "-c", script), dict(os.environ), folder, folder / "out.log", **{"grace_s": 0.2, **more})


def until(found: Callable[[], Any], what: str, limit_s: float = LIMIT_S) -> Any:
    """Wait for something; its value."""
    end = time.monotonic() + limit_s
    while not (value := found()):
        assert time.monotonic() < end, f"in vain: {what}"
        time.sleep(0.01)
    return value


def noted(folder: Path, name: str) -> ProcessId:
    """The process that wrote its id into a file."""

    def look() -> ProcessId | None:
        path = folder / name
        text = path.read_text().strip() if path.is_file() else ""
        return identify(int(text)) if text else None

    return until(look, f"{name} has begun")


def gone(*processes: ProcessId, limit_s: float = LIMIT_S) -> bool:
    """Wait until they have ended."""
    until(lambda: not any(map(is_running, processes)), f"{processes} end", limit_s)
    return True


HEARS_SIGNALS = ("env", "--default-signal=HUP,INT")
"""Before a driver's command: what tests ignore, under ``nohup`` or in the background, every child would ignore, too."""


@contextmanager
def python(program: str, *arguments: object, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A driver of its own; killed at the end if it still runs."""
    with subprocess.Popen(
        [*HEARS_SIGNALS, sys.executable, "-c", program, *map(str, arguments)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


@contextmanager
def foreign() -> Iterator[ProcessId]:
    """Somebody else's server: its name and its flags are CARLA's."""
    title = "CarlaUE4-Linux-Shipping -carla-rpc-port=2000 -graphicsadapter=0"
    with subprocess.Popen(["bash", "-c", f"exec -a '{title}' sleep 600"]) as process:
        until(lambda: command_line(process.pid).startswith(title), "it runs under that name")
        known = identify(process.pid)
        assert known
        try:
            yield known
        finally:
            process.kill()


def end_all(*processes: ProcessId) -> None:
    """Leave nothing behind, whatever the test has shown."""
    for process in processes:
        send_signal(process, signal.SIGKILL)
