"""Intervals: Wilson with an effective sample size for bounded metrics, Student's t for the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from bestrand_drive.compression.estimators.sample import PointEstimate

DESIGN_EFFECT_RANGE = (0.02, 1.5)


@dataclass(frozen=True)
class Interval:
    """A two-sided interval in metric units."""

    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of the width."""
        return (self.high - self.low) / 2


def ends(around: Interval | None) -> dict[str, float] | None:
    """An interval as JSON has it."""
    return None if around is None else {"low": around.low, "high": around.high}


def interval(
    point: PointEstimate,
    variance: float,
    level: float,
    bounds: tuple[float, float] | None,
    *,
    binary: bool,
    finite: bool = True,
) -> Interval:
    """Interval around an estimate whose error has the given variance.

    Bounded metrics: with deff = V / (s_y2 / n), clipped, and n_e = n / deff (Korn and Graubard's effective size)::

        centre = (mu + t^2 / 2 n_e) / (1 + t^2 / n_e)
        half   = t sqrt(v / n_e + t^2 / 4 n_e^2) / (1 + t^2 / n_e)

    with v = mu (1 - mu) n / (n - 1) for 0/1 scores and s_y2 otherwise, all on the scale [0, 1]. When all values are
    equal deff is 1 - n / N (1 without finite-population correction), so that the interval stays open. Unbounded
    metrics: value +- t sqrt(V).

    Args:
        point: The estimate.
        variance: Of its error, metric units squared (not necessarily ``point.variance``).
        level: Such as 0.95.
        bounds: Of the metric, or None.
        binary: Whether values are 0/1 on the unit scale.
        finite: Whether the claim is about these N items in this run, not about the policy.
    """
    t = float(stats.t.ppf(0.5 + level / 2, point.df))
    if bounds is None:
        half = t * float(np.sqrt(variance))
        return Interval(point.value - half, point.value + half)
    low, high = bounds
    width = high - low
    spread2, n = point.spread2 / width**2, point.n
    untouched = 1 - n / point.population if finite else 1.0
    design = untouched if spread2 <= 0 else variance / width**2 / (spread2 / n)
    least, most = DESIGN_EFFECT_RANGE
    effective = n / float(np.clip(design, least, most if finite else np.inf))
    mu = float(np.clip((point.value - low) / width, 0.0, 1.0))
    unit = mu * (1 - mu) * n / max(n - 1, 1) if binary else spread2
    scale = 1 + t**2 / effective
    centre = (mu + t**2 / (2 * effective)) / scale
    half = t * float(np.sqrt(unit / effective + t**2 / (4 * effective**2))) / scale
    return Interval(low + width * max(0.0, centre - half), low + width * min(1.0, centre + half))
