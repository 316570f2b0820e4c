"""Stopping early on a suite: its order, and whether a policy's results so far are enough."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import torch

from bestrand_drive.benchmarks.benchmark import NO_RECORD
from bestrand_drive.benchmarks.definitions import MissingRule
from bestrand_drive.compression.stopping.order import Order, suite_order
from bestrand_drive.compression.stopping.rule import Decision, Goal, decide
from bestrand_drive.errors import UsageError, choices
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.estimating.knowledge import population_of
from bestrand_drive.workflows.estimating.missing import missing_items, whole_items, with_filled
from bestrand_drive.workflows.estimating.targets import Target


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
        UsageError: The goal names what is not estimated, or a policy interval where run noise is not known; what is
            terminal is no chosen item.
    """
    strange = sorted(set(terminal or ()) - set(suite.chosen))
    if strange:
        raise UsageError(
            f"terminal: {', '.join(strange[:5])}: no chosen items of this suite; give ids as `bestrand order` has them."
        )
    absent = missing_items(target, suite)
    on_record = (item for item in absent if target.reasons.get(item, NO_RECORD) != NO_RECORD)
    given_up = set(on_record if terminal is None else terminal)
    never = [item for item in absent if item in given_up]
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


def stopping_in_whole(suite: Suite, target: Target, goal: Goal, items: Collection[str], judged: int = 0) -> Decision:
    """The same for a run, which knows better than its results which items are finished: some are driven again.

    Args:
        suite: What it is run on.
        target: Its results so far.
        goal: When it is enough.
        items: Of whole blocks from the order's beginning; those of them without a result will never have one.
        judged: See ``decide``.
    """
    inside = set(items)
    numbers = [number for number, item in enumerate(suite.item_ids) if item in inside]
    seen = replace(target, scores=target.scores.hidden_outside(torch.tensor(numbers, dtype=torch.long)))
    absent = set(missing_items(seen, suite))
    return decide(
        order_of(suite),
        whole_items(seen, suite),
        population_of(suite),
        goal,
        measured=inside - absent,
        terminal=inside & absent,
        judged=judged,
    )


def check_goal(suite: Suite, goal: Goal, runs: int) -> None:
    """Refuse what no result could reach, before there is one.

    Args:
        suite: What a policy is to be run on.
        goal: When it shall be enough.
        runs: How often each item is driven; more than once tells the run noise.

    Raises:
        UsageError: The goal names what is not estimated, or a policy interval where run noise is not known.
    """
    metrics: dict[str, tuple[str, ...]] = {metric.name: (metric.name,) for metric in suite.metrics}
    metrics |= {rule.name: (rule.score, rule.success) for rule in suite.harmonic}
    metrics |= {domain.name: (domain.metric,) for domain in suite.domains}
    unknown = [name for name in goal.half_widths if name not in metrics]
    if unknown:
        raise UsageError(f"--until {', '.join(unknown)}: not estimated here; known are {choices(unknown, metrics)}")
    if goal.interval == "policy" and runs == 1:
        noisy = {metric.name for metric in suite.metrics if metric.noise is not None}
        _refuse_noise([name for name in goal.half_widths if not noisy.issuperset(metrics[name])])


def _check_noise(goal: Goal, decision: Decision) -> None:
    if decision.look is None or goal.interval == "run":
        return
    lines = decision.look.estimates
    _refuse_noise([name for name in goal.half_widths if lines[name].run is not None and lines[name].policy is None])


def _refuse_noise(unknown: Sequence[str]) -> None:
    if unknown:
        raise UsageError(
            f"--until {', '.join(unknown)}: run noise is not known, so there is no interval for the policy; "
            "--until-interval run judges by the interval for this run."
        )
