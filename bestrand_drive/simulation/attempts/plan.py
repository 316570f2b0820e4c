"""What there is to do: for every wanted route and repeat, whether it is done, to be run, or given up, and why.

The first attempt that is the policy's counts and ends its cell; only infrastructure is tried again, so that a further
try can never choose between two results of the policy. A hang of the agent and a drive over the limit are the policy's
too: they end their cell without a result, because a policy that hangs or gets stuck where it is hard would else be
tried until it is lucky.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.attempts.key import BUILD_FIELDS, AttemptKey, described, differences, only_build
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.record import Attempt
from bestrand_drive.simulation.attempts.stops import AttemptName, name_of

MAX_ATTEMPTS = 3
_ENDS: dict[Reason | None, str] = {
    Reason.AGENT_HANG: "hung in the agent's own code (agent_hang)",
    Reason.WALL_LIMIT: "was not over at --route-limit (wall_limit)",
}
"""What ends a cell without a result."""


class Action(str, Enum):
    """What happens with a cell."""

    DONE = "done"
    RUN = "run"
    EXHAUSTED = "exhausted"


@dataclass(frozen=True)
class CellPlan:
    """One cell of the plan.

    Attributes:
        key: What is wanted.
        action: What happens.
        number: Of the attempt that counts, or that comes next; of the last one when the cell is exhausted.
        counted: The attempt that counts, when it is done.
        why: In words.
    """

    key: AttemptKey
    action: Action
    number: int
    counted: Attempt | None
    why: str


def plan(
    wanted: Sequence[AttemptKey],
    attempts: Iterable[Attempt],
    *,
    excused: frozenset[AttemptName] = frozenset(),
    max_attempts: int = MAX_ATTEMPTS,
    pool_builds: bool = False,
) -> tuple[CellPlan, ...]:
    """Plan the wanted cells, in their order.

    Args:
        wanted: One key a cell.
        attempts: All that were made in the run folder.
        excused: Attempts that are not counted against ``max_attempts`` (``AttemptStore.excused``).
        max_attempts: Of one cell that may end without a result.
        pool_builds: Let attempts count that were made with another simulator, CARLA version, evaluator commit or
            adapter.

    Raises:
        UsageError: A cell is wanted twice, or ``max_attempts`` is below 1.
    """
    if max_attempts < 1:
        raise UsageError(f"--max-attempts {max_attempts}: at least 1.")
    cells = [key.cell for key in wanted]
    twice = next((cell for cell in cells if cells.count(cell) > 1), None) if len(set(cells)) < len(cells) else None
    if twice:
        raise UsageError(f"route {twice[0]}, repeat {twice[1]} is wanted twice; give every route once.")
    made = defaultdict(list)
    for attempt in sorted(attempts, key=lambda one: one.number):
        made[attempt.key.cell].append(attempt)
    return tuple(_cell(key, made[key.cell], excused, max_attempts, pool_builds) for key in wanted)


def _cell(
    key: AttemptKey, made: Sequence[Attempt], excused: frozenset[AttemptName], max_attempts: int, pool_builds: bool
) -> CellPlan:
    own = [attempt for attempt in made if _belongs(attempt, key, pool_builds)]
    aside = _set_aside([attempt for attempt in made if attempt not in own], key)
    failed = [attempt for attempt in own if not attempt.of_policy]
    counted = next((attempt for attempt in own if attempt.of_policy), None)
    if counted is not None and not counted.counts:
        before = [attempt for attempt in failed if attempt.number < counted.number]
        why = f"attempt {counted.number} {_ENDS[counted.reason]}: not tried again"
        return CellPlan(key, Action.EXHAUSTED, counted.number, None, _joined(why, _endings(before), aside))
    if counted is not None:
        before = [attempt for attempt in failed if attempt.number < counted.number]
        return CellPlan(
            key, Action.DONE, counted.number, counted, _joined(_done(counted, key), _endings(before), aside)
        )
    forgiven = [attempt for attempt in failed if name_of(attempt) in excused]
    against = len(failed) - len(forgiven)
    if against >= max_attempts:
        why = f"{_endings(failed)}: no more than {max_attempts} are made (--max-attempts)"
        return CellPlan(key, Action.EXHAUSTED, failed[-1].number, None, _joined(why, _not_the_routes(forgiven), aside))
    number = 1 + max((attempt.number for attempt in made), default=0)
    tries = f"try {against + 1} of {max_attempts}" if failed else ""
    said = _joined(_endings(failed), _not_the_routes(forgiven), tries, aside)
    return CellPlan(key, Action.RUN, number, None, said or "no attempt yet")


def _belongs(attempt: Attempt, key: AttemptKey, pool_builds: bool) -> bool:
    fields = differences(attempt.key, key)
    return not fields or (pool_builds and only_build(fields))


def _done(counted: Attempt, key: AttemptKey) -> str:
    said = f"attempt {counted.number} counts: {counted.status}"
    if counted.adopted_from:
        said += f", adopted from {counted.adopted_from}"
    return said + (f" (pooled: {described(counted.key, key)})" if differences(counted.key, key) else "")


def _endings(failed: Sequence[Attempt]) -> str:
    if not failed:
        return ""
    words = ", ".join(attempt.reason.value for attempt in failed if attempt.reason)
    one = len(failed) == 1
    return f"attempt{'' if one else 's'} {_numbers(failed)} ended without a result ({words})"


def _not_the_routes(forgiven: Sequence[Attempt]) -> str:
    """Which attempts are not counted against the route, because every route failed so then, or there."""
    return f"{_numbers(forgiven)} not counted: all routes failed so then and there" if forgiven else ""


def _set_aside(others: Sequence[Attempt], key: AttemptKey) -> str:
    """Why earlier attempts at the same route and repeat do not count here."""
    if not others:
        return ""
    poolable = all(only_build(differences(attempt.key, key)) for attempt in others)
    reasons = dict.fromkeys(described(attempt.key, key) for attempt in others)
    said = f"attempt{'' if len(others) == 1 else 's'} {_numbers(others)} of another kind: {'; '.join(reasons)}"
    return said + (" (not pooled; --pool-builds counts them)" if poolable else "")


def _numbers(attempts: Sequence[Attempt]) -> str:
    return ", ".join(str(attempt.number) for attempt in attempts)


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def all_cells(wanted: Sequence[AttemptKey], attempts: Iterable[Attempt], build: AttemptKey) -> list[AttemptKey]:
    """The wanted cells, and those of earlier starts that are not wanted now (fewer routes or repeats this time).

    An earlier cell is what its newest attempt was made at, by the policy and in the build that are used now.

    Args:
        wanted: Cells of this start.
        attempts: All that were made.
        build: Any key of this start, which tells the policy and the build.
    """
    now = {key.cell: key for key in wanted}
    used = build.model_dump(include={"policy", *BUILD_FIELDS})
    newest = {attempt.key.cell: attempt.key for attempt in sorted(attempts, key=lambda one: one.number)}
    return list(wanted) + [key.model_copy(update=used) for cell, key in newest.items() if cell not in now]


def counted_attempts(
    wanted: Sequence[AttemptKey], attempts: Sequence[Attempt], build: AttemptKey, *, pool_builds: bool = False
) -> list[Attempt]:
    """The attempts that count, of all cells of the run: what ``results/`` holds."""
    cells = plan(all_cells(wanted, attempts, build), attempts, pool_builds=pool_builds)
    return [cell.counted for cell in cells if cell.counted is not None]
