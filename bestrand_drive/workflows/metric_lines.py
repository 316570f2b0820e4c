"""The lines of an estimate: metrics, harmonic means and domains of one target on one suite."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch

from bestrand_drive.compression.estimation import (
    Estimate,
    MetricFrame,
    estimate,
    harmonic_at_zero,
    harmonic_mean,
    harmonic_noise,
    point_estimate,
    withheld,
)
from bestrand_drive.compression.estimators.sample import PointEstimate, Sample, ratio_weights
from bestrand_drive.compression.noise import Noise, pooled_noise
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.suite import Domain, Suite, SuiteMetric
from bestrand_drive.workflows.knowledge import item_weights, probe_knowledge, stratum_numbers

LEAST_DOMAIN = 8
"""Measured items below which a domain's estimate is withheld."""
NO_NOISE = "run noise is not known for this metric, so there is no interval for the policy"


@dataclass(frozen=True)
class _Part:
    """One metric on its way to a line."""

    metric: SuiteMetric
    point: PointEstimate
    noise: Noise | None
    runs: float
    line: Estimate


def metric_lines(suite: Suite, scores: ScoreMatrix, level: float) -> dict[str, Estimate]:
    """Estimates by name: metrics, then harmonic means, then domains.

    Args:
        suite: The suite.
        scores: One policy on all N items of the suite's benchmark, hidden outside the chosen items.
        level: Of the intervals.
    """
    parts = {metric.name: _part(suite, scores, number, level) for number, metric in enumerate(suite.metrics)}
    lines = {name: part.line if part else withheld(level, "not measured") for name, part in parts.items()}
    for rule in suite.harmonic:
        score, success = parts[rule.score], parts[rule.success]
        lines[rule.name] = _harmonic(score, success, level) if score and success else withheld(level, "not measured")
    return lines | {domain.name: _domain(suite, scores, domain, level) for domain in suite.domains}


def _part(suite: Suite, scores: ScoreMatrix, number: int, level: float) -> _Part | None:
    metric = suite.metrics[number]
    sample = _sample(suite, scores, number)
    if not len(sample.counted):
        return None
    point = point_estimate(sample, probe_knowledge(suite, metric))
    noise, runs = _noise(metric, scores, number), _runs(scores, number)
    line = estimate(point, _frame(metric, level), noise, runs, "" if noise else NO_NOISE)
    return _Part(metric, point, noise, runs, _with_coverage(line, point, suite))


def _frame(metric: SuiteMetric, level: float) -> MetricFrame:
    bounds = None if metric.low is None or metric.high is None else (metric.low, metric.high)
    return MetricFrame(bounds, metric.binary, level)


def _sample(suite: Suite, scores: ScoreMatrix, number: int, inside: frozenset[str] | None = None) -> Sample:
    """Values and weights of one metric, of the items of a domain when one is given."""
    values, weights = scores.masked(number)[:, 0], item_weights(suite)
    if suite.metrics[number].ratio:
        weights = ratio_weights(weights, scores.valid[:, 0, :].any(dim=1).numpy(), ~np.isnan(values))
    if inside is not None:
        weights = np.where([item.id in inside for item in suite.items], weights, 0.0)
    return Sample(values, weights, stratum_numbers(suite))


def _runs(scores: ScoreMatrix, number: int) -> float:
    """Runs that a measured value averages (harmonic mean over items: it divides a variance)."""
    repeats = scores.repeats[scores.valid[:, 0, number], 0, number].to(torch.float64)
    return float(1 / (1 / repeats).mean())


def _noise(metric: SuiteMetric, scores: ScoreMatrix, number: int) -> Noise | None:
    """The target's own repeats, else what the suite borrowed."""
    variance = scores.repeat_variance[:, 0, number].numpy().astype(float)
    own = pooled_noise(variance, scores.repeats[:, 0, number].numpy())
    if own is not None:
        return Noise(own, "own repeats")
    return None if metric.noise is None else Noise(metric.noise.sd, metric.noise.source)


def _harmonic(score: _Part, success: _Part, level: float) -> Estimate:
    point = harmonic_mean(score.point, success.point)
    if point.value <= 0:
        return harmonic_at_zero(score.line, success.line, point.method)
    noise = harmonic_noise(score.noise, success.noise, (score.point.value, success.point.value))
    frame = MetricFrame(_frame(score.metric, level).bounds, False, level)
    return estimate(point, frame, noise, score.runs, "" if noise else NO_NOISE)


def _domain(suite: Suite, scores: ScoreMatrix, domain: Domain, level: float) -> Estimate:
    metric = suite.metric(domain.metric)
    number = suite.metrics.index(metric)
    sample = _sample(suite, scores, number, frozenset(domain.items))
    count = len(sample.counted)
    if count < LEAST_DOMAIN:
        return withheld(level, f"{count} measured items test it, {LEAST_DOMAIN} are needed")
    point = point_estimate(sample, probe_knowledge(suite, metric))
    noise = _noise(metric, scores, number)
    line = estimate(point, _frame(metric, level), noise, _runs(scores, number), "" if noise else NO_NOISE)
    return _with_coverage(line, point, suite)


def _with_coverage(line: Estimate, point: PointEstimate, suite: Suite) -> Estimate:
    """At a bound, say what the interval was measured to be worth there, not its nominal level."""
    if not line.reason.startswith(("no failure", "no success")):
        return line
    near = min(suite.ceiling, key=lambda k: abs(int(k) - point.n), default=None)
    said = "how often the interval holds at a bound was not measured for this benchmark"
    if near is not None:
        held, cases = suite.ceiling[near]
        said = (
            f"in replays of real policies with no failure in {near} items the 95 % interval held in {held} of {cases}"
        )
    return replace(line, reason=f"{line.reason}; {said}")
