"""What a run says while it goes: one line an attempt, and now and then how far it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from rich.console import Console

from bestrand_drive.cli.running.until_text import block_line
from bestrand_drive.cli.tables import say
from bestrand_drive.simulation.attempts.plan import Action, CellPlan
from bestrand_drive.simulation.attempts.record import Attempt
from bestrand_drive.simulation.engines.books import Settled
from bestrand_drive.simulation.engines.drain import Drained
from bestrand_drive.simulation.slots.cell import Cell, Finished, Situation
from bestrand_drive.simulation.slots.keeping import failed
from bestrand_drive.workflows.running.judged import Judged

EVERY_S = 60.0


class Lines:
    """Plain lines, for a log or a pipe.

    Args:
        out: Where they go.
        again: The command that runs a route once more.

    Attributes:
        servers: Attempts that were seen at the same time.
        title: Of this run, where it is one of several.
        later: Attempts of the runs that follow it.
        several: Whether it is one of several: then nobody looks at one probe's failed drive.
    """

    def __init__(self, out: Console, again: Callable[[str, int], str]) -> None:
        self._out, self._again = out, again
        self._began_s = self._said_s = time.monotonic()
        self._ended = 0
        self._wall_s = 0.0
        self.servers = 1
        self.title = ""
        self.later = 0
        self.several = False

    def say(self, line: str) -> None:
        """One line."""
        say(self._out, line)

    def started(self, cell: Cell, slot: int) -> None:
        """See ``Listener``."""
        town = f" in {cell.key.town}" if cell.key.town else ""
        self.say(f"slot {slot}: {cell_name(cell)}{town}, attempt {cell.number}")

    def ended(self, finished: Finished, settled: Settled) -> None:
        """See ``Listener``."""
        attempt = settled.attempt
        if attempt is None:
            self.say(f"{cell_name(finished.cell)}: stopped before it had a result, which leaves nothing")
            return
        self.count(settled)
        self.say(f"{cell_name(finished.cell)}: {ending(attempt)}{_what_follows(settled)}")
        if settled.excused:
            self.say(f"not counted against --max-attempts, and not given up: {_attempts(settled.excused)}")
        if failed(attempt) and settled.again is None and not (attempt.counts and self.several):
            self.say(f"  again: {self._again(attempt.key.route_id, attempt.key.repeat)}")

    def count(self, settled: Settled) -> int:
        """Note what an attempt took; routes and repeats that are over now."""
        self._ended += (settled.again is None) - len(settled.revived)
        self._wall_s += (settled.attempt.wall_s if settled.attempt else None) or 0.0
        return self._ended

    def kept(self, finished: Finished, said: str) -> None:
        """See ``Listener``."""
        self.say(f"{cell_name(finished.cell)}: {said}")

    def fewer(self, slot: int) -> None:
        """See ``Listener``."""
        self.say(f"slot {slot} is given up: its GPU has not the memory for all that share it (fewer --servers)")

    def drained(self, drained: Drained) -> None:
        """See ``Listener``."""
        self.say(drained_line(drained))

    def judged(self, judged: Judged) -> None:
        """How sure the run is, after whole blocks."""
        self.say(block_line(judged))

    def look(self, situations: Sequence[Situation], waiting: int) -> None:
        """See ``Listener``."""
        self.servers = max(self.servers, len(situations))
        now_s = time.monotonic()
        if now_s - self._said_s < EVERY_S:
            return
        self._said_s = now_s
        runs = ", ".join(f"{cell_name(one.cell)} {one.state} {pace(one)}".rstrip() for one in situations)
        self.say(f"{self.progress(len(situations), waiting)}; now {runs or 'nothing'}")

    def progress(self, running: int, waiting: int) -> str:
        """How far it is."""
        said = f"{self.title}{self._ended} ended, {running} run, {waiting} wait"
        eta_s = self.eta_s(running, waiting)
        return f"{said}, about {duration(eta_s)} to go" if eta_s is not None else said

    def eta_s(self, running: int, waiting: int) -> float | None:
        """Seconds to go by the mean of what has ended; None before anything has."""
        if not self._ended:
            return None
        mean_s = self._wall_s / self._ended
        return mean_s * (waiting + self.later + running / 2) / self.servers


def drained_line(drained: Drained) -> str:
    """What a place is not used for any more."""
    why = ", ".join(dict.fromkeys(reason.value for reason in drained.reasons))
    count = len(drained.attempts)
    return (
        f"{drained.spot} is given nothing more in this start: {count} attempts in a row had no result there ({why}) "
        "while others had; they are not counted against --max-attempts"
    )


def cell_name(cell: Cell | CellPlan | Attempt) -> str:
    """How a cell is called, by itself or by what is planned or was made of it."""
    return f"route {cell.key.route_id}, repeat {cell.key.repeat}"


def pace(situation: Situation) -> str:
    """How fast it is simulated."""
    if situation.speed is None:
        return ""
    return f"at {situation.speed:.2f} times real time, tick {situation.ticks}"


def ending(attempt: Attempt) -> str:
    """How an attempt ended."""
    took = f" in {duration(attempt.wall_s)}" if attempt.wall_s is not None else ""
    speed = f", {attempt.speed:.2f} times real time" if attempt.speed else ""
    if attempt.counts:
        return f"{attempt.status}{took}{speed}"
    why = f" ({attempt.detail})" if attempt.detail else ""
    return f"no result{took}: {attempt.reason.value if attempt.reason else ''}{why}"


def _what_follows(settled: Settled) -> str:
    if settled.excused:
        return "; not counted"
    if settled.again is not None:
        return f"; attempt {settled.again.number} follows"
    given_up = settled.cell is not None and settled.cell.action is Action.EXHAUSTED
    return "; given up" if given_up else ""


def _attempts(attempts: Sequence[Attempt]) -> str:
    return "; ".join(f"{cell_name(one)}, attempt {one.number}" for one in attempts)


def duration(seconds: float) -> str:
    """For people: in the two largest units that are needed."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
