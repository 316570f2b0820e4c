"""Harmonic means of two batched estimates of one target (``compression.harmonic``)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from bestrand_drive.scores.metrics import MetricSpec
from bestrand_drive.study.batch_intervals import estimates
from bestrand_drive.study.points import Points

Array = np.ndarray


@dataclass(frozen=True)
class Part:
    """One of the two estimates.

    Attributes:
        spec: Its metric.
        points: With residuals, of one target.
        y: float64 Tensor[item, 1], its values.
        line: Value, lower and upper end, float64 [draw, 1] each.
    """

    spec: MetricSpec
    points: Points
    y: Tensor
    line: tuple[Array, Array, Array]


def harmonic_estimates(score: Part, success: Part, level: float) -> tuple[Array, Array, Array]:
    """Value, lower and upper end of the run interval of the harmonic mean, float64 [draw, 1] each.

    Args:
        score: First part.
        success: Second part, measured on the same items.
        level: Of the interval.
    """
    a, b = score.line[0], success.line[0]
    positive = np.minimum(a, b) > 0
    value = harmonic_values(a, b)
    points = _linearised(score, success, torch.from_numpy(np.where(positive, value, 1.0)), positive)
    spec = MetricSpec("harmonic", score.spec.low, score.spec.high)
    _, low, high = estimates(points, spec, level)
    least, most = (harmonic_values(score.line[end], success.line[end]) for end in (1, 2))
    low, high = np.maximum(low, least), np.minimum(high, most)
    return value, np.where(positive, low, 0.0 * most), np.where(positive, high, most)


def harmonic_values(a: Array, b: Array) -> Array:
    """``2 / (1 / a + 1 / b)`` of arrays; 0 where either is 0 or less, NaN where either is."""
    positive = np.minimum(a, b) > 0
    safe_a, safe_b = np.where(positive, a, 1.0), np.where(positive, b, 1.0)
    return np.where(np.isnan(a) | np.isnan(b), np.nan, np.where(positive, 2 / (1 / safe_a + 1 / safe_b), 0.0))


def _linearised(score: Part, success: Part, value: Tensor, positive: Array) -> Points:
    """The harmonic mean's estimate by the delta method (``harmonic.harmonic_mean``)."""
    first, second = score.points, success.points
    if first.residuals is None or second.residuals is None:
        raise ValueError("harmonic means need the residuals of a single target")
    slopes = [value**2 / 2 / torch.from_numpy(np.where(positive, part.line[0], 1.0)) ** 2 for part in (score, success)]
    sd = [slope * part.variance.sqrt() for slope, part in zip(slopes, (first, second), strict=True)]
    shared = (first.residuals * second.residuals).sum(dim=1, keepdim=True)
    scale = ((first.residuals**2).sum(dim=1, keepdim=True) * (second.residuals**2).sum(dim=1, keepdim=True)).sqrt()
    correlation = torch.where(scale > 0, shared / torch.where(scale > 0, scale, 1.0), 0.0).clamp(-1, 1)
    mask, n = first.draws.mask, first.draws.n
    moved = (score.y - first.mean.T) * (success.y - second.mean.T)
    covariance = (mask * moved.T).sum(dim=1, keepdim=True) / (n - 1).clamp(min=1)
    spread2 = slopes[0] ** 2 * first.spread2 + slopes[1] ** 2 * second.spread2 + 2 * slopes[0] * slopes[1] * covariance
    return Points(
        value=value,
        variance=sd[0] ** 2 + sd[1] ** 2 + 2 * sd[0] * sd[1] * correlation,
        df=torch.minimum(first.df, second.df),
        mean=slopes[0] * first.mean + slopes[1] * second.mean,
        spread2=spread2.clamp(min=0),
        draws=first.draws,
    )
