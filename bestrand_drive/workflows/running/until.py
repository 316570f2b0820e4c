"""``--until``: a run that ends when its whole blocks are sure enough (docs/stopping.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType

from bestrand_drive.benchmarks.record_ids import route_number
from bestrand_drive.compression.stopping.order import Order
from bestrand_drive.compression.stopping.rule import Decision, Goal, Verdict
from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.attempts.key import AttemptKey
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.plan import Action, CellPlan
from bestrand_drive.simulation.attempts.record import Attempt
from bestrand_drive.simulation.attempts.run_folder import read_run
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.suite.schema import Suite, SuiteItem
from bestrand_drive.workflows.estimating.stopping import check_goal, order_of, stopping_in_whole
from bestrand_drive.workflows.estimating.targets import nothing_measured, read_target
from bestrand_drive.workflows.running.judged import CellName, Hours, Judged
from bestrand_drive.workflows.running.run_request import RunRequest

_HOUR_S = 3600.0


@dataclass(frozen=True)
class Until:
    """When a run on a suite is enough.

    Attributes:
        suite: That is run.
        goal: When it is enough.
        order: Of the suite's items.
        blocks: Routes and repeats of each of the order's blocks.
        layout: Of the run folder.
    """

    suite: Suite
    goal: Goal
    order: Order
    blocks: tuple[tuple[CellName, ...], ...]
    layout: Layout

    @cached_property
    def block_of(self) -> dict[CellName, int]:
        """Number of each cell's block, from 1."""
        return {cell: number for number, block in enumerate(self.blocks, 1) for cell in block}

    def whole(self, plans: Iterable[CellPlan]) -> int:
        """Blocks from the beginning in which nothing is to be run any more."""
        left = {plan.key.cell for plan in plans if plan.action is Action.RUN}
        return next((number for number, block in enumerate(self.blocks) if left & set(block)), len(self.blocks))

    def decide(self, whole: int, judged: int = 0) -> Decision:
        """What the results of so many whole blocks tell; they are read anew, while others may be written.

        Args:
            whole: Blocks from the beginning.
            judged: Of them, known not to be enough.

        Raises:
            DataRefused: A result is damaged.
        """
        items = [item for block in self.order.blocks[:whole] for item in block]
        if items and any(self.layout.results.rglob("*.json")):
            target = read_target(self.suite, self.layout.root, name=None)
        else:  # everything so far was given up
            target = nothing_measured(self.suite)
        return stopping_in_whole(self.suite, target, self.goal, items, judged)

    def judged(self, decision: Decision, whole: int, plans: Sequence[CellPlan], attempts: Sequence[Attempt]) -> Judged:
        """A decision on so many whole blocks, with what there is to be shown beside it."""
        over = {plan.key.cell for plan in plans if plan.action is not Action.RUN}
        return Judged(
            decision=decision,
            whole=whole,
            blocks=self.block_of,
            finished=len(over),
            items=self.suite.k,
            benchmark=self.suite.n,
            hours=self._hours(over, attempts),
        )

    def _hours(self, over: set[CellName], attempts: Iterable[Attempt]) -> Hours | None:
        """Driven, and still to come at the pace at which the finished cells went beside what the suite expects."""
        took: dict[CellName, float] = {}
        for attempt in attempts:
            if attempt.wall_s is not None and attempt.key.cell in self.block_of:
                took[attempt.key.cell] = took.get(attempt.key.cell, 0.0) + attempt.wall_s
        timed = over & took.keys()
        if not timed:
            return None
        pace = math.fsum(took[cell] for cell in timed) / self._share(timed) / _HOUR_S
        repeats = 1 + max(repeat for _, repeat in self.block_of)
        return Hours(
            driven=math.fsum(took.values()) / _HOUR_S,
            suite=pace * self._share(self.block_of.keys() - over),
            benchmark=pace * (math.fsum(self._shares.values()) * repeats - self._share(over)),
        )

    def _share(self, cells: Iterable[CellName]) -> float:
        return math.fsum(self._shares[route_number(route)] for route, _ in cells)

    @cached_property
    def _shares(self) -> dict[str, float]:
        """What a run of each route of the benchmark takes beside the others: by the probes, else alike."""
        costs = [item.cost_s for item in self.suite.items]
        known = all(costs)
        return {
            route: (item.cost_s or 0.0) / len(routes) if known else 1.0
            for item in self.suite.items
            for routes in [routes_of(item)]
            for route in routes
        }


