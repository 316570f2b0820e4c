"""All lines of a comparison: metrics, then harmonic means, then domains. The one path from two policies to numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bestrand_drive.compression.comparison.linear import linear_estimator
from bestrand_drive.compression.comparison.results import NOT_MEASURED, MetricDifference
from bestrand_drive.compression.comparison.sides import Measured, measured
from bestrand_drive.compression.comparison.variance import Frame, RunNoise, paired_difference
from bestrand_drive.compression.estimation import Estimate, ProbeKnowledge
from bestrand_drive.compression.estimators.sample import Array, Sample
from bestrand_drive.compression.policy_estimates import (
    DomainRule,
    HarmonicRule,
    Population,
    policy_estimates,
)
from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec

OWN_REPEATS = "own repeats"


@dataclass(frozen=True)
class Pair:
    """Two policies on the same items.

    Attributes:
        baseline: One policy on all N items, hidden outside the paired items.
        candidate: The other, valid where the baseline is but for ratio metrics.
        population: The benchmark.
        level: Of the intervals.
    """

    baseline: ScoreMatrix
    candidate: ScoreMatrix
    population: Population
    level: float


@dataclass(frozen=True)
class _Terms:
    """The items' differences of one line, linearised where needed, with both sides' noise; [item], NaN not measured."""

    frame: Frame
    differences: Array
    sides: tuple[Measured, Measured]


def metric_differences(pair: Pair) -> dict[str, MetricDifference]:
    """Lines by name, in the order of ``policy_estimates``.

    The estimates of both sides are those of ``policy_estimates`` on the paired items. A metric's difference is that of
    the two, but where an estimate had to be moved into the metric's bounds: the difference is not.
    """
    return {name: _judged(*stated) for name, stated in _stated(pair).items()}


def side_values(pair: Pair, name: str) -> tuple[Frame, Array, Array]:
    """Where a line's items were measured, and what each side has on them, linearised where needed, [used item].

    Raises:
        UsageError: The line is withheld, for the reason given.
    """
    line, terms, _ = _stated(pair)[name]
    if terms is None:
        raise UsageError(f"{name}: {line.reason}.")
    used = terms.frame.estimator.used
    return terms.frame, terms.sides[0].values[used], terms.sides[1].values[used]


_Stated = tuple[MetricDifference, _Terms | None, float | None]
"""A line, its items' differences (None when withheld), and the difference itself where it is not linear in them."""


def _stated(pair: Pair) -> dict[str, _Stated]:
    sides = [policy_estimates(one, pair.population, pair.level) for one in (pair.baseline, pair.candidate)]
    lines = {spec.name: _metric(pair, spec, sides) for spec in pair.baseline.metrics}
    for rule in pair.population.harmonic:
        lines[rule.name] = _harmonic(pair, rule, sides)
    for domain in pair.population.domains:
        lines[domain.name] = _domain(pair, domain, sides)
    return lines


def _metric(pair: Pair, spec: MetricSpec, sides: list[dict[str, Estimate]]) -> _Stated:
    line = _line(pair, spec, spec.name, sides)
    if line.reason:
        return line, None, None
    if spec.ratio:
        return line, _ratio(pair, spec, line), _between(line)
    return line, _plain(pair, spec), None


def _harmonic(pair: Pair, rule: HarmonicRule, sides: list[dict[str, Estimate]]) -> _Stated:
    """By the delta method: each side's item values times the gradient of its own harmonic mean."""
    specs = [pair.baseline.metrics[pair.baseline.metric_index(name)] for name in (rule.score, rule.success)]
    line = _line(pair, specs[0], rule.name, sides)
    if line.reason:
        return line, None, None
    if not (line.baseline and line.candidate):
        return replace(line, reason="a part is zero on a side: no gradient there"), None, None
    score, success = (_plain(pair, spec) for spec in specs)
    linear = []
    for number, whole in enumerate((line.baseline, line.candidate)):
        parts = [sides[number][name].value or 0.0 for name in (rule.score, rule.success)]
        slopes = [whole**2 / 2 / part**2 for part in parts]
        linear.append(_weighted(score.sides[number], success.sides[number], slopes))
    frame = replace(score.frame, reference=None)
    return line, _Terms(frame, linear[1].values - linear[0].values, (linear[0], linear[1])), _between(line)


def _domain(pair: Pair, domain: DomainRule, sides: list[dict[str, Estimate]]) -> _Stated:
    spec = pair.baseline.metrics[pair.baseline.metric_index(domain.metric)]
    line = _line(pair, spec, domain.name, sides)
    if line.reason:
        return line, None, None
    return line, _plain(pair, spec, domain.inside), None


