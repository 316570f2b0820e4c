"""Being there while an evaluator runs: looking at it once a second, and ending it when it must end."""

from __future__ import annotations

import contextlib
import signal
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.simulation.adapters.command import Command
from bestrand_drive.simulation.attempts.log_place import LogPlace, end_of, read_from
from bestrand_drive.simulation.attempts.signatures import scan_attempt
from bestrand_drive.simulation.heartbeat import Beat, State, read_beat
from bestrand_drive.simulation.processes.identity import identify, send_signal
from bestrand_drive.simulation.processes.supervised import Ended, Supervised
from bestrand_drive.simulation.slots.cell import STEP_S, Halt
from bestrand_drive.simulation.slots.places import View
from bestrand_drive.simulation.slots.settings import Settings
from bestrand_drive.simulation.stacks import Stack, in_agent, main_stack
from bestrand_drive.simulation.watchdog import FINE, NO_LINES, Look, Server, Verdict, Watchdog

_STACKS_S = 3.0
_STACKS_LOOK_S = 0.2
"""Longest wait for the stacks of the evaluator's threads to be in the log, and time between two looks there."""
_LATELY = 15
"""Looks over which the speed is a mean."""
_WORDS = {State.START: "starts", State.LOAD: "loads", State.TICK: "drives", State.BETWEEN: "drives"}


@dataclass(frozen=True)
class Attended:
    """What was seen of an evaluator from its start to its end.

    Attributes:
        ended: How its tree ended.
        survived: The place in its log up to which a later step of the world shows that it all was survived.
        result: Its result as it stood when it ended, or before it was ended.
        verdict: Why it was ended by the watchdog; fine when it was not.
        interrupted: Whether we were told to stop when it ended.
        server_died: Whether the server was gone before there was a result.
        beat: The last heartbeat.
        speed: Simulated seconds a wall second over the drive, by the heartbeat.
    """

    ended: Ended
    survived: LogPlace
    result: bytes | None
    verdict: Verdict = FINE
    interrupted: bool = False
    server_died: bool = False
    beat: Beat | None = None
    speed: float | None = None


Report = Callable[[str, int, float | None], None]
"""Told at each look: state in a word, ticks, speed lately."""


