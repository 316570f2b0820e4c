"""The fewest exchanges of items that bring a subset's imbalance down to a level, strata and domains kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

Array = np.ndarray
Pair = tuple[int, int]
TIE = 1e-9
"""Relative difference below which two distances are the same; the earlier exchange then wins."""
MOST_COMBINATIONS = 2_000_000
"""Sets of exchanges up to which all are tried."""
MOST_STEPS = 50_000
"""Of them, rounds of Python."""
MOST_CELLS = 2_000_000
"""Largest temporary array."""


@dataclass(frozen=True)
class Ground:
    """What subsets of a pool are judged by.

    Attributes:
        features: float64 [item, feature], what is balanced.
        weights: float64 [item], what an item counts in a mean.
        strata: int64 [item]; an exchange stays inside a stratum.
        guards: bool [guard, item]; a guard that has an item keeps one.
    """

    features: Array
    weights: Array
    strata: Array
    guards: Array

    @cached_property
    def amounts(self) -> Array:
        """Weighted deviations from the pool's mean, float64 [item, feature]."""
        mean = np.average(self.features, axis=0, weights=self.weights)
        return np.asarray(self.weights[:, None] * (self.features - mean))

    def distance(self, subset: Array) -> float:
        """Imbalance (L2) of item numbers, as ``imbalance.imbalance`` has it."""
        total = self.amounts[subset].sum(axis=0)
        return float(np.linalg.norm(total) / self.weights[subset].sum())


@dataclass(frozen=True)
class Exchanges:
    """A proposal.

    Attributes:
        pairs: (out, in) item numbers.
        distance: Imbalance afterwards.
        reached: Whether that is at most the level.
        proven: Whether it is known that no fewer exchanges do (or that none do, where it was not reached).
    """

    pairs: tuple[Pair, ...]
    distance: float
    reached: bool
    proven: bool


def fewest_exchanges(ground: Ground, subset: Array, level: float) -> Exchanges:
    """Exchange greedily, each time the best pair with all earlier ones chosen anew, then look for fewer exactly.

    One exchange is found exactly always (all pairs are tried), more where there are at most ``MOST_COMBINATIONS`` sets.

    Args:
        ground: The pool.
        subset: int [k], distinct item numbers.
        level: Imbalance to come down to.
    """
    search = _Search(ground, subset)
    pairs: list[Pair] = []
    best = ground.distance(subset)
    while best > level:
        found = search.best(pairs)
        if found is None or found[0] >= best * (1 - TIE):
            break
        best = search.refine(pairs, found[1])
    reached = best <= level
    fewer, proven = search.fewer(len(pairs) if reached else len(subset) + 1, level)
    chosen = tuple(pairs) if fewer is None else fewer
    return Exchanges(chosen, search.distance(chosen), reached or fewer is not None, proven)


