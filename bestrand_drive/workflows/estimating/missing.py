"""What of a suite's items a target lacks, and its scores were these at their worst or best."""

from __future__ import annotations

from dataclasses import replace

import torch

from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.estimating.knowledge import chosen_numbers
from bestrand_drive.workflows.estimating.targets import TABLE, Target


def only_chosen(target: Target, suite: Suite) -> ScoreMatrix:
    """The target's scores on the suite's chosen items; everything else is hidden."""
    return target.scores.hidden_outside(torch.from_numpy(chosen_numbers(suite)))


def _needed(target: Target, suite: Suite) -> list[int]:
    """Numbers of the metrics that an item must have: all but ratio metrics; of a table, those that the target has."""
    scores = only_chosen(target, suite)
    must = suite.benchmark != TABLE
    return [
        n for n, spec in enumerate(scores.metrics) if not spec.ratio and (must or bool(scores.valid[:, 0, n].any()))
    ]


def whole_items(target: Target, suite: Suite) -> ScoreMatrix:
    """The target's scores on the chosen items, without the half-measured ones among pairs and groups."""
    halves = {item.id for item in suite.items if item.members} & set(missing_items(target, suite))
    kept = set(suite.chosen) - halves
    chosen = [number for number, item in enumerate(suite.item_ids) if item in kept]
    return target.scores.hidden_outside(torch.tensor(chosen, dtype=torch.long))


def missing_items(target: Target, suite: Suite) -> list[str]:
    """Chosen items that lack a score of some metric that is needed (ratio metrics may be absent).

    An item counts as missing as a whole: half a pair is no pair.
    """
    scores, needed = only_chosen(target, suite), _needed(target, suite)
    complete = scores.valid[:, 0, :][:, needed].all(dim=1)
    has = {item for item, whole in zip(scores.items, complete.tolist(), strict=True) if whole and needed}
    return [item for item in suite.chosen if item not in has]


def unboundable(target: Target, suite: Suite) -> list[str]:
    """Metrics of the target that have no known worst value."""
    return [suite.metrics[n].name for n in _needed(target, suite) if target.scores.metrics[n].bounds is None]


def with_filled(target: Target, items: list[str], suite: Suite, *, best: bool) -> Target:
    """The target with every missing cell of some items at its worst, or best, for each bounded metric that it has.

    Args:
        target: As read.
        items: Ids of the items to fill.
        suite: The suite.
        best: Fill with the better bound instead of the worse.
    """
    scores = target.scores
    values, valid = scores.values.clone(), scores.valid.clone()
    filled_in = set(items)
    rows = torch.tensor([item in filled_in for item in scores.items])
    for number in _needed(target, suite):
        spec = scores.metrics[number]
        if spec.bounds is None:
            continue
        gaps = rows & ~valid[:, 0, number]
        values[gaps, 0, number] = spec.bounds[1] if best == spec.higher_is_better else spec.bounds[0]
        valid[gaps, 0, number] = True
    filled = torch.maximum(scores.repeats, valid.to(torch.int32))
    return replace(target, scores=replace(scores, values=values, valid=valid, repeats=filled))
