"""Items on which a 0/1 metric came out the other way, and whether their own repeats tell that from noise."""

from __future__ import annotations

import numpy as np
from scipy import stats

from bestrand_drive.compression.comparison.lines import Pair
from bestrand_drive.compression.comparison.results import Flip
from bestrand_drive.scores.metrics import MetricSpec

SURE = 0.05
"""Chance, over all paired items together, of calling any noise a change."""


def flips(pair: Pair) -> tuple[Flip, ...]:
    """Flipped items of all 0/1 metrics, benchmark order: those whose means differ by half the range or more."""
    return tuple(flip for spec in pair.baseline.metrics if spec.binary for flip in _of_metric(pair, spec))


def _of_metric(pair: Pair, spec: MetricSpec) -> list[Flip]:
    number = pair.baseline.metric_index(spec.name)
    low, high = spec.bounds or (0.0, 1.0)
    sides = [one.masked(number)[:, 0] for one in (pair.baseline, pair.candidate)]
    runs = [one.repeats[:, 0, number].numpy() for one in (pair.baseline, pair.candidate)]
    paired = np.flatnonzero(~np.isnan(sides[0]) & ~np.isnan(sides[1]))
    flipped = [i for i in paired if abs(sides[1][i] - sides[0][i]) >= (high - low) / 2 - 1e-6]
    shares = [(side - low) / (high - low) for side in sides]
    chances = {i: _chance([float(s[i]) for s in shares], [int(r[i]) for r in runs]) for i in flipped}
    ranked = sorted(flipped, key=chances.__getitem__)
    sure: set[int] = set()
    for rank, i in enumerate(ranked):  # Holm: items that did not flip have larger p-values and come later
        if chances[i] * (len(paired) - rank) > SURE:
            break
        sure.add(int(i))
    return [
        Flip(
            item=pair.baseline.items[i],
            metric=spec.name,
            baseline=float(sides[0][i]),
            candidate=float(sides[1][i]),
            runs=(int(runs[0][i]), int(runs[1][i])),
            within_noise=int(i) not in sure,
        )
        for i in flipped
    ]


def _chance(shares: list[float], runs: list[int]) -> float:
    """Fisher's exact test of the successes among one item's runs, two-sided."""
    won = [round(share * count) for share, count in zip(shares, runs, strict=True)]
    table = np.array([[won[0], runs[0] - won[0]], [won[1], runs[1] - won[1]]])
    return float(stats.fisher_exact(table).pvalue)