class _Search:
    """Distances of the subset after exchanges; members leave it once, outsiders join it once."""

    def __init__(self, ground: Ground, subset: Array) -> None:
        self.ground = ground
        self.subset = subset
        self.amounts = ground.amounts
        inside = np.zeros(len(ground.features), dtype=bool)
        inside[subset] = True
        self.inside = inside
        self.kinds = np.unique(ground.strata[subset])

    def distance(self, pairs: tuple[Pair, ...] | list[Pair]) -> float:
        """After some exchanges."""
        return self.ground.distance(np.flatnonzero(self._mask(pairs)))

    def _mask(self, pairs: tuple[Pair, ...] | list[Pair]) -> Array:
        mask = self.inside.copy()
        for out, into in pairs:
            mask[out], mask[into] = False, True
        return mask

    def best(self, pairs: list[Pair]) -> tuple[float, Pair] | None:
        """The next exchange of least distance, or None when none is allowed."""
        mask = self._mask(pairs)
        total, weight = self.amounts[mask].sum(axis=0), float(self.ground.weights[mask].sum())
        least: tuple[float, Pair] | None = None
        for out, into in self._blocks(pairs):
            squares = self._squares(total, weight, out, into)
            squares[~self._kept(mask, out, into)] = np.inf
            low = float(squares.min())
            if np.isfinite(low) and (least is None or np.sqrt(low) < least[0] * (1 - TIE)):
                place = int(np.flatnonzero(squares.ravel() <= low * (1 + TIE))[0])
                row, column = divmod(place, len(into))
                least = (float(np.sqrt(low)), (int(out[row]), int(into[column])))
        return least

    def _blocks(self, pairs: list[Pair]) -> Iterator[tuple[Array, Array]]:
        """Who may leave and who may join, stratum by stratum, in pieces of limited size."""
        used = np.zeros_like(self.inside)
        used[[number for pair in pairs for number in pair]] = True
        for kind in self.kinds:
            here = (self.ground.strata == kind) & ~used
            out, into = np.flatnonzero(here & self.inside), np.flatnonzero(here & ~self.inside)
            step = max(1, MOST_CELLS // max(len(into), 1))
            if len(into):
                yield from ((out[start : start + step], into) for start in range(0, len(out), step))

    def _squares(self, total: Array, weight: float, out: Array, into: Array) -> Array:
        """Squared distance after each exchange, float64 [out, in]."""
        base = total - self.amounts[out]
        joining = self.amounts[into]
        squares = (base**2).sum(axis=1)[:, None] + 2 * base @ joining.T + (joining**2).sum(axis=1)[None, :]
        weights = weight - self.ground.weights[out][:, None] + self.ground.weights[into][None, :]
        return np.asarray(np.maximum(squares, 0) / weights**2)

    def _kept(self, mask: Array, out: Array, into: Array) -> Array:
        """Whether every guard keeps an item, bool [out, in]."""
        allowed = np.ones((len(out), len(into)), dtype=bool)
        for guard in self.ground.guards:
            if int((guard & mask).sum()) == 1:
                allowed &= ~guard[out][:, None] | guard[into][None, :]
        return allowed

    def refine(self, pairs: list[Pair], new: Pair) -> float:
        """Add an exchange, then choose each one anew while that helps; the distance."""
        pairs.append(new)
        best = self.distance(pairs)
        improved = len(pairs) > 1 and self._pair_count() <= MOST_COMBINATIONS  # else one step takes too long already
        while improved:
            improved = False
            for number in range(len(pairs)):
                others = pairs[:number] + pairs[number + 1 :]
                found = self.best(others)
                if found is not None and found[0] < best * (1 - TIE):
                    pairs[:] = [*others, found[1]]
                    best, improved = found[0], True
        return best

    def fewer(self, count: int, level: float) -> tuple[tuple[Pair, ...] | None, bool]:
        """A set of fewer exchanges that does, or None; and whether the answer is the fewest."""
        pairs = self._pair_count()
        few = count > 2 and pairs <= MOST_COMBINATIONS
        every = [(int(a), int(b)) for out, into in self._blocks([]) for a in out for b in into] if few else []
        for size in range(2, min(count, pairs + 1)):  # one was tried in full by the first step
            if comb(pairs, size) > MOST_COMBINATIONS or comb(pairs, size - 1) > MOST_STEPS:
                return None, False
            found = self._exact(every, size, level)
            if found is not None:
                return found, True
        return None, True

    def _pair_count(self) -> int:
        return sum(len(out) * len(into) for out, into in self._blocks([]))

    def _exact(self, every: list[Pair], size: int, level: float) -> tuple[Pair, ...] | None:
        """The first set of ``size`` disjoint exchanges within the level."""
        ends = np.array(every)
        steps = self.amounts[ends[:, 1]] - self.amounts[ends[:, 0]]
        gains = self.ground.weights[ends[:, 1]] - self.ground.weights[ends[:, 0]]
        start = self.amounts[self.inside].sum(axis=0), float(self.ground.weights[self.inside].sum())

        def look(taken: list[int], total: Array, weight: float) -> tuple[Pair, ...] | None:
            first = taken[-1] + 1 if taken else 0
            if len(taken) == size - 1:
                norms = np.linalg.norm(total + steps[first:], axis=1) / (weight + gains[first:])
                for hit in np.flatnonzero(norms <= level) + first:
                    pairs = tuple(every[number] for number in [*taken, int(hit)])
                    if self._allowed(pairs):
                        return pairs
                return None
            for number in range(first, len(every)):
                found = look([*taken, number], total + steps[number], weight + gains[number])
                if found is not None:
                    return found
            return None

        return look([], *start)

    def _allowed(self, pairs: tuple[Pair, ...]) -> bool:
        """Whether exchanges are disjoint and every guard keeps an item."""
        numbers = [number for pair in pairs for number in pair]
        mask = self._mask(pairs)
        guards = self.ground.guards
        lost = (guards & self.inside).any(axis=1) & ~(guards & mask).any(axis=1) if len(guards) else np.zeros(0, bool)
        return len(set(numbers)) == len(numbers) and not lost.any()
