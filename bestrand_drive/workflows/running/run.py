"""Run: a policy on routes, by the benchmark's own evaluator, until every route has a result or is given up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bestrand_drive.errors import EnvironmentFault, UsageError
from bestrand_drive.simulation.adapters.command import Command
from bestrand_drive.simulation.attempts.loads import loads_of
from bestrand_drive.simulation.attempts.plan import Action, CellPlan, counted_attempts
from bestrand_drive.simulation.attempts.record import Attempt
from bestrand_drive.simulation.attempts.run_folder import check_run, driving
from bestrand_drive.simulation.attempts.skipped import skipped_in
from bestrand_drive.simulation.attempts.store import AttemptStore
from bestrand_drive.simulation.attempts.view import rebuild
from bestrand_drive.simulation.doctor.python import agent_class
from bestrand_drive.simulation.engines.blocks import Blocks
from bestrand_drive.simulation.engines.books import Books
from bestrand_drive.simulation.engines.breaker import Breaker
from bestrand_drive.simulation.engines.dispatch import Brakes, Engine, Listener
from bestrand_drive.simulation.engines.drain import Drained
from bestrand_drive.simulation.engines.source import Source
from bestrand_drive.simulation.engines.waiting import Waiting
from bestrand_drive.simulation.scheduling.durations import Durations
from bestrand_drive.simulation.slots.cell import Cell, Halt, Tell
from bestrand_drive.workflows.running.crews import check_engine, crew_of
from bestrand_drive.workflows.running.interpreter import check_python, some_command
from bestrand_drive.workflows.running.judged import Judged
from bestrand_drive.workflows.running.last_request import keep_request
from bestrand_drive.workflows.running.preparing import Prepared, prepare
from bestrand_drive.workflows.running.run_request import RunRequest

if TYPE_CHECKING:
    from bestrand_drive.compression.stopping.rule import Decision
    from bestrand_drive.workflows.running.until import Referee

Show = Callable[[Judged], None]
"""Is told how sure the run is, after whole blocks."""


@dataclass(frozen=True)
class RunReport:
    """How a run stands.

    Attributes:
        policy: Its name.
        simulator: What simulates.
        cells: Every wanted route and repeat, in order.
        made: Attempts of this start.
        stopped: Whether it ended because it was told to.
        damaged: What was found unusable in the run folder, and why.
        drained: Places that were given nothing more in this start.
        loads: Servers that shared a GPU (or a host, where nobody chose GPUs) -> results that count; more than one
            entry is a mixture, in which scores may differ for no reason of the policy's.
        skipped: Route and repeat of results that count -> scenarios that did not take place in them, and why.
        durations: What is expected of each route, by which the order is made.
        judged: How sure the run is; None without ``--until``.
    """

    policy: str
    simulator: str
    cells: tuple[CellPlan, ...]
    made: tuple[Attempt, ...] = ()
    stopped: bool = False
    damaged: tuple[str, ...] = ()
    drained: tuple[Drained, ...] = ()
    loads: Mapping[int, int] = field(default_factory=dict)
    skipped: Mapping[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)
    durations: Durations | None = None
    judged: Judged | None = None

    @property
    def to_run(self) -> tuple[CellPlan, ...]:
        """The cells that the same command runs."""
        return () if self.judged is not None and self.judged.enough else self.of(Action.RUN)

    @property
    def not_needed(self) -> tuple[CellPlan, ...]:
        """The cells that it leaves out, because what there is was sure enough."""
        return self.of(Action.RUN) if self.judged is not None and self.judged.enough else ()

    @property
    def lacking(self) -> tuple[CellPlan, ...]:
        """The cells that are given up and matter."""
        given_up = self.of(Action.EXHAUSTED)
        return tuple(one for one in given_up if self.judged is None or self.judged.counts(one.key.cell))

    def of(self, action: Action) -> tuple[CellPlan, ...]:
        """The cells with which this happens."""
        return tuple(cell for cell in self.cells if cell.action is action)


def plan_run(request: RunRequest, *, above: bool = True) -> tuple[Prepared, RunReport]:
    """What would be done, and why; nothing is started or written.

    Args:
        request: What is asked for.
        above: Whether the folder above the run folder must be there; else the caller will make it.

    Raises:
        UsageError: An option is wrong, or the run folder is another run's.
        DataRefused: A file is damaged.
    """
    prepared = prepare(request)
    layout = prepared.settings.layout
    if above or layout.root.parent.exists():
        layout = check_run(layout.root, prepared.info, pool_builds=request.pool_builds)
    books = _books(prepared, AttemptStore(layout, repair=False))
    return prepared, _report(prepared, books)


def run_policy(
    prepared: Prepared,
    listener: Listener,
    halt: Halt,
    tell: Tell = lambda _: None,
    show: Show = lambda _: None,
) -> RunReport:
    """Run what is not done yet.

    Args:
        prepared: What to run.
        listener: Told of every attempt.
        halt: Whether to stop.
        tell: Told of what else there is to say.
        show: Told how sure the run is, with ``--until``.

    Raises:
        UsageError: The folder is another run's, or driven by another process.
        DataRefused: A file is damaged.
        EnvironmentFault: Nothing can be run here; what had ended is stored.
        OSError: The disk is full or not writable; what was there still is.
    """
    pool_builds = prepared.request.pool_builds
    check_engine(prepared.request)
    prepared = check_python(prepared, tell)
    _check_agent(prepared, some_command(prepared))
    with driving(prepared.settings.layout.root, prepared.info, pool_builds=pool_builds, tell=tell) as (layout, lock):
        keep_request(layout, prepared.request)
        books = _books(prepared, AttemptStore(layout, repair=True))
        for damage in books.store.damage:
            tell(f"moved into the quarantine: {damage.why}")
        build = prepared.wanted[0]
        rebuild(
            books.store,
            counted_attempts(prepared.wanted, books.store.attempts, build, pool_builds=pool_builds),
        )
        with ExitStack() as held:
            source, referee = _source(prepared, books, show, held)
            if source and not source.enough:
                _drive(prepared, books, source, listener, halt, lock.check, tell)
            decision = referee.settled() if referee else None
        return replace(_report(prepared, books, decision), stopped=halt.asked)


def _source(prepared: Prepared, books: Books, show: Show, held: ExitStack) -> tuple[Source, Referee | None]:
    """The cells that are to be run, and with ``--until`` who says when it is enough: what is whole now was judged."""

    def waiting(cells: list[Cell]) -> Waiting:
        return Waiting(
            cells,
            by_town=prepared.settings.adapter.needs_server,
            expected=prepared.durations.expected,
            slots=prepared.request.servers,
        )

    cells, until = books.cells(books.plan(prepared.wanted)), prepared.until
    if until is None:
        return waiting(cells), None
    from bestrand_drive.workflows.running import until as heavy  # noqa: PLC0415  brings torch

    def shown(decision: Decision, whole: int) -> None:
        show(until.judged(decision, whole, books.plan(prepared.wanted), books.store.attempts))

    referee = held.enter_context(heavy.Referee(until, shown))
    source = Blocks(until.blocks, cells, waiting, referee)
    referee.settled()
    return source, referee


def _drive(
    prepared: Prepared,
    books: Books,
    source: Source,
    listener: Listener,
    halt: Halt,
    check: Callable[[], None],
    tell: Tell,
) -> None:
    brakes = Brakes(halt)
    with crew_of(prepared, brakes, tell, books.drains.unfit) as crew:
        Engine(crew, books, listener, brakes, check, prepared.settings.stagger_s).run(source)


def _books(prepared: Prepared, store: AttemptStore) -> Books:
    if not prepared.wanted:
        raise UsageError(f"--routes {prepared.request.routes}: holds no route.")
    return Books(
        store=store,
        files=prepared.routes.files,
        breaker=Breaker(prepared.request.servers, succeeded=any(_driven_here(one) for one in store.attempts)),
        max_attempts=prepared.request.max_attempts,
        pool_builds=prepared.request.pool_builds,
    )


def _driven_here(attempt: Attempt) -> bool:
    """Whether it shows that attempts of this run can come to a result; adopted ones tell of another place."""
    return attempt.of_policy and attempt.adopted_from is None


def _report(prepared: Prepared, books: Books, decision: Decision | None = None) -> RunReport:
    cells = books.plan(prepared.wanted)
    skipped = _skipped(books.store, cells) if prepared.settings.adapter.module else {}
    return RunReport(
        policy=prepared.info.policy.name,
        simulator=prepared.info.simulator,
        cells=cells,
        made=tuple(books.made),
        damaged=tuple(damage.why for damage in books.store.damage),
        drained=tuple(books.drains.drained),
        loads=loads_of(cell.counted for cell in cells),
        skipped=skipped,
        durations=prepared.durations,
        judged=_judged(prepared, books, cells, decision),
    )


def _judged(prepared: Prepared, books: Books, cells: Sequence[CellPlan], decision: Decision | None) -> Judged | None:
    """By the referee's last decision, unless a route of its blocks is to be run again, for no fault of its own."""
    until = prepared.until
    if until is None:
        return None
    whole = until.whole(cells)
    if decision is None or (decision.look is not None and decision.look.blocks > whole):
        decision = until.decide(whole)
    return until.judged(decision, whole, cells, books.store.attempts)


def _skipped(store: AttemptStore, cells: Iterable[CellPlan]) -> dict[tuple[str, int], tuple[str, ...]]:
    """Of the results that count; only our evaluator tells of it."""
    said = {cell.key.cell: skipped_in(store, cell.counted) for cell in cells if cell.counted is not None}
    return {cell: scenarios for cell, scenarios in said.items() if scenarios}


def _check_agent(prepared: Prepared, command: Command) -> None:
    """Import the agent before our evaluator does, a route after the other, each as often as ``--max-attempts`` says.

    Before the run folder is made too: it would be that of the agent as it is, and refuse the mended one.

    Raises:
        EnvironmentFault: It cannot be imported, or names no class.
    """
    settings = prepared.settings
    cells = _books(prepared, AttemptStore(settings.layout, repair=False)).plan(prepared.wanted)
    if not settings.adapter.module or all(cell.action is not Action.RUN for cell in cells):
        return
    try:
        agent_class(settings.python, command, settings.agent.path, ours=True)
    except EnvironmentFault as error:
        advice = "Mend the agent or the environment of --python."
        raise EnvironmentFault(
            f"--agent {settings.agent.path}: no route can be driven with it ({error}). {advice}"
        ) from error
