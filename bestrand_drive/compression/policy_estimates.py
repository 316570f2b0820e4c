"""All estimates of one policy: metrics, harmonic means, domains. The one path from scores on a suite to numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from bestrand_drive.compression.estimation import (
    Estimate,
    MetricFrame,
    ProbeKnowledge,
    clipped,
    estimate,
    point_estimate,
    withheld,
)
from bestrand_drive.compression.estimators.sample import PointEstimate, Sample, ratio_sample
from bestrand_drive.compression.harmonic import harmonic_at_zero, harmonic_mean, harmonic_noise, inside_parts
from bestrand_drive.compression.noise import Noise, pooled_noise
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec

LEAST_DOMAIN = 8
"""Measured items below which a domain's estimate is withheld."""
LEAST_REPEAT_FREEDOM = 20
"""Degrees of freedom below which a policy's own repeats do not tell its run noise."""
NO_NOISE = "run noise is not known for this metric, so there is no interval for the policy"


@dataclass(frozen=True)
class HarmonicRule:
    """A number that is the harmonic mean of two metrics."""

    name: str
    score: str
    success: str


@dataclass(frozen=True)
class DomainRule:
    """A number that is the mean of a metric over a part of the items (``inside``: bool [item])."""

    name: str
    metric: str
    inside: np.ndarray


@dataclass(frozen=True)
class Population:
    """What is known of the benchmark that the estimates are about.

    Attributes:
        strata: int64 [item], stratum numbers from 0.
        weights: float64 [item], what an item counts in the benchmark's mean.
        knowledge: By metric: what the probes tell; metrics without an entry have no probe data.
        noise: By metric: run noise to borrow when the policy's own repeats do not tell it.
        harmonic: Harmonic means to report.
        domains: Parts to report.
    """

    strata: np.ndarray
    weights: np.ndarray
    knowledge: Mapping[str, ProbeKnowledge] = field(default_factory=dict)
    noise: Mapping[str, Noise] = field(default_factory=dict)
    harmonic: Sequence[HarmonicRule] = ()
    domains: Sequence[DomainRule] = ()


@dataclass(frozen=True)
class _Part:
    """One metric on its way to a line."""

    frame: MetricFrame
    point: PointEstimate
    noise: Noise | None
    runs: float
    line: Estimate


def policy_estimates(scores: ScoreMatrix, population: Population, level: float) -> dict[str, Estimate]:
    """Estimates by name: metrics, then harmonic means, then domains.

    Args:
        scores: One policy on all N items, hidden outside the suite.
        population: The benchmark.
        level: Of the intervals.
    """
    parts = {spec.name: _part(scores, population, spec, level) for spec in scores.metrics}
    lines = {name: part.line if part else withheld(level, "not measured") for name, part in parts.items()}
    for rule in population.harmonic:
        score, success = parts[rule.score], parts[rule.success]
        lines[rule.name] = _harmonic(score, success) if score and success else withheld(level, "not measured")
    for domain in population.domains:
        spec = scores.metrics[scores.metric_index(domain.metric)]
        lines[domain.name] = _domain(scores, population, spec, domain, level)
    return lines


def _part(
    scores: ScoreMatrix, population: Population, spec: MetricSpec, level: float, inside: np.ndarray | None = None
) -> _Part | None:
    number = scores.metric_index(spec.name)
    values = scores.masked(number)[:, 0]
    weights = population.weights if inside is None else np.where(inside, population.weights, 0.0)
    sample = Sample(values, weights, population.strata)
    if spec.ratio:
        sample = ratio_sample(sample, scores.valid[:, 0, :].any(dim=1).numpy())
    if not len(sample.counted):
        return None
    frame = MetricFrame(spec.bounds, spec.binary, level, spec.higher_is_better)
    point = clipped(point_estimate(sample, population.knowledge.get(spec.name, ProbeKnowledge())), frame)
    noise, runs = _noise(scores, number, population.noise.get(spec.name))
    return _Part(frame, point, noise, runs, estimate(point, frame, noise, runs, "" if noise else NO_NOISE))


def _noise(scores: ScoreMatrix, number: int, borrowed: Noise | None) -> tuple[Noise | None, float]:
    """Run noise, and how many independent runs a measured value averages.

    The policy's own repeats tell it when they are many enough; repeats that agree exactly everywhere are copies of one
    run and count as one.
    """
    repeats = scores.repeats[:, 0, number]
    own = pooled_noise(scores.repeat_variance[:, 0, number].numpy().astype(float), repeats.numpy())
    if own == 0.0:
        return borrowed, 1.0
    runs = mean_runs(repeats[scores.valid[:, 0, number]])
    freedom = int((repeats - 1).clamp(min=0).sum())
    if own is not None and freedom >= LEAST_REPEAT_FREEDOM:
        return Noise(own, "own repeats"), runs
    return borrowed, runs


def mean_runs(repeats: Tensor) -> float:
    """Harmonic mean of the numbers of runs, int Tensor[measured item] (it divides a variance)."""
    return float(1 / (1 / repeats.to(torch.float64)).mean())


def _harmonic(score: _Part, success: _Part) -> Estimate:
    point = harmonic_mean(score.point, success.point)
    if point.value <= 0:
        return harmonic_at_zero(score.line, success.line, point.method)
    noise = harmonic_noise(score.noise, success.noise, (score.point.value, success.point.value))
    frame = MetricFrame(score.frame.bounds, False, score.frame.level)
    line = estimate(point, frame, noise, score.runs, "" if noise else NO_NOISE)
    return inside_parts(line, score.line, success.line)


def _domain(
    scores: ScoreMatrix, population: Population, spec: MetricSpec, domain: DomainRule, level: float
) -> Estimate:
    part = _part(scores, population, spec, level, domain.inside)
    count = part.point.n if part else 0
    if part is None or count < LEAST_DOMAIN:
        return withheld(
            level, f"{count} measured {'item tests' if count == 1 else 'items test'} it, {LEAST_DOMAIN} are needed"
        )
    return part.line
