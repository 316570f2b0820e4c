"""One metric of one policy on the paired items: means over runs, and what its own repeats tell of run noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestrand_drive.compression.estimators.sample import Array
from bestrand_drive.compression.policy_estimates import LEAST_REPEAT_FREEDOM, mean_runs
from bestrand_drive.scores.matrix import ScoreMatrix


@dataclass(frozen=True)
class Measured:
    """A metric of a policy.

    Attributes:
        values: float64 [item], means over runs, NaN where not measured.
        noise: float64 [item], variance of those means over runs; None when the repeats do not tell it.
        df: Degrees of freedom of the noise.
        runs: Independent runs a value averages (harmonic mean).
        lacking: Why there is no noise; "" when there is.
    """

    values: Array
    noise: Array | None
    df: float
    runs: float
    lacking: str


def measured(scores: ScoreMatrix, number: int) -> Measured:
    """One metric of the matrix's only policy.

    An item that was run more than once brings its own variance, the others the one pooled over those. Repeats that
    agree everywhere are copies of one run and count as one.

    Args:
        scores: One policy, hidden outside the paired items.
        number: Of the metric.
    """
    values = scores.masked(number)[:, 0]
    known = ~np.isnan(values)
    repeats = scores.repeats[:, 0, number].numpy()
    variance = scores.repeat_variance[:, 0, number].numpy().astype(float)
    freedom = np.where(known, np.maximum(repeats - 1, 0), 0)
    if not freedom.sum():
        return Measured(values, None, 0.0, 1.0, "one run")
    pooled = float((freedom * variance).sum() / freedom.sum())
    if pooled == 0.0:
        return Measured(values, None, 0.0, 1.0, "all repeats agree exactly, as copies of one run do")
    runs = mean_runs(scores.repeats[scores.valid[:, 0, number], 0, number])
    if freedom.sum() < LEAST_REPEAT_FREEDOM:
        return Measured(values, None, 0.0, runs, f"repeats on {int((freedom > 0).sum())} items only")
    own = np.where(freedom > 0, variance, pooled) / np.maximum(repeats, 1)
    return Measured(values, np.where(known, own, np.nan), float(freedom.sum()), runs, "")
