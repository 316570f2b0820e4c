"""The variance of a difference of two policies as a claim about the policies, and its degrees of freedom.

With d_i the difference of the two sides' means over runs on item i, delta_i its expectation over runs, a_i what the
item weighs in the estimate and p_i in the benchmark, h strata::

    V = S_delta^2 [sum_S (a_i - p_i)^2 + sum_R p_i^2] + s_u^2 sum_h (A_h - P_h)^2 + sum_S a_i^2 n_i

n_i is the variance of d_i over runs, S_delta^2 = max(0, s_d^2 - mean n_i) with s_d^2 the spread of the d_i (inside
strata where these tell it, after what the probes explain). With equal weights this is
``(1 - k/N) S_delta^2 / k + (s_c^2 / r_c + s_b^2 / r_b) / k``. Where run noise is not measured, all of s_d^2 may be
noise: ``V = s_d^2 sum_S a_i^2 + s_u^2 sum_h (A_h - P_h)^2``, without finite-population correction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestrand_drive.compression.comparison.linear import LinearEstimator
from bestrand_drive.compression.comparison.paired import ROUNDING, PairedDifference, VarianceParts
from bestrand_drive.compression.difficulty import anova
from bestrand_drive.compression.estimators.sample import Array, Sample

LEAST_WITHIN = 10
"""Degrees of freedom inside strata from which these tell the spread; with fewer, all of it counts."""


@dataclass(frozen=True)
class RunNoise:
    """Variance of the items' differences over runs.

    Attributes:
        items: float64 [used item], metric units squared, both sides together.
        parts: Mean over items and degrees of freedom of each side's.
    """

    items: Array
    parts: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Frame:
    """Where a difference is measured.

    Attributes:
        sample: Which items are measured and what they count.
        estimator: The suite's, on these.
        range: Of the metric, high less low; None when unbounded.
        reference: Variance over runs of one item's difference by the noise that the suite borrows, or None.
    """

    sample: Sample
    estimator: LinearEstimator
    range: float | None
    reference: float | None = None


@dataclass(frozen=True)
class _Spread:
    """Variance of residuals inside strata and between them, and the former's degrees of freedom."""

    within: float
    between: float
    df: float


def paired_difference(
    frame: Frame, differences: Array, noise: RunNoise | None, value: float | None = None
) -> PairedDifference:
    """Judge the items' differences.

    Args:
        frame: Where they were measured.
        differences: float64 [used item], candidate minus baseline, means over runs; linearised for harmonic means and
            ratio metrics.
        noise: Of them over runs; None when not measured.
        value: The difference of the two estimates where it is not linear in the values.
    """
    estimator, counts = frame.estimator, frame.sample.weights[frame.estimator.used] > 0
    a, d = estimator.weights, differences
    residuals, fitted = estimator.residuals(d)
    spread = _spread(residuals[counts], frame.sample.strata[estimator.used][counts], fitted)
    inner, between = _gaps(frame.sample, estimator)
    parts, df = _parts(spread, (inner, between, float(a @ a)), noise, a, counts, frame.reference)
    differing = np.abs(d[counts]) > ROUNDING * (frame.range or 1.0)
    return PairedDifference(
        value=float(a @ d) if value is None else value,
        variance=parts.items + parts.noise,
        df=df,
        n=int(counts.sum()),
        population=frame.sample.population,
        parts=parts,
        size=None if frame.range is None else _size(d[counts][differing], frame.range),
        share=float(differing.mean()) if len(differing) else 0.0,
        method=estimator.method,
        range=frame.range,
    )


def _size(differing: Array, whole: float) -> float:
    """Root mean square of the differences that are not zero; the whole range where there is none."""
    return float(np.sqrt((differing**2).mean())) if len(differing) else whole


def _spread(residuals: Array, strata: Array, fitted: float) -> _Spread:
    n = len(residuals)
    freedom = int(np.maximum(np.bincount(strata) - 1, 0).sum()) if n else 0
    if freedom - fitted >= LEAST_WITHIN and freedom < n - 1:
        between, within = anova(residuals, strata)
        return _Spread(within * freedom / (freedom - fitted), max(0.0, between), freedom - fitted)
    if n < 2:
        return _Spread(0.0, 0.0, 1.0)
    centred = residuals - residuals.mean()
    df = max(n - 1 - fitted, 1.0)
    return _Spread(float(centred @ centred) / df, 0.0, df)


def _gaps(sample: Sample, estimator: LinearEstimator) -> tuple[float, float]:
    """What a unit of variance between items, and between strata, adds to the error of the benchmark's mean."""
    total = float(sample.weights.sum())
    p = sample.weights / total
    rest = sample.squares / total**2
    rest[estimator.used] = 0.0
    inner = float(((estimator.weights - p[estimator.used]) ** 2).sum() + rest.sum())
    kinds = int(sample.strata.max()) + 1
    held = np.bincount(sample.strata[estimator.used], weights=estimator.weights, minlength=kinds)
    gap = held - np.bincount(sample.strata, weights=p, minlength=kinds)
    return inner, float(gap @ gap)


def _parts(
    spread: _Spread,
    factors: tuple[float, float, float],
    noise: RunNoise | None,
    a: Array,
    counts: Array,
    reference: float | None,
) -> tuple[VarianceParts, float]:
    inner, between, squares = factors
    strata = spread.between * between
    if noise is None:
        return VarianceParts(0.0, spread.within * squares + strata, spread.within, None, reference), spread.df
    mean = float(noise.items[counts].mean())
    own = max(0.0, spread.within - mean)
    runs = float((a**2) @ noise.items)
    parts = VarianceParts(own * inner + strata, runs, own, mean, reference)
    terms = [(part * (squares - inner if own > 0 else squares), df) for part, df in noise.parts]
    terms += [(spread.within * inner, spread.df)] if own > 0 else []
    return parts, satterthwaite([*terms, (strata, spread.df)], spread.df)


def satterthwaite(terms: list[tuple[float, float]], otherwise: float) -> float:
    """Degrees of freedom of a sum of independent variances.

    Args:
        terms: Each variance and its degrees of freedom.
        otherwise: Where all are 0.
    """
    total, squares = sum(part for part, _ in terms), sum(part**2 / df for part, df in terms if df > 0)
    return total**2 / squares if squares > 0 else otherwise