def _line(pair: Pair, spec: MetricSpec, name: str, sides: list[dict[str, Estimate]]) -> MetricDifference:
    """The line without its difference; with a reason where a side has no estimate."""
    baseline, candidate = (side[name] for side in sides)
    reason = next((one.reason for one in (baseline, candidate) if one.value is None), "")
    return MetricDifference(
        name=name,
        unit=spec.unit,
        higher_is_better=spec.higher_is_better,
        baseline=baseline.value,
        candidate=candidate.value,
        paired=None,
        level=pair.level,
        noise_source=NOT_MEASURED,
        runs=(1.0, 1.0),
        reason=reason,
    )


def _between(line: MetricDifference) -> float:
    return (line.candidate or 0.0) - (line.baseline or 0.0)


def _plain(pair: Pair, spec: MetricSpec, inside: Array | None = None) -> _Terms:
    number = pair.baseline.metric_index(spec.name)
    baseline, candidate = measured(pair.baseline, number), measured(pair.candidate, number)
    differences = candidate.values - baseline.values
    weights = pair.population.weights
    sample = Sample(differences, weights if inside is None else np.where(inside, weights, 0.0), pair.population.strata)
    return _Terms(_frame(pair, spec, sample), differences, (baseline, candidate))


def _frame(pair: Pair, spec: MetricSpec, sample: Sample) -> Frame:
    borrowed = pair.population.noise.get(spec.name)
    known = pair.population.knowledge.get(spec.name, ProbeKnowledge())
    return Frame(
        sample=sample,
        estimator=linear_estimator(sample, known),
        range=None if spec.bounds is None else spec.bounds[1] - spec.bounds[0],
        reference=None if borrowed is None else 2 * borrowed.sd**2,
    )


def _ratio(pair: Pair, spec: MetricSpec, line: MetricDifference) -> _Terms:
    """A mean over the items that logged the metric, each side its own: ``l (y - R) / mean l`` item by item."""
    number = pair.baseline.metric_index(spec.name)
    driven = [one.valid[:, 0, :].any(dim=1).numpy() for one in (pair.baseline, pair.candidate)]
    both = driven[0] & driven[1]
    linear = []
    for one, whole in zip((pair.baseline, pair.candidate), (line.baseline or 0.0, line.candidate or 0.0), strict=True):
        side = measured(one, number)
        logged = ~np.isnan(side.values)
        share = float(logged[both].mean())
        values = np.where(both, np.where(logged, side.values - whole, 0.0) / share, np.nan)
        noise = None if side.noise is None else np.where(both, np.where(logged, side.noise, 0.0) / share**2, np.nan)
        linear.append(replace(side, values=values, noise=noise))
    differences = linear[1].values - linear[0].values
    sample = Sample(differences, pair.population.weights, pair.population.strata)
    return _Terms(_frame(pair, spec, sample), differences, (linear[0], linear[1]))


def _weighted(first: Measured, second: Measured, slopes: list[float]) -> Measured:
    """A linear combination; the two noises are taken as fully correlated, which can only widen."""
    noise = None
    if first.noise is not None and second.noise is not None:
        noise = (slopes[0] * np.sqrt(first.noise) + slopes[1] * np.sqrt(second.noise)) ** 2
    return Measured(
        values=slopes[0] * first.values + slopes[1] * second.values,
        noise=noise,
        df=min(first.df, second.df),
        runs=min(first.runs, second.runs),
        lacking=first.lacking or second.lacking,
    )


def _judged(line: MetricDifference, terms: _Terms | None, value: float | None) -> MetricDifference:
    if terms is None:
        return line
    used = terms.frame.estimator.used
    found = paired_difference(terms.frame, terms.differences[used], _noise(terms, used), value)
    baseline, candidate = terms.sides
    lacks = [
        f"{name}: {one.lacking}" for name, one in (("baseline", baseline), ("candidate", candidate)) if one.lacking
    ]
    return replace(
        line,
        paired=found,
        noise_source=f"{NOT_MEASURED} ({'; '.join(lacks)})" if lacks else OWN_REPEATS,
        runs=(baseline.runs, candidate.runs),
        reason="one paired item carries no interval" if found.n < 2 else "",
    )


def _noise(terms: _Terms, used: Array) -> RunNoise | None:
    parts = [(side.noise[used], side.df) for side in terms.sides if side.noise is not None]
    if len(parts) < 2:
        return None
    counts = terms.frame.sample.weights[used] > 0
    return RunNoise(
        items=np.asarray(parts[0][0] + parts[1][0]),
        parts=tuple((float(noise[counts].mean()), df) for noise, df in parts),
    )
