"""What the probes tell of each metric, in the form a suite keeps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from bestrand_drive.compression.difficulty import DifficultyModel, fit_difficulty, single_policy_variance
from bestrand_drive.compression.estimators.blup import expected_variance
from bestrand_drive.compression.estimators.expc import ProbeRegression, fit_regression
from bestrand_drive.compression.noise import pooled_noise
from bestrand_drive.compression.profiles import profiles
from bestrand_drive.compression.strata import stratum_codes
from bestrand_drive.compression.theory import mean_mae, two_phase
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.suite.schema import HarmonicMetric, MixedModel, Regression, SuiteMetric, SuiteNoise
from bestrand_drive.workflows.evidence.evidence import Evidence

LEAST_OVERLAP = 0.75
"""Share of measured cells below which no expected error is told."""


def suite_metric(
    evidence: Evidence,
    scores: ScoreMatrix,
    pool: Tensor,
    chosen: Tensor,
    families: Sequence[Sequence[int]],
    number: int,
    probe_data: bool,
) -> SuiteMetric:
    """Fit one metric on the pool.

    Args:
        evidence: Gives the reference noise.
        scores: Probe scores, hidden outside the pool.
        pool: long Tensor[pool item].
        chosen: long Tensor[k].
        families: Policy numbers of each family.
        number: Of the metric.
        probe_data: Whether per-item figures are kept.
    """
    spec = scores.metrics[number]
    columns = profiles(scores.masked(number), families, pool.numpy())
    told = overlap(scores.masked(number)[pool.numpy()], families) >= LEAST_OVERLAP
    plain = scores.strata is None and scores.weights is None
    model = regression = expected = None
    if columns.shape[1] and probe_data and not plain:
        model = fit_difficulty(columns, stratum_codes_of(scores), pool.numpy())
        unit = model.s_u2 + model.s_e2
        own = single_policy_variance(scores.masked(number)[pool.numpy()], families, model, pool.numpy())
        expected = expected_variance(chosen.numpy(), _weights(scores), model) * (own / unit if unit > 0 else 1.0)
    elif columns.shape[1] and probe_data:
        regression = fit_regression(columns, pool.numpy(), len(scores.items))
        expected = _two_phase_variance(regression, len(chosen), len(scores.items))
    return SuiteMetric(
        name=spec.name,
        low=spec.low,
        high=spec.high,
        higher_is_better=spec.higher_is_better,
        unit=spec.unit,
        binary=spec.binary,
        ratio=spec.ratio,
        model=None if model is None else _constants(model),
        within=None if model is None else model.d[:, 0].tolist(),
        between=None if model is None else model.d[:, 1].tolist(),
        regression=None if regression is None else _kept(regression, chosen),
        noise=run_noise(evidence, scores, number),
        expected_error=None if expected is None or not told else mean_mae(float(np.sqrt(expected))),
    )


def overlap(scores: np.ndarray, families: Sequence[Sequence[int]]) -> float:
    """Share of (item, family) cells with a score; where it is small, filled cells hide how much probes differ.

    Args:
        scores: [pool item, probe], NaN where invalid.
        families: Column numbers of each family.
    """
    known = ~np.isnan(scores)
    columns = [known[:, list(members)].any(axis=1) for members in families if known[:, list(members)].any()]
    return float(np.mean(columns)) if columns else 0.0


def stratum_codes_of(scores: ScoreMatrix) -> np.ndarray:
    """Stratum number of each item, int64 [item]; all 0 without strata."""
    labels = scores.strata or [""] * len(scores.items)
    return stratum_codes(labels).codes.numpy()


def _weights(scores: ScoreMatrix) -> np.ndarray:
    return np.ones(len(scores.items)) if scores.weights is None else scores.weights.numpy()


def _constants(model: DifficultyModel) -> MixedModel:
    return MixedModel(
        beta=(float(model.beta[0]), float(model.beta[1])),
        v_b=(float(model.v_b[0]), float(model.v_b[1])),
        s_u2=model.s_u2,
        s_e2=model.s_e2,
        within_variance=model.within_variance,
        between_variance=model.between_variance,
    )


def _kept(regression: ProbeRegression, chosen: Tensor) -> Regression:
    return Regression(
        slope=regression.slope,
        variance=regression.variance,
        correlation=regression.correlation,
        pool=regression.pool,
        scores=regression.scores[chosen.numpy()].tolist(),
    )


def _two_phase_variance(regression: ProbeRegression, k: int, items: int) -> float:
    """Error variance of a new policy's estimate: what probes explain is removed from the choice, not from the pool."""
    return two_phase(
        min(k, regression.pool),  # a refreshed suite may hold items that no probe has a score on
        regression.pool,
        items,
        variance=regression.variance,
        rho=regression.correlation,
        probes=regression.scores.shape[1],
    ).variance


def run_noise(evidence: Evidence, scores: ScoreMatrix, number: int) -> SuiteNoise | None:
    """Run noise from the probes' own repeats, else the benchmark's reference, else None."""
    repeats = scores.repeats[:, :, number].numpy()
    sd = pooled_noise(scores.repeat_variance[:, :, number].numpy().astype(float), repeats)
    if sd is not None:
        names = [name for column, name in enumerate(scores.policies) if (repeats[:, column] > 1).any()]
        return SuiteNoise(sd=sd, source=f"borrowed: repeats of {', '.join(names)}")
    reference = evidence.noise.get(scores.metrics[number].name)
    return None if reference is None else SuiteNoise(sd=reference.sd, source=reference.source)


def whole_values(scores: ScoreMatrix, harmonic: Sequence[HarmonicMetric], domain_metric: str) -> dict[str, float]:
    """One policy's value over all items it has, by metric, harmonic metric and domain.

    Args:
        scores: One policy.
        harmonic: Metrics that derive from two others.
        domain_metric: Metric that domains are means of.
    """
    weights = _weights(scores)
    values: dict[str, float] = {}
    for number, name in enumerate(scores.metric_names):
        column = scores.masked(number)[:, 0]
        known = ~np.isnan(column)
        if known.any():
            values[name] = float(np.average(column[known], weights=weights[known]))
        for domain, mask in scores.domains.items():
            inside = known & mask.numpy()
            if name == domain_metric and inside.any():
                values[domain] = float(np.average(column[inside], weights=weights[inside]))
    for rule in harmonic:
        a, b = values.get(rule.score), values.get(rule.success)
        if a is not None and b is not None:
            values[rule.name] = 2 / (1 / a + 1 / b) if min(a, b) > 0 else 0.0
    return values
