"""Servers as processes, and client programs as processes under a watchdog.

A TrafficManager in synchronous mode can miss a wake-up and then never comes back from ``world.tick`` (the client's own
fault, with Unreal's server too). Such a *stall* is known by three signs together: no step for ``STALL_S`` seconds,
inside a tick, with a TrafficManager. A server that does not answer is not taken for one: the client's calls time out
sooner (``TIMEOUT_S``) and raise, inside ticks too. Only the client's known faults are run again, and they are counted;
all else fails at once.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.headless.client.clients import ROOT
from tests.headless.client.known_faults import STALL, KnownFault, abort
from tests.headless.client.programs.pulse import Pulse
from tests.ports import free_ports

STALL_S = 15.0
IDLE_S = 60.0
"""Without a step, in whatever a program does."""
ATTEMPTS = 4
_POLL_S = 0.02
_PORT = re.compile(r" 127\.0\.0\.1:(\d+),")  # in the line that a server prints once it listens


@dataclass(frozen=True)
class Release:
    """A release of the client and the Python that has it."""

    version: str
    python: Path


@dataclass
class Server:
    """A running server, for one release; what it said first."""

    release: Release
    process: subprocess.Popen[str]
    port: int
    first_line: str
    errors: Path

    def end(self) -> None:
        """Stop it as a service manager does; it must still be there, end well and have nothing to complain about."""
        assert self.process.poll() is None, f"the server is gone ({self.process.returncode}): {self.said()}"
        self.process.terminate()
        code = self.process.wait(timeout=20)
        assert (code, self.said()) == (0, "")

    def said(self) -> str:
        """What it wrote to standard error, but for what it says of every camera and radar."""
        lines = self.errors.read_text().splitlines(keepends=True)
        return "".join(line for line in lines if "nothing is rendered" not in line)


@contextlib.contextmanager
def serving(release: Release, towns: Path, folder: Path, *flags: str) -> Iterator[Server]:
    """A server of its own, in Town01."""
    errors = folder / f"server-{time.monotonic_ns()}.err"
    command = [sys.executable, "-m", "bestrand_drive", "headless", "serve", "--port", "0", "--maps", str(towns),
               "--map", "Town01", "--carla-version", release.version, "--die-with-parent", *flags]  # fmt: skip
    with errors.open("w") as file:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=file, text=True, env=_environment())
    try:
        line = process.stdout.readline()
        told = _PORT.search(line)
        assert told, f"the server does not start: {line}{errors.read_text()}"
        server = Server(release, process, int(told.group(1)), line, errors)
        yield server
        server.end()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def _environment(**more: str) -> dict[str, str]:
    """That of the tests, with this checkout first."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **more}


@dataclass
class Watched:
    """Runs client programs; one that fell to a known fault of the client again, which it counts."""

    serve: Callable[[], contextlib.AbstractContextManager[Server]]
    folder: Path
    report: Callable[[str], None]
    faults: list[str] = field(default_factory=list)

    def __call__(self, program: str, *arguments: object, code: int = 0) -> Any:
        """What a program printed.

        Args:
            program: Its name in ``programs``.
            arguments: JSON values.
            code: What it must exit with.
        """
        for attempt in range(ATTEMPTS):
            try:
                with self.serve() as server:
                    return attend(server, self.folder, program, *arguments, code=code)
            except KnownFault as fault:
                self.faults.append(fault.name)
                self.report(f"known fault of the client in {program!r}, attempt {attempt + 1} of {ATTEMPTS}\n{fault}")
        raise AssertionError(f"{program}: the client failed {ATTEMPTS} times by a known fault of its own")


def attend(server: Server, folder: Path, program: str, *arguments: object, code: int = 0) -> Any:
    """Run a program once; its output line.

    Raises:
        KnownFault: The TrafficManager stalled, as explained above, or the client ended itself; the process has ended.
        AssertionError: It made no step for ``IDLE_S``, or ended with another code.
    """
    stem = folder / f"{program}-{time.monotonic_ns()}"
    out, errors = stem.with_suffix(".out"), stem.with_suffix(".err")
    pulse = Pulse(stem.with_suffix(".pulse"))
    command = [str(server.release.python), "-m", "tests.headless.client.programs", program, str(server.port)]
    environment = _environment(CLIENT_PULSE=f"{stem}.pulse", CLIENT_MANAGER_PORT=str(free_ports(1)))
    with out.open("w") as output, errors.open("w") as complaints:
        process = subprocess.Popen(
            [*command, *map(json.dumps, arguments)], stdout=output, stderr=complaints, cwd=ROOT, env=environment
        )
    try:
        _watch(process, pulse, errors)
    finally:
        process.kill()
        process.wait()
    if fault := abort(process.returncode, errors.read_text()):
        raise fault
    assert process.returncode == code, f"{program} exits with {process.returncode}:\n{errors.read_text()[-4000:]}"
    return json.loads(out.read_text().splitlines()[-1])


def _watch(process: subprocess.Popen[bytes], pulse: Pulse, errors: Path) -> None:
    """Wait for its end, for as long as it makes steps."""
    last, since_s = pulse.read(), time.monotonic()
    while process.poll() is None:
        time.sleep(_POLL_S)
        now, idle_s = pulse.read(), time.monotonic() - since_s
        if now != last:
            last, since_s = now, time.monotonic()
        elif idle_s > STALL_S and now.ticking and now.managed:
            raise KnownFault(STALL, f"after {now.steps} steps\n{_stacks(process, errors)}")
        elif idle_s > IDLE_S:
            raise AssertionError(f"no step for {IDLE_S} s after {now}\n{_stacks(process, errors)}")


def _stacks(process: subprocess.Popen[bytes], errors: Path) -> str:
    """Where its Python threads are."""
    process.send_signal(signal.SIGUSR1)
    time.sleep(0.3)
    return errors.read_text()[-4000:]