def until_of(request: RunRequest, wanted: Sequence[AttemptKey]) -> Until:
    """What ``--until`` means for a run.

    Raises:
        UsageError: There is no suite, the goal cannot be reached on it, or not all of it is run.
        DataRefused: The suite is damaged.
    """
    suite, goal = goal_of(request)
    layout = Layout(request.out.absolute())
    repeats = read_run(layout.root).repeats if layout.run_file.exists() else 0
    if repeats > request.repeats:
        raise UsageError(
            f"--until: {request.out} holds {repeats} repeats, which `bestrand estimate` would take into account; give "
            f"--repeats {repeats}, so that all of them are run in whole blocks, or another --out."
        )
    order = order_of(suite)
    names = {route_number(key.route_id): key.route_id for key in wanted}
    items = {item.id: item for item in suite.items}
    try:
        blocks = tuple(
            tuple(
                (names[route], repeat)
                for item in block
                for route in routes_of(items[item])
                for repeat in range(request.repeats)
            )
            for block in order.blocks
        )
    except KeyError as error:
        raise UsageError(f"--until: {request.routes} lacks route {error.args[0]} of its own suite.json.") from error
    others = {key.cell for key in wanted} - {cell for block in blocks for cell in block}
    if others:
        raise UsageError(f"--until: route {min(others)[0]} of {request.routes} is none of its suite.json.")
    return Until(suite, goal, order, blocks, layout)


def goal_of(request: RunRequest) -> tuple[Suite, Goal]:
    """The suite and when it is enough.

    Raises:
        UsageError: See ``until_of``.
        DataRefused: The suite is damaged.
    """
    goal = Goal(request.until, request.until_interval, request.level)
    if not (request.routes / "suite.json").is_file():
        raise UsageError(
            f"--until needs a suite: {request.routes} is no suite folder, and only a suite has an order of which every "
            "beginning stands for the benchmark. Make one with `bestrand compress` or `bestrand probe`."
        )
    if request.only or request.repeat is not None:
        raise UsageError("--until judges whole blocks of the suite, all repeats: leave out --only and --repeat.")
    suite = read_suite(request.routes)
    if suite.benchmark != request.benchmark:
        raise UsageError(f"--until: {request.routes} is a suite of {suite.benchmark}, not of {request.benchmark}.")
    check_goal(suite, goal, request.repeats)
    return suite, goal


def routes_of(item: SuiteItem) -> tuple[str, ...]:
    """Ids of the routes of an item, without leading zeros: itself, or the members of a pair by their files' names."""
    return tuple(route_number(leaf) for leaf in item.leaves)


class Referee:
    """A ``Judge`` of blocks: asks the rule, in a thread of its own because results are read and estimates made.

    Args:
        until: When it is enough.
        show: Told of each decision and on how many blocks it is, from the thread that asks ``enough``.
    """

    def __init__(self, until: Until, show: Callable[[Decision, int], None]) -> None:
        self._until, self._show = until, show
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="referee")
        self._whole = self._asked = self._judged = 0
        self._pending: Future[Decision] | None = None
        self._decision: Decision | None = None

    def whole(self, blocks: int) -> None:
        """See ``Judge``."""
        self._whole = blocks
        self._judged = min(self._judged, blocks)

    @property
    def enough(self) -> bool:
        """See ``Judge``; never waits."""
        if self._pending is not None and self._pending.done():
            self._take(self._pending)
        if self._pending is None and self._whole != self._asked:
            self._ask()
        return self._decision is not None and self._decision.verdict is Verdict.STOP

    def settled(self) -> Decision | None:
        """The decision on all that is whole, waited for; None when nothing is."""
        while self._pending is not None or self._whole != self._asked:
            if self._pending is None:
                self._ask()
            else:
                self._take(self._pending)
        return self._decision

    def _ask(self) -> None:
        self._asked = self._whole
        self._pending = self._pool.submit(self._until.decide, self._whole, self._judged)

    def _take(self, pending: Future[Decision]) -> None:
        self._pending, decision = None, pending.result()
        if self._decision is not None and self._decision.verdict is Verdict.STOP:
            return  # what ended meanwhile cannot make another look the earliest
        self._decision = decision
        if self._decision.verdict is not Verdict.STOP:
            self._judged = min(self._asked, self._whole)
        self._show(decision, self._asked)

    def __enter__(self) -> Referee:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._pool.shutdown()
