"""Figures of the table of results: common difficulty and run noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class RunNoise:
    """How much the same policy's score differs from seed to seed.

    Attributes:
        sd: On one route, pooled over policies and routes, in the metric's unit; NaN with one seed.
        share: Of the variance over routes and seeds of one policy, mean over policies.
        of_mean: SD of a policy's mean over all routes that follows from it.
    """

    sd: float
    share: float
    of_mean: float


def by_policy(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Means over seeds, [route, policy]."""
    return rows.pivot_table(index="route", columns="policy", values=metric, sort=False)


def rho(scores: pd.DataFrame) -> float:
    """Mean covariance of two policies over routes, divided by the mean variance (>= 0)."""
    covariance = scores.cov().to_numpy()
    count = len(covariance)
    apart = (covariance.sum() - np.trace(covariance)) / (count * (count - 1))
    return float(max(apart, 0.0) / (np.trace(covariance) / count))


def common_share(rho_: float, probes: int) -> float:
    """R_c^2: reliability of the mean of so many probes as a measure of common difficulty (Spearman-Brown)."""
    return probes * rho_ / (1.0 + (probes - 1) * rho_)


def run_noise(rows: pd.DataFrame, metric: str) -> RunNoise:
    """Within-route spread over seeds."""
    groups = rows.groupby(["policy", "route"])[metric]
    within = groups.var(ddof=1)
    whole = rows.groupby("policy")[metric].var(ddof=1)
    share = (within.groupby("policy").mean() / whole).mean()
    variance = float(within.mean())
    return RunNoise(float(np.sqrt(variance)), float(share), float(np.sqrt(variance / rows["route"].nunique())))
