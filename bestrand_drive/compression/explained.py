"""How much of new policies' scores the probes explain, measured on policies that came later, beside what was expected.

The predictor of one metric is f, what the probes foresee of each item. For T targets measured on the suite's items::

    R_1 = mean_t cov(y_t, f) / sqrt(var(f) mean_t var(y_t)),   R_1^2 the explained share of one target's variance

which is ``theory.r1_squared`` when policies are exchangeable. It is judged on the scale of R_1, a correlation, where
errors are nearly normal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from bestrand_drive.compression.theory import moments, rc_squared

Array = np.ndarray
LEAST_TARGETS = 3
BLOCKS = 40
"""Blocks of items that are left out in turn."""


@dataclass(frozen=True)
class Expectation:
    """What the probes promised.

    Attributes:
        predictor: float64 [item], f on the suite's items.
        root: R_1 of a policy like the probes.
        se: Its standard error, as far as the probes' own spread tells.
        probes: p, families that count as one included once.
    """

    predictor: Array
    root: float
    se: float
    probes: int

    @property
    def share(self) -> float:
        """R_1^2."""
        return max(self.root, 0.0) ** 2

    @property
    def rho(self) -> float:
        """The correlation between policies at which p probes explain that share (``theory.r1_squared`` solved)."""
        p, share = self.probes, self.share
        return float((p - 1) * share + np.sqrt(((p - 1) * share) ** 2 + 4 * p * share)) / (2 * p)


@dataclass(frozen=True)
class Explained:
    """What is seen on the targets, beside what was expected.

    Attributes:
        targets: T, those with enough scores.
        items: How many of the suite's items had a target's score.
        rho: Among the targets, mean covariance over mean variance.
        share: R_1^2 observed.
        low: Lower end of its interval.
        high: Upper end.
        common: R_c^2 observed: explained share of the variance of the targets' mean.
        own: Each target's own share, signed root squared, in the order given; NaN for those left out.
        expected: The expectation, its ``rho`` and ``share``.
        expected_common: R_c^2 expected for T targets.
        gap_high: Upper end of the interval for R_1 observed less expected; below 0 the probes explain too little.
    """

    targets: int
    items: int
    rho: float
    share: float
    low: float
    high: float
    common: float
    own: tuple[float, ...]
    expected: Expectation
    expected_common: float
    gap_high: float

    @property
    def stale(self) -> bool:
        """Whether the probes explain less than expected, beyond what chance gives."""
        return self.gap_high < 0


def explained(scores: Array, expected: Expectation, level: float = 0.95) -> Explained | None:
    """Judge the probes by targets.

    The standard error is by jackknife over targets, and over blocks of items, variances added; the expectation's own
    error joins for the test. Student's t with Satterthwaite's degrees of freedom: T - 1, blocks - 1 and p - 1, weighted
    by the squares of their variances.

    Args:
        scores: float64 [suite item, target], NaN where missing.
        expected: From the probes.
        level: Of the intervals.

    Returns:
        None with fewer than three targets of at least half of the items, or when nothing varies.
    """
    usable = (~np.isnan(scores)).mean(axis=0) >= 0.5 if len(scores) else np.zeros(scores.shape[1], bool)
    columns = scores[:, usable]
    count = columns.shape[1]
    root = _root(columns, expected.predictor) if count >= LEAST_TARGETS else float("nan")
    if np.isnan(root):
        return None
    own_parts = [
        (_target_variance(columns, expected.predictor), count - 1),
        (_item_variance(columns, expected.predictor), min(BLOCKS, len(columns)) - 1),
    ]
    half = _half_width(own_parts, level)
    gap = _half_width([*own_parts, (expected.se**2, expected.probes - 1)], level)
    rho = moments(columns).rho
    ends = [np.clip(root + side * half, 0, 1) ** 2 for side in (-1, 1)]
    own = np.full(scores.shape[1], np.nan)
    singles = [_root(columns[:, [number]], expected.predictor) for number in range(count)]
    own[usable] = [np.sign(single) * single**2 for single in singles]
    share = max(root, 0.0) ** 2
    return Explained(
        targets=count,
        items=int((~np.isnan(columns)).any(axis=1).sum()),
        rho=rho,
        share=share,
        low=float(ends[0]),
        high=float(ends[1]),
        common=_common(share, rho, count),
        own=tuple(own.tolist()),
        expected=expected,
        expected_common=rc_squared(min(expected.rho, 1.0), expected.probes, count),
        gap_high=root - expected.root + gap,
    )


def _half_width(parts: list[tuple[float, int]], level: float) -> float:
    """Student's quantile times the root of the summed variances; each part is a variance and its degrees of freedom."""
    total = sum(variance for variance, _ in parts)
    if total <= 0:
        return 0.0
    freedom = total**2 / sum(variance**2 / max(degrees, 1) for variance, degrees in parts)
    return float(stats.t.ppf((1 + level) / 2, freedom) * np.sqrt(total))


def _common(share: float, rho: float, targets: int) -> float:
    """R_c^2 = R_1^2 / (rho + (1 - rho) / T), at most 1."""
    total = rho + (1 - rho) / targets
    return min(share / total, 1.0) if total > 0 else 0.0


def _root(columns: Array, predictor: Array) -> float:
    """R_1; NaN when predictor or targets do not vary."""
    known = ~np.isnan(columns)
    counts = known.sum(axis=0)
    y = np.where(known, columns - np.where(known, columns, 0).sum(axis=0) / np.maximum(counts, 1), 0)
    f = np.where(known, predictor[:, None], 0)
    f = np.where(known, f - f.sum(axis=0) / np.maximum(counts, 1), 0)
    cov, var_f, var_y = (np.sum(a, axis=0) / np.maximum(counts, 1) for a in (y * f, f * f, y * y))
    scale = float(var_f.mean() * var_y.mean())
    return float(cov.mean() / np.sqrt(scale)) if scale > 1e-24 else float("nan")


def _target_variance(columns: Array, predictor: Array) -> float:
    count = columns.shape[1]
    return _jackknife([_root(np.delete(columns, number, axis=1), predictor) for number in range(count)])


def _item_variance(columns: Array, predictor: Array) -> float:
    """By leaving out blocks; items are dealt out in turn, so that a block mixes strata."""
    items = len(columns)
    blocks = min(BLOCKS, items)
    block = np.arange(items) % blocks
    return _jackknife([_root(columns[block != one], predictor[block != one]) for one in range(blocks)])


def _jackknife(values: list[float]) -> float:
    """(n - 1)/n sum of squared deviations of the leave-one-out values."""
    known = np.array([value for value in values if not np.isnan(value)])
    return float((len(known) - 1) * known.var()) if len(known) > 1 else 0.0
