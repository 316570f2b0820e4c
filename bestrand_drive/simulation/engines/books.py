"""What becomes of an attempt that has ended: stored, put among the results, and tried again if it must be."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bestrand_drive.benchmarks.routes import RouteFile
from bestrand_drive.simulation.attempts import view
from bestrand_drive.simulation.attempts.key import AttemptKey
from bestrand_drive.simulation.attempts.plan import MAX_ATTEMPTS, Action, CellPlan, plan
from bestrand_drive.simulation.attempts.record import Attempt
from bestrand_drive.simulation.attempts.store import AttemptStore
from bestrand_drive.simulation.engines.breaker import Breaker
from bestrand_drive.simulation.engines.drain import Drained, Drains, Spot
from bestrand_drive.simulation.slots.cell import Cell, Finished


@dataclass(frozen=True)
class Settled:
    """What became of an attempt.

    Attributes:
        attempt: As stored; None when it was interrupted and leaves nothing.
        cell: Its cell's plan from now on; None with ``attempt``.
        again: What of its cell is to be run because of it, None for nothing.
        excused: Attempts of which it is known now that they are not counted against their routes.
        revived: Other cells that were given up because of those, and are to be run after all.
        drained: The place that is given nothing more because of it, None for none.
    """

    attempt: Attempt | None = None
    cell: CellPlan | None = None
    again: Cell | None = None
    excused: tuple[Attempt, ...] = ()
    revived: tuple[Cell, ...] = ()
    drained: Drained | None = None


@dataclass
class Books:
    """The books of one start, kept by one thread.

    Attributes:
        store: Of the run folder.
        files: Route id -> the file that holds the route.
        breaker: Stops a start that gets nowhere.
        drains: Tells which place gets nowhere.
        max_attempts: Of one cell.
        pool_builds: Whether attempts of other builds count.
        made: Attempts of this start, in the order of their ends.
    """

    store: AttemptStore
    files: Mapping[str, RouteFile]
    breaker: Breaker
    max_attempts: int = MAX_ATTEMPTS
    pool_builds: bool = False
    drains: Drains = field(default_factory=Drains)
    made: list[Attempt] = field(default_factory=list)
    _given_up: dict[tuple[str, int], AttemptKey] = field(default_factory=dict)

    def plan(self, wanted: Sequence[AttemptKey]) -> tuple[CellPlan, ...]:
        """What there is to do now."""
        return plan(
            wanted,
            self.store.attempts,
            excused=self.store.excused,
            max_attempts=self.max_attempts,
            pool_builds=self.pool_builds,
        )

    def cells(self, plans: Sequence[CellPlan]) -> list[Cell]:
        """What a plan wants to be run: every route once before any is repeated."""
        runs = [self._cell(one) for one in plans if one.action is Action.RUN]
        return sorted(runs, key=lambda cell: cell.key.repeat)

    def settle(self, finished: Finished, spot: Spot, there: Collection[Spot], busy: Collection[Spot] = ()) -> Settled:
        """Store an attempt and say what follows.

        Args:
            finished: It.
            spot: Where it was made.
            there: All places that there are now.
            busy: Those where other attempts are made.

        Raises:
            OSError: The disk is full; what was stored before still is.
            DataRefused: Another program writes into this folder.
        """
        if finished.attempt is None:
            return Settled()
        attempt = self.store.put(finished.attempt, finished.result, finished.metric_info)
        self.made.append(attempt)
        if attempt.counts:
            view.place(self.store, attempt)
        excused = self._excuse(attempt, open_elsewhere=any(not self.drains.fails(one) for one in {*busy} - {spot}))
        known = len(self.drains.drained)
        drained = None if excused else self.drains.add(spot, attempt, there)
        if drained:
            excused = self._excuse_drained(drained)
        (now,) = self.plan([finished.cell.key])
        again = self._cell(now) if now.action is Action.RUN else None
        if now.action is Action.EXHAUSTED:
            self._given_up[attempt.key.cell] = finished.cell.key
        new = drained if len(self.drains.drained) > known else None
        return Settled(attempt, now, again, excused, self._revive(excused), new)

    def check(self, finished: Finished) -> None:
        """Stop here if one attempt after the other comes to nothing.

        Raises:
            EnvironmentFault: See ``Breaker``.
        """
        if finished.attempt is not None:
            self.breaker.check(finished.log)

    def _excuse(self, attempt: Attempt, *, open_elsewhere: bool) -> tuple[Attempt, ...]:
        """Write down whose fault it was not, before anything is planned by it."""
        streak = self.breaker.add(attempt, open_elsewhere=open_elsewhere)
        if streak and attempt.reason:
            self.store.put_stop(streak, attempt.reason)
        return streak

    def _excuse_drained(self, drained: Drained) -> tuple[Attempt, ...]:
        """Write down where they failed, a record for each reason."""
        for reason in dict.fromkeys(drained.reasons):
            same = [one for one in drained.attempts if one.reason is reason]
            self.store.put_stop(same, reason, drained.spot.host, drained.spot.gpu)
        return drained.attempts

    def _revive(self, excused: Iterable[Attempt]) -> tuple[Cell, ...]:
        """Cells that were given up because of attempts that are not counted now."""
        cells = dict.fromkeys(one.key.cell for one in excused)
        keys = [self._given_up[cell] for cell in cells if cell in self._given_up]
        revived = tuple(self.cells(self.plan(keys)))
        for cell in revived:
            del self._given_up[cell.key.cell]
        return revived

    def _cell(self, one: CellPlan) -> Cell:
        return Cell(one.key, one.number, self.files[one.key.route_id])
