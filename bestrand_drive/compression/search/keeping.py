"""The loop that every way shares: draw, reject, judge, keep the best, until enough are judged."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from bestrand_drive.compression.search.space import tie
from bestrand_drive.errors import NothingSelected

Propose = Callable[[int], tuple[Tensor, Tensor]]
"""``propose(count)``: candidates Tensor[candidate, *] (at least one, at most ``count``), in whatever form the way
rebuilds a subset from, and which of them satisfy the guards, bool Tensor[candidate]."""
Judge = Callable[[Tensor], Tensor]
"""``judge(candidates)``: their imbalances, float64 Tensor[candidate]; called once for the accepted of each proposal."""


@dataclass(frozen=True)
class Kept:
    """The best candidate, Tensor[*], and the other fields of ``space.Found``."""

    candidate: Tensor
    distance: float
    mean_square: float
    judged: int
    rejected: int


def keep_best(propose: Propose, judge: Judge, candidates: int, chunk: int, guards: int) -> Kept:
    """Judge ``candidates`` accepted candidates and keep the earliest of least distance.

    Args:
        propose: Draws.
        judge: Judges.
        candidates: How many are judged.
        chunk: Most candidates that are drawn at once.
        guards: How many there are, for the message.

    Raises:
        NothingSelected: After 200 draws a candidate too few satisfied the guards, or no candidate could be judged.
    """
    leaders, distances = _Leaders(), list[Tensor]()
    drawn = judged = rejected = 0
    while judged < candidates:
        if drawn >= 200 * candidates + 1000:
            raise NothingSelected(
                f"Of {drawn} random subsets only {judged} held an item of each of the {guards} parts that "
                "must stay represented. Ask for more items, or switch the guard off (--no-ability-guard)."
            )
        batch, accepted = propose(min(chunk, max(candidates - judged, 16)))
        drawn += len(batch)
        first = _first(accepted, candidates - judged)
        rejected += int((~accepted[:first]).sum())
        if first < len(batch) or not bool(accepted.all()):
            batch = batch[:first][accepted[:first]]
        distance = judge(batch)
        leaders.add(batch, distance)
        distances.append(distance)
        judged += len(batch)
    candidate, best = leaders.earliest()
    if not math.isfinite(best):
        raise NothingSelected(
            f"In each of {judged} random subsets some probe has no valid score on some metric, so none can be judged. "
            "Ask for more items, or leave out probes with few scores."
        )
    return Kept(candidate, best, _mean_square(torch.cat(distances)), judged, rejected)


def _mean_square(distances: Tensor) -> float:
    """Over the finite ones; summed exactly, so that chunks cannot change it."""
    finite = distances[torch.isfinite(distances)]
    return math.fsum((finite * finite).tolist()) / len(finite)


class _Leaders:
    """The candidates that may still turn out best: within a tie of the least distance so far, in order of drawing."""

    def __init__(self) -> None:
        self._candidates = torch.empty(0, 0, dtype=torch.long)
        self._distances = torch.empty(0, dtype=torch.float64)

    def add(self, candidates: Tensor, distances: Tensor) -> None:
        """Take in later candidates and forget those that are beaten."""
        if not len(candidates):
            return
        least = min(float(distances.min()), float(self._distances.min()) if len(self._distances) else math.inf)
        old, new = self._distances <= tie(least), distances <= tie(least)
        near = candidates[new]
        self._candidates = torch.cat([self._candidates[old], near]) if len(self._candidates) else near
        self._distances = torch.cat([self._distances[old], distances[new]])

    def earliest(self) -> tuple[Tensor, float]:
        """The first of them, and its distance."""
        return self._candidates[0], float(self._distances[0])


def _first(accepted: Tensor, wanted: int) -> int:
    """Length of the shortest prefix that holds ``wanted`` accepted candidates (all when there are fewer)."""
    enough = (accepted.cumsum(0) >= wanted).nonzero()
    return int(enough[0]) + 1 if len(enough) else len(accepted)