class Attendance:
    """Of one evaluator.

    Args:
        process: It.
        command: What was started.
        server: Its server.
        settings: Limits and pauses.
        counts: Whether a result is the policy's, and so ends the attempt.
    """

    def __init__(
        self,
        process: Supervised,
        command: Command,
        server: View,
        settings: Settings,
        counts: Callable[[bytes | None], bool],
    ) -> None:
        self._process, self._command, self._server = process, command, server
        self._settings, self._counts = settings, counts
        self._dog = Watchdog(settings.limits, hooks=command.heartbeat is not None)
        self._beat: Beat | None = None
        self._pace = Pace()
        self._stamp: tuple[int, int] | None = None
        self._counts_since_s: float | None = None
        self._met_server = self._server_died = False
        self._survived = self._looked = LogPlace(process.log)

    def until_end(self, halt: Halt, report: Report) -> Attended:
        """Stay until the evaluator has ended, by itself or by us."""
        exited_s: float | None = None
        while (ended := self._process.wait(self._settings.look_s)) is None:
            now_s = time.monotonic()
            if self._process.code is not None:  # its tree is being ended by its supervisor
                exited_s = exited_s or now_s
                if now_s - exited_s > self._settings.limits.grace_s:
                    return self._end(halt, interrupted=halt.asked)
                continue
            if halt.asked:
                return self._end(halt, interrupted=True)
            verdict = self._look(now_s)
            report(_WORDS[self._beat.state] if self._beat else "starts", self._pace.ticks, self._pace.lately)
            if not verdict.fine or self._lingers(now_s):
                return self._end(halt, verdict)
        self._read_beat()
        # where we are told to stop, what ended by itself may have been told, too: some batch systems signal all
        return self._attended(ended, _content(self._command.result), FINE, interrupted=halt.asked)

    def _look(self, now_s: float) -> Verdict:
        moved = self._read_beat()
        # a tick that came back tells as much as a call of ours, and costs the server nothing
        server = Server.ANSWERS if moved and self._server.version else self._server.look()
        self._met_server |= server is Server.ANSWERS
        # after the server, which an evaluator ends once it has written its result
        if (stamp := _stamp(self._command.result)) != self._stamp:
            self._stamp = stamp
            self._counts_since_s = now_s if self._counts(_content(self._command.result)) else None
        if self._met_server and server is Server.GONE and self._counts_since_s is None:
            self._server_died = True
        signature = NO_LINES if server is Server.ANSWERS else scan_attempt(self._survived)
        return self._dog.look(Look(now_s, True, self._beat, stamp[0] if stamp else None, server, signature))

    def _read_beat(self) -> bool:
        """Take a reading; whether the world was stepped since the last one, which the log until then was survived."""
        here = end_of(self._process.log)  # before the beat: a step that is seen later came later
        beat = read_beat(self._command.heartbeat) if self._command.heartbeat else None
        moved = beat is not None and beat.ticks > (self._beat.ticks if self._beat else 0)
        self._beat = beat or self._beat
        self._survived = self._looked if moved else self._survived
        self._looked = here
        if beat:
            self._pace.add(beat.changed_s, beat.ticks)
        return moved

    def _lingers(self, now_s: float) -> bool:
        """Whether it has its result and does not end."""
        since_s = self._counts_since_s
        return since_s is not None and now_s - since_s > self._settings.limits.grace_s

    def _end(self, halt: Halt, verdict: Verdict = FINE, *, interrupted: bool = False) -> Attended:
        """End it; what it writes from now on is not looked at."""
        result = _content(self._command.result)
        if not verdict.fine:
            verdict = self._blamed(verdict, main_stack(self._print_stacks()))
        grace_s = 0.0 if halt.forced else self._settings.grace_s
        ended = self._process.stop(grace_s, hurry=lambda: halt.forced)
        return self._attended(ended, result, verdict, interrupted=interrupted)

    def _blamed(self, verdict: Verdict, stack: Stack | None) -> Verdict:
        """The verdict once it is known where the main thread stands; without a stack the agent may still be why."""
        if not verdict.between:
            return verdict
        if stack is None:
            return verdict.unseen() if self._beat and self._beat.ticks else verdict
        return verdict.of_agent() if in_agent(stack, self._settings.agent.path) else verdict

    def _print_stacks(self) -> str:
        """Have the hooks write into the log where each thread stands; what they wrote, "" for nothing."""
        if self._beat is None or self._beat.pid not in self._process.pids():
            return ""
        before, found = end_of(self._process.log), identify(self._beat.pid)
        if not found or not send_signal(found, signal.SIGUSR1):
            return ""
        until, text, written = time.monotonic() + _STACKS_S, "", ""
        while time.monotonic() < until and not (main_stack(text) and text == written):
            time.sleep(_STACKS_LOOK_S)
            text, written = written, read_from(before)
        return written

    def _attended(self, ended: Ended, result: bytes | None, verdict: Verdict, *, interrupted: bool) -> Attended:
        return Attended(
            ended, self._survived, result, verdict, interrupted, self._server_died, self._beat, self._pace.overall
        )


class Pace:
    """Simulated against wall time, from readings of the heartbeat; both benchmarks step by ``STEP_S``.

    Attributes:
        ticks: So far.
    """

    def __init__(self) -> None:
        self.ticks = 0
        self._first: tuple[float, int] | None = None
        self._last: deque[tuple[float, int]] = deque(maxlen=_LATELY)

    def add(self, at_s: float, ticks: int) -> None:
        """One more reading: monotonic clock and steps at the last change."""
        self.ticks = ticks
        if not ticks:
            return
        self._first = self._first or (at_s, ticks)
        self._last.append((at_s, ticks))

    @property
    def lately(self) -> float | None:
        """Speed over the last looks."""
        return _speed(self._last[0], self._last[-1]) if self._last else None

    @property
    def overall(self) -> float | None:
        """Speed since the first steps."""
        return _speed(self._first, self._last[-1]) if self._first and self._last else None


def _speed(first: tuple[float, int], last: tuple[float, int]) -> float | None:
    passed_s = last[0] - first[0]
    return STEP_S * (last[1] - first[1]) / passed_s if passed_s > 0 else None


def _stamp(path: Path) -> tuple[int, int] | None:
    """Time of the last change and size, since clocks of file systems can be coarse; None when there is no file."""
    with contextlib.suppress(OSError):
        found = path.stat()
        return found.st_mtime_ns, found.st_size
    return None


def _content(path: Path) -> bytes | None:
    """What is there; None when there is no file."""
    with contextlib.suppress(FileNotFoundError):
        return path.read_bytes()
    return None
