"""Replays: choose a suite by probes and estimate other policies, many times, against their known scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Generator

from bestrand_drive.compression.difficulty import DifficultyModel, fit_difficulty
from bestrand_drive.compression.estimation import (
    Estimate,
    MetricFrame,
    ProbeKnowledge,
    estimate,
    harmonic_mean,
    point_estimate,
)
from bestrand_drive.compression.estimators.sample import PointEstimate, Sample, ratio_weights
from bestrand_drive.compression.pool import draw_pool
from bestrand_drive.compression.profiles import profiles
from bestrand_drive.compression.selectors.base import Selector
from bestrand_drive.compression.strata import stratum_codes
from bestrand_drive.scores.matrix import ScoreMatrix

LEVEL = 0.95


@dataclass(frozen=True)
class Arm:
    """One way to choose and estimate.

    Attributes:
        name: In tables.
        selector: Chooses.
        plain: Estimate by the plain mean of the measured items instead of the default estimator.
        pool_factor: n of the pool min(n k, N), or None for all items.
    """

    name: str
    selector: Selector
    plain: bool
    pool_factor: float | None = None


@dataclass(frozen=True)
class Case:
    """Targets with the probes that do not belong to their family.

    Attributes:
        family: Of the targets.
        probes: Scores of all other families.
        families: Policy numbers of each family among the probes.
        targets: Scores of this family's policies on the same items.
        harmonic: Name, score metric and success metric of each harmonic mean to report.
    """

    family: str
    probes: ScoreMatrix
    families: Sequence[Sequence[int]]
    targets: ScoreMatrix
    harmonic: Sequence[tuple[str, str, str]] = ()

    @property
    def metric_names(self) -> list[str]:
        """Metrics that are reported."""
        return [*self.targets.metric_names, *(name for name, _, _ in self.harmonic)]


@dataclass(frozen=True)
class Outcomes:
    """What happened over the seeds of one arm and size.

    Attributes:
        error: float64 [seed, target, metric], estimate minus truth; NaN where the target lacks the metric.
        covered: float64 [seed, target, metric], 1 where the run interval held the truth, 0 where not, NaN without one
            (plain means have none).
        flawless: bool [seed, target, metric], every measured value at the upper bound.
    """

    error: np.ndarray
    covered: np.ndarray
    flawless: np.ndarray


def replay(case: Case, arm: Arm, k: int, seeds: Sequence[int]) -> Outcomes:
    """Choose ``k`` items once a seed and estimate every target.

    Args:
        case: Probes and targets.
        arm: How.
        k: Size of the suite.
        seeds: One suite each.
    """
    truth = true_values(case)
    shape = (len(seeds), *truth.shape)
    error, covered = np.full(shape, np.nan), np.full(shape, np.nan)
    flawless = np.zeros(shape, dtype=bool)
    models: list[DifficultyModel] | None = None
    for row, seed in enumerate(seeds):
        generator = Generator().manual_seed(seed)
        every = torch.arange(len(case.probes.items))
        pool = draw_pool(every, k, arm.pool_factor, case.probes.strata, generator)
        visible = case.probes if len(pool) == len(every) else case.probes.hidden_outside(pool)
        chosen = arm.selector.select(visible, k, pool=pool, generator=generator).indices.numpy()
        if models is None or arm.pool_factor is not None:
            models = _models(case, visible, pool.numpy())
        for target in range(truth.shape[0]):
            for metric, line in enumerate(_lines(case, arm, models, chosen, target)):
                if line is None or line.value is None or np.isnan(truth[target, metric]):
                    continue
                error[row, target, metric] = line.value - truth[target, metric]
                flawless[row, target, metric] = line.reason.startswith("no failure")
                if line.run is not None and not arm.plain:
                    inside = line.run.low - 1e-9 <= truth[target, metric] <= line.run.high + 1e-9
                    covered[row, target, metric] = float(inside)
    return Outcomes(error, covered, flawless)


def true_values(case: Case) -> np.ndarray:
    """Each target's own mean over its non-missing items, float64 [target, metric]; harmonic means of those."""
    known = case.targets.valid.numpy()
    values = np.where(known, case.targets.values.to(torch.float64).numpy(), 0.0)
    count = known.sum(axis=0)
    means = np.where(count > 0, values.sum(axis=0) / np.maximum(count, 1), np.nan)
    names = case.targets.metric_names
    extra = []
    for _, score, success in case.harmonic:
        a, b = means[:, names.index(score)], means[:, names.index(success)]
        extra.append(np.where(np.minimum(a, b) > 0, 2 / (1 / np.maximum(a, 1e-9) + 1 / np.maximum(b, 1e-9)), 0.0))
    return np.column_stack([means, *extra]) if extra else means


def _models(case: Case, visible: ScoreMatrix, pool: np.ndarray) -> list[DifficultyModel]:
    """The difficulty model of each metric."""
    codes = stratum_codes(case.probes.strata or [""] * len(case.probes.items)).codes.numpy()
    columns = [profiles(visible.masked(name), case.families, pool) for name in case.targets.metric_names]
    return [fit_difficulty(block, codes, pool) for block in columns]


def _lines(
    case: Case, arm: Arm, models: Sequence[DifficultyModel], chosen: np.ndarray, target: int
) -> list[Estimate | None]:
    """Estimates of one target, in the order of ``Case.metric_names``; None where nothing was measured."""
    points = [_point(case, arm, models[metric], chosen, target, metric) for metric in range(len(models))]
    lines = [None if p is None else _line(p, case, metric) for metric, p in enumerate(points)]
    names = case.targets.metric_names
    for _, score, success in case.harmonic:
        a, b = points[names.index(score)], points[names.index(success)]
        lines.append(_harmonic_line(a, b) if a is not None and b is not None else None)
    return lines


def _harmonic_line(score: PointEstimate, success: PointEstimate) -> Estimate:
    return estimate(harmonic_mean(score, success), MetricFrame((0.0, 100.0), False, LEVEL), None, 1.0)


def _line(point: PointEstimate, case: Case, metric: int) -> Estimate:
    spec = case.targets.metrics[metric]
    return estimate(point, MetricFrame(spec.bounds, spec.binary, LEVEL), None, 1.0)


def _point(
    case: Case, arm: Arm, model: DifficultyModel, chosen: np.ndarray, target: int, metric: int
) -> PointEstimate | None:
    whole = case.targets.masked(metric)[:, target]
    values = np.full_like(whole, np.nan)
    values[chosen] = whole[chosen]
    weights = np.ones(len(values))
    if case.targets.metrics[metric].ratio:
        driven = np.zeros(len(values), dtype=bool)
        driven[chosen] = case.targets.valid[chosen, target, :].any(dim=1).numpy()
        weights = ratio_weights(weights, driven, ~np.isnan(values))
    sample = Sample(values, weights, model.strata)
    if not len(sample.counted):
        return None
    point = point_estimate(sample, ProbeKnowledge(model=model))
    if not arm.plain:
        return point
    return PointEstimate(**{**vars(point), "value": point.mean, "method": "mean"})
