"""The rule: stop when the interval is narrow enough, judged on whole finished blocks only.

Only whole blocks of the order count, because what has finished first is not like the rest: quick routes differ from
slow ones, and the results of an unfinished block are those of its quick routes. An item is finished when it was
measured or will never be (terminal). The decision depends on what is finished, not on when it was asked for: all looks
are judged from the first one on, and the earliest that reaches the goal counts. docs/stopping.md has what this is
worth.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Literal, get_args

import torch

from bestrand_drive.compression.estimation import Estimate
from bestrand_drive.compression.policy_estimates import Population, policy_estimates
from bestrand_drive.compression.stopping.order import Order
from bestrand_drive.errors import UsageError, choices
from bestrand_drive.scores.matrix import ScoreMatrix

FIRST_LOOK = 30
"""Items before which nothing is judged: fewer tell too little of a policy's own spread."""
Kind = Literal["policy", "run"]


class Verdict(str, Enum):
    """What to do."""

    STOP = "stop"
    GO_ON = "go on"
    EXHAUSTED = "exhausted"
    """Every item is finished and the goal is not reached."""


@dataclass(frozen=True)
class Goal:
    """How sure is sure enough.

    Attributes:
        half_widths: Greatest half width of the interval, metric units; every named metric must reach its own.
        interval: ``policy`` (for the policy's mean over runs) or ``run`` (for this run on all items).
        level: Of the intervals.
        first: Items before which nothing is judged.
    """

    half_widths: Mapping[str, float]
    interval: Kind = "policy"
    level: float = 0.95
    first: int = FIRST_LOOK

    def __post_init__(self) -> None:
        if not self.half_widths:
            raise UsageError("--until: name a metric and its half width, such as driving_score=3.")
        if self.interval not in get_args(Kind):
            raise UsageError(f"--until-interval {self.interval}: known are {choices(self.interval, get_args(Kind))}")
        for name, half in self.half_widths.items():
            if not (math.isfinite(half) and half > 0):
                raise UsageError(f"--until {name}={half:g}: give a half width above 0, in the metric's units.")
        if not 0.5 <= self.level < 1:
            raise UsageError(f"--level {self.level}: give the confidence of the intervals, from 0.5 to below 1.")


@dataclass(frozen=True)
class Look:
    """What the first so many blocks tell.

    Attributes:
        blocks: How many.
        items: Items in them.
        measured: Those with a score.
        estimates: All lines, with both intervals, of these blocks only.
        half_widths: Of the goal's metrics and kind of interval; None where there is no interval.
    """

    blocks: int
    items: int
    measured: int
    estimates: Mapping[str, Estimate]
    half_widths: Mapping[str, float | None]

    def reaches(self, goal: Goal) -> bool:
        """Whether every metric is as sure as wanted."""
        found = [(self.half_widths[name], wanted) for name, wanted in goal.half_widths.items()]
        return all(half is not None and half <= wanted for half, wanted in found)


@dataclass(frozen=True)
class Decision:
    """What follows from the results so far.

    Attributes:
        goal: When it would be enough.
        verdict: What to do.
        look: The earliest look that reaches the goal, else the last one; None before the first.
        next_items: Ids of the first block that is not whole, without the finished ones; empty unless to go on.
    """

    goal: Goal
    verdict: Verdict
    look: Look | None
    next_items: tuple[str, ...]


def decide(
    order: Order,
    scores: ScoreMatrix,
    population: Population,
    goal: Goal,
    *,
    measured: Collection[str],
    terminal: Collection[str] = (),
    judged: int = 0,
) -> Decision:
    """Whether the results so far are enough.

    Args:
        order: Of the suite.
        scores: One policy on all N items; what lies outside the judged blocks is not looked at.
        population: The benchmark, made once; a look costs one estimate and no fit.
        goal: When it is enough.
        measured: Ids of the items with a complete result.
        terminal: Ids of items that will never have one.
        judged: Blocks of which it is known that no look at them or at fewer reaches the goal; as what is finished does
            not change, they need not be looked at again.

    Raises:
        UsageError: The goal names what is not estimated.
    """
    finished = set(measured) | set(terminal)
    blocks = order.blocks
    whole = next((number for number, block in enumerate(blocks) if not finished >= set(block)), len(blocks))
    last: Look | None = None
    for count in range(1, whole + 1):
        held = sum(len(block) for block in blocks[:count])
        if held < min(goal.first, len(order.items)) or count <= min(judged, whole - 1):
            continue
        last = look(order.items[:held], count, scores, population, goal)
        if last.reaches(goal):
            return Decision(goal, Verdict.STOP, last, ())
    if whole == len(blocks):
        return Decision(goal, Verdict.EXHAUSTED, last, ())
    return Decision(goal, Verdict.GO_ON, last, tuple(item for item in blocks[whole] if item not in finished))


def look(beginning: Collection[str], blocks: int, scores: ScoreMatrix, population: Population, goal: Goal) -> Look:
    """Estimate from the items of whole blocks.

    Args:
        beginning: Their ids.
        blocks: How many blocks these are.
        scores: One policy on all N items.
        population: The benchmark.
        goal: Says which half widths are wanted.

    Raises:
        UsageError: The goal names what is not estimated.
    """
    inside = set(beginning)
    numbers = [number for number, item in enumerate(scores.items) if item in inside]
    seen = scores.hidden_outside(torch.tensor(numbers, dtype=torch.long))
    lines = policy_estimates(seen, population, goal.level)
    unknown = [name for name in goal.half_widths if name not in lines]
    if unknown:
        raise UsageError(f"--until {', '.join(unknown)}: not estimated here; known are {choices(unknown, lines)}")
    intervals = {name: getattr(lines[name], goal.interval) for name in goal.half_widths}
    return Look(
        blocks=blocks,
        items=len(inside),
        measured=int(seen.valid.any(dim=2).sum()),
        estimates=lines,
        half_widths={name: None if one is None else one.half_width for name, one in intervals.items()},
    )
