"""Many draws of one multivariate hypergeometric law at once: how many items of each class a random subset holds.

A random k-subset's class counts are independent binomials (of any one chance q) given that they sum to k. So the counts
of about half the items' classes are drawn as free binomials, and kept with a probability in proportion to that of the
others' sum being what is left; then the same again for the others. About one draw in 1.4 is kept. A few dozen table
look-ups a subset replace as many hypergeometric draws.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestrand_drive.compression.search.binomial import BinomialTable, binomial_masses

Array = np.ndarray
TABLES_FROM = 4096
"""Draws from which tables are made; below, numpy's hypergeometric numbers cost less than the tables."""
FEW = 256
"""So few that still wait for a step take numpy's hypergeometric numbers instead: the same law, and fewer calls."""
STALLED = 0.9
"""So do they all where more than this share is refused at once (their totals lie far from the mean)."""


class ClassCounts:
    """Draws of counts.

    Args:
        sizes: int64 [class], items of each class, at least 1 each.
        chance: Of an item to be in a subset, on average.
        draws: About how many will be drawn in all.
    """

    def __init__(self, sizes: Array, chance: float, draws: int) -> None:
        self._sizes = np.asarray(sizes, dtype=np.int64)
        tables = draws >= TABLES_FROM and 0 < chance < 1 and len(self._sizes) > 1
        self._steps = _steps(self._sizes, chance) if tables else None

    def draw(self, totals: Array, rng: np.random.Generator) -> Array:
        """Counts of ``len(totals)`` subsets, int32 [class, subset].

        Args:
            totals: int64 [subset], how many items each holds.
            rng: Source.
        """
        if self._steps is None:
            return one_by_one(self._sizes, totals, rng)
        counts = np.empty((len(self._sizes), len(totals)), dtype=np.int32)
        left = np.asarray(totals, dtype=np.int64).copy()
        for step in self._steps:
            step.draw(counts, left, rng)
        counts[self._steps[-1].rest[0]] = left
        return counts


def one_by_one(sizes: Array, totals: Array, rng: np.random.Generator) -> Array:
    """Class after class, each hypergeometric given those before: int32 [class, subset]."""
    counts = np.empty((len(sizes), len(totals)), dtype=np.int32)
    left, others = np.asarray(totals, dtype=np.int64).copy(), int(sizes.sum())
    for number, size in enumerate(sizes.tolist()):
        others -= size
        counts[number] = rng.hypergeometric(size, others, left) if others else left
        left -= counts[number]
    return counts


@dataclass(frozen=True)
class _Step:
    """Divides what is left between the classes ``drawn``, one by one, and the classes ``rest``, together.

    Attributes:
        drawn, rest: Numbers of classes.
        sizes: int64 [class], of all.
        tables: One a class of ``drawn``.
        low: Least sum of ``rest`` with a chance worth mentioning.
        chances: float64 [sum - low], over the greatest; 0 at both ends.
    """

    drawn: list[int]
    rest: list[int]
    sizes: Array
    tables: list[BinomialTable]
    low: int
    chances: Array

    def draw(self, counts: Array, left: Array, rng: np.random.Generator) -> None:
        """Fill the rows ``drawn`` of counts [class, subset] and take them from ``left`` [subset]."""
        whole, waiting = left.copy(), np.arange(len(left))
        while len(waiting) > FEW:
            taken = np.zeros(len(waiting), dtype=np.int64)
            for number, table in zip(self.drawn, self.tables, strict=True):
                row = table.draw(len(waiting), rng)
                taken += row
                counts[number, waiting] = row  # those that are not kept are written again
            others = whole[waiting] - taken
            left[waiting] = others
            chance = self.chances.take(others - self.low, mode="clip")
            refused = np.flatnonzero(rng.random(len(waiting)) >= chance)
            slow = len(refused) > STALLED * len(waiting)
            waiting = waiting.take(refused)
            if slow:
                break
        if len(waiting):
            sizes = np.concatenate([self.sizes[self.drawn], [self.sizes[self.rest].sum()]])
            numbers = one_by_one(sizes, whole[waiting], rng)
            counts[np.array(self.drawn)[:, None], waiting] = numbers[:-1]
            left[waiting] = numbers[-1]


def _steps(sizes: Array, chance: float) -> list[_Step]:
    """Steps until one class is left; the largest classes stay longest, so that few are left at once."""
    steps, classes = list[_Step](), np.argsort(-sizes, kind="stable").tolist()
    while len(classes) > 1:
        grown = np.cumsum(sizes[classes])
        cut = min(int(np.searchsorted(grown, grown[-1] / 2)) + 1, len(classes) - 1)
        rest, drawn = classes[:cut], classes[cut:]
        low, masses = binomial_masses(int(grown[cut - 1]), chance)
        chances = np.concatenate([[0.0], masses / masses.max(), [0.0]])
        tables = [BinomialTable(int(sizes[number]), chance) for number in drawn]
        steps.append(_Step(drawn, rest, sizes, tables, low - 1, chances))
        classes = rest
    return steps
