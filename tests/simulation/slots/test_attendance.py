"""What is seen of an evaluator, by stand-ins for its process and its server."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bestrand_drive.simulation.processes.supervised import Ended
from bestrand_drive.simulation.slots.attendance import Attendance, Attended
from bestrand_drive.simulation.watchdog import Limits, Server

WHOLE, PART = b"whole", b"part"
NOT_ASKED = SimpleNamespace(asked=False, forced=False)


class Process:
    """Runs for so many looks, then ends by itself."""

    code = None

    def __init__(self, log: Path, looks: int) -> None:
        self.log, self._left = log, looks

    def wait(self, _: float) -> Ended | None:
        self._left -= 1
        return None if self._left >= 0 else Ended(1)


class Seen:
    """A server that does something at each look."""

    version = ""

    def __init__(self, *looks: Callable[[], Server]) -> None:
        self._looks = iter(looks)

    def look(self) -> Server:
        return next(self._looks)()


def attended(folder: Path, *looks: Callable[[], Server], halt: Any = NOT_ASKED) -> Attended:
    process: Any = Process(folder / "log", len(looks))
    command: Any = SimpleNamespace(result=folder / "result", heartbeat=None)
    settings: Any = SimpleNamespace(limits=Limits(timeout_s=300), look_s=0.0, grace_s=0.0)
    attendance = Attendance(process, command, Seen(*looks), settings, lambda result: result == WHOLE)
    return attendance.until_end(halt, lambda *_: None)


def test_a_server_that_dies_before_there_is_a_result(tmp_path):
    assert attended(tmp_path, lambda: Server.ANSWERS, lambda: Server.GONE).server_died


def test_a_server_that_its_evaluator_ended_after_the_result_did_not_die(tmp_path):
    """F3: an agent's crash that was written between our look at the file and the one at the server is its own."""

    def written_and_gone() -> Server:
        (tmp_path / "result").write_bytes(WHOLE)
        return Server.GONE

    assert not attended(tmp_path, lambda: Server.ANSWERS, written_and_gone, lambda: Server.GONE).server_died


@pytest.mark.parametrize("later_ns", [0, 1])
def test_a_result_that_grows_is_read_again_though_the_clock_stands(tmp_path, later_ns):
    """F3: a whole second can be one time stamp on a file server."""

    def write(content: bytes, at_ns: int, server: Server) -> Server:
        (tmp_path / "result").write_bytes(content)
        os.utime(tmp_path / "result", ns=(at_ns, at_ns))
        return server

    found = attended(
        tmp_path,
        lambda: write(PART, 10**18, Server.ANSWERS),
        lambda: write(WHOLE, 10**18 + later_ns, Server.GONE),
    )
    assert not found.server_died


def test_an_evaluator_that_was_told_to_stop_as_we_were_was_interrupted(tmp_path):
    """A preemption may signal all processes of a job; what it ends is no failure of the route."""
    halt = SimpleNamespace(asked=False, forced=False)

    def told() -> Server:
        halt.asked = True
        return Server.ANSWERS

    assert attended(tmp_path, told, halt=halt).interrupted
    assert not attended(tmp_path, lambda: Server.ANSWERS).interrupted
