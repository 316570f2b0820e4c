"""An evaluator as a process under a watchdog.

A TrafficManager in synchronous mode can miss a wake-up and then never comes back from ``world.tick`` (the client's own
fault, with Unreal's server too). That *stall* is known by three signs together: the log does not grow for ``STALL_S``,
a thread of the evaluator stands in a tick, and the server answers others. Only this, and the client's abort on closing
a stream twice, is run again, and counted; all else is the outcome.

Evaluators start servers in sessions of their own, which outlive them. All that one starts inherits a variable of its
environment, and by that it is found, whoever its parent is by then.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.headless.client.known_faults import abort
from tests.headless.fakes import Raw

STALL_S = 60.0
IDLE_S = 240.0
"""Without a line, in whatever the evaluator does."""
_POLL_S = 0.2
_PRINTING_S, _PRINTED_S = 5.0, 0.2
"""For so long stacks are waited for, and they are all there once the log has not grown for the latter."""
_ENDING_S = 20.0
_MARK = "BESTRAND_TEST_RUN"


class KnownFault(Exception):
    """The client stalled or ended itself in a known way; worth another try."""


@contextlib.contextmanager
def server(carla_root: Path, port: int, log: Path) -> Iterator[None]:
    """CARLA's start script, for an evaluator that only connects."""
    command = [str(carla_root / "CarlaUE4.sh"), f"-carla-rpc-port={port}", "-nosound", "-RenderOffScreen"]
    with log.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
    try:
        _await(process, port)
        yield
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        finally:
            process.kill()
            process.wait()


def _await(process: subprocess.Popen[bytes], port: int) -> None:
    """Until it takes connections."""
    for _ in range(600):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        assert process.poll() is None, f"the server ended with {process.returncode}"
        time.sleep(0.1)
    raise AssertionError("the server does not start")


def attend(command: Sequence[object], log: Path, port: int, *, cwd: Path, env: Mapping[str, str]) -> int:
    """Run an evaluator; its exit code.

    Raises:
        KnownFault: As explained above; nothing of it runs any more.
        AssertionError: It stood still in another way; nothing of it runs either.
    """
    mark = uuid.uuid4().hex
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(part) for part in command],
            stdout=output,
            stderr=output,
            cwd=cwd,
            env={**env, _MARK: mark},
            start_new_session=True,
        )
    try:
        _watch(process, log, port)
    finally:
        _end(process, mark)
    if fault := abort(process.returncode, log.read_text(errors="replace")):
        raise KnownFault(str(fault))
    return process.returncode


def _watch(process: subprocess.Popen[bytes], log: Path, port: int) -> None:
    """Wait for its end, for as long as its log grows."""
    size, since_s, looked = -1, time.monotonic(), False
    while process.poll() is None:
        time.sleep(_POLL_S)
        now, idle_s = log.stat().st_size, time.monotonic() - since_s
        if now != size:
            size, since_s, looked = now, time.monotonic(), False
        elif idle_s > STALL_S and not looked and _listens(process):
            looked = True
            stacks = _stacks(process, log)
            if stands_in_a_tick(stacks) and _answers(port):
                raise KnownFault(f"stalled in a tick\n{stacks}")
            size = log.stat().st_size
        elif idle_s > IDLE_S:
            raise AssertionError(f"no line for {IDLE_S:.0f} s\n{_stacks(process, log)}")


def _stacks(process: subprocess.Popen[bytes], log: Path) -> str:
    """Where its threads are; the hooks write them into the log."""
    if not _listens(process):
        return "it prints no stacks"
    start = size = log.stat().st_size
    process.send_signal(signal.SIGUSR1)
    end_s = time.monotonic() + _PRINTING_S
    while time.monotonic() < end_s:
        time.sleep(_PRINTED_S)
        before, size = size, log.stat().st_size
        if start < before == size:
            break
    return log.read_bytes()[start:].decode(errors="replace")


def _listens(process: subprocess.Popen[bytes]) -> bool:
    """Whether it prints its stacks when it is asked; one that has hardly begun would end of the question."""
    with contextlib.suppress(OSError):
        status = Path(f"/proc/{process.pid}/status").read_text()
        caught = next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("SigCgt:"))
        return bool(caught >> (signal.SIGUSR1 - 1) & 1)
    return False


def stands_in_a_tick(stacks: str) -> bool:
    """Whether the innermost Python line of some thread is a tick of the world."""
    lines = stacks.splitlines()
    heads = [lines[k + 1] for k, line in enumerate(lines[:-1]) if line.endswith("(most recent call first):")]
    return any(_is_tick(head) for head in heads)


def _is_tick(frame: str) -> bool:
    """Whether the source line of ``File "...", line N in f`` calls ``tick``."""
    _, file, rest = frame.split('"', 2) if frame.count('"') == 2 else ("", "", "")
    try:
        number = int(rest.split()[2])
        return ".tick(" in Path(file).read_text(errors="replace").splitlines()[number - 1]
    except (OSError, IndexError, ValueError):
        return False


def _answers(port: int) -> bool:
    """Whether the server answers another client."""
    try:
        peer = Raw(port)
        with contextlib.closing(peer.socket):
            return bool(peer.call("version"))
    except (OSError, ValueError):
        return False


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    """End it and all that it started; what is being started meanwhile is found the next time."""
    process.kill()
    process.wait()
    deadline = time.monotonic() + _ENDING_S
    while left := list(_marked(mark)):
        assert time.monotonic() < deadline, f"{left} do not end"
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def _marked(mark: str) -> Iterator[int]:
    """Processes that live with this mark; one that only waits to be collected has no environment."""
    line = f"{_MARK}={mark}".encode()
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdecimal() and line in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)
