"""A supervisor as its driver sees it: a process, a pipe for requests and a pipe for events."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_HOME = Path(__file__).resolve().parents[3]
_PROGRAM = (
    "import sys; sys.path.insert(0, {!r}); from bestrand_drive.simulation.processes.supervisor import main; main()"
)
"""Isolated from PYTHONPATH and the working folder: an evaluator's variables are for another Python."""
_CHUNK = 1 << 16


class Channel:
    """A new supervisor.

    Attributes:
        pid: Its id.
    """

    def __init__(self, marks: Mapping[str, str]) -> None:
        """Start it, with marks in its environment."""
        self._process = subprocess.Popen(  # noqa: S603  an argument list, no shell
            [sys.executable, "-I", "-S", "-c", _PROGRAM.format(str(_HOME))],
            env={**os.environ, **marks},
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
        )
        self.pid = self._process.pid
        self._heard = b""

    def send(self, line: bytes) -> None:
        """Say something; a supervisor that has ended, or was closed, does not hear it: that is met when listening."""
        rest, requests = memoryview(line), self._process.stdin
        with contextlib.suppress(BrokenPipeError):
            while rest and requests and not requests.closed:
                rest = rest[requests.write(rest) or 0 :]

    def receive(self, limit_s: float) -> list[dict[str, Any]] | None:
        """What it has said, waiting so many seconds for the first word; None once it will say nothing any more."""
        events = self._process.stdout
        if events is None or events.closed:
            return None
        waiting = select.poll()  # select itself knows no descriptor above 1023
        waiting.register(events, select.POLLIN)
        if not waiting.poll(max(limit_s, 0.0) * 1000):
            return []
        content = os.read(events.fileno(), _CHUNK)
        if not content:
            return None
        *lines, self._heard = (self._heard + content).split(b"\n")
        return [json.loads(line) for line in lines]

    def close(self) -> None:
        """It has ended, or is to end now; what is below it is not its business any more."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGKILL)
        for end in (self._process.stdin, self._process.stdout):
            if end:
                end.close()
        self._process.wait()
