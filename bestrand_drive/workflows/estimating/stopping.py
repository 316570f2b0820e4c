"""Stopping early on a suite: its order, and whether a policy's results so far are enough."""

from __future__ import annotations

from collections.abc import Collection

from bestrand_drive.benchmarks.benchmark import NO_RECORD
from bestrand_drive.benchmarks.definitions import MissingRule
from bestrand_drive.compression.stopping.order import Order, suite_order
from bestrand_drive.compression.stopping.rule import Decision, Goal, decide
from bestrand_drive.errors import UsageError
from bestrand_drive.suite import Suite
from bestrand_drive.workflows.estimating.knowledge import population_of
from bestrand_drive.workflows.estimating.targets import Target, missing_items, whole_items, with_filled


def order_of(suite: Suite, block: int | None = None) -> Order:
    """The order in which a suite's items are run; the same for the same suite.

    Args:
        suite: Chosen items and seed.
        block: Items of a block; None for half a cycle over the suite's strata.
    """
    label = {item.id: item.stratum for item in suite.items}
    strata = [label[item] or "" for item in suite.chosen] if suite.strata else None
    return suite_order(suite.chosen, strata, suite.choice.seed, block)


def stopping(
    suite: Suite,
    target: Target,
    goal: Goal,
    *,
    terminal: Collection[str] | None = None,
    missing: MissingRule = "exclude",
    block: int | None = None,
) -> Decision:
    """Whether a policy's results so far are enough, on the whole blocks from the order's beginning.

    Args:
        suite: What it is run on.
        target: Its results so far.
        goal: When it is enough.
        terminal: Chosen items that will never have a result; None takes those that have a record without a usable
            score, which is right when nothing is tried again.
        missing: ``zero`` scores terminal items at their worst.
        block: See ``order_of``.

    Raises:
        UsageError: The goal names what is not estimated, or a policy interval where run noise is not known.
    """
    absent = missing_items(target, suite)
    if terminal is None:
        terminal = [item for item in absent if target.reasons.get(item, NO_RECORD) != NO_RECORD]
    never = [item for item in absent if item in set(terminal)]
    seen = with_filled(target, never, suite, best=False) if missing == "zero" else target
    gone = set(absent)
    decision = decide(
        order_of(suite, block),
        whole_items(seen, suite),
        population_of(suite),
        goal,
        measured=[item for item in suite.chosen if item not in gone],
        terminal=never,
    )
    _check_noise(goal, decision)
    return decision


def _check_noise(goal: Goal, decision: Decision) -> None:
    if decision.look is None or goal.interval == "run":
        return
    lines = decision.look.estimates
    unknown = [name for name in goal.half_widths if lines[name].run is not None and lines[name].policy is None]
    if unknown:
        raise UsageError(
            f"--until {', '.join(unknown)}: run noise is not known, so there is no interval for the policy; "
            "--until-interval run judges by the interval for this run."
        )
