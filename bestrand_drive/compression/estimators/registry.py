"""The estimators by name, and the one call that applies them to targets measured on a selection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from bestrand_drive.compression.estimation import ProbeKnowledge, point_estimate
from bestrand_drive.compression.estimators.aipw import aipw
from bestrand_drive.compression.estimators.anchor_lines import anchor_lines
from bestrand_drive.compression.estimators.blup import blup
from bestrand_drive.compression.estimators.calibration import calibrated
from bestrand_drive.compression.estimators.expc import expc
from bestrand_drive.compression.estimators.poststratified import poststratified
from bestrand_drive.compression.estimators.prediction_powered import prediction_powered
from bestrand_drive.compression.estimators.response import gp_irt, p_irt
from bestrand_drive.compression.estimators.sample import Array, PointEstimate, Sample
from bestrand_drive.compression.estimators.source import Guess, Source
from bestrand_drive.compression.estimators.sparse_network import sparse_network
from bestrand_drive.compression.estimators.stratified import stratified_mean
from bestrand_drive.compression.selectors.base import Selection
from bestrand_drive.errors import Incomplete, UsageError, choices

Estimator = Callable[[Array, Selection, Source], list[Guess]]
"""``(values [k, target] with NaN where not measured, selection, source) -> one guess a target``."""


def guesses(name: str, values: Array, selection: Selection, source: Source) -> list[Guess]:
    """Estimate the full score of every target.

    A target that was measured on every item is not estimated: its value is its own mean.

    Args:
        name: Of the estimator; ``selection.estimator`` is the selector's own.
        values: float64 [k, target], one metric, in the order of ``selection.indices``; NaN where not measured.
        selection: The chosen items.
        source: Probe scores and which metric of them.

    Raises:
        UsageError: Unknown estimator, or one that this selection or these probes cannot serve.
        Incomplete: A target was measured on none of the chosen items.
    """
    if name not in ESTIMATORS:
        raise UsageError(f"--estimators {name}: known are {choices(name, ESTIMATORS)}")
    if bool(np.isnan(values).all(axis=0).any()):
        raise Incomplete("A target has no usable result on the chosen items, so nothing can be estimated.")
    found = [_within(guess, source) for guess in ESTIMATORS[name](values, selection, source)]
    known = ~np.isnan(values)
    seen = known if source.driven is None else source.driven
    whole = np.atleast_1d(seen.all(axis=0)) if len(values) == source.items else np.zeros(values.shape[1], dtype=bool)
    weights = source.weights[selection.indices.numpy()]
    return [
        _told(guess, float(np.average(column[inside], weights=weights[inside]))) if done else guess
        for guess, done, column, inside in zip(found, whole, values.T, known.T, strict=True)
    ]


def _told(guess: Guess, value: float) -> Guess:
    """The guess with another value, also in what an interval is made of."""
    return Guess(value, None if guess.point is None else replace(guess.point, value=value))


def _within(guess: Guess, source: Source) -> Guess:
    """The guess moved into the metric's bounds."""
    bounds = source.scores.metrics[source.metric].bounds
    return guess if bounds is None else replace(guess, value=float(np.clip(guess.value, *bounds)))


def _pointwise(rule: Callable[[Sample, Source], PointEstimate]) -> Estimator:
    """An estimator that takes one target's sample at a time; it knows which items a ratio metric counts."""

    def estimator(values: Array, selection: Selection, source: Source) -> list[Guess]:
        return [Guess.of(rule(sample, source)) for sample in source.samples(values, selection.indices.numpy())]

    return estimator


def _mean(sample: Sample, source: Source) -> PointEstimate:
    """Plain mean of the measured items, each with its weight in the benchmark; the variance is of a random draw."""
    alone = replace(sample, strata=np.zeros(source.items, dtype=np.int64))
    return replace(stratified_mean(alone), method="mean")


def _weighted(values: Array, selection: Selection, source: Source) -> list[Guess]:
    """Mean with the selector's own weights, over what was measured; plain where all weight is on missing items."""
    weights = np.where(np.isnan(values), 0.0, selection.weights.numpy()[:, None])
    plain = (~np.isnan(values)).astype(float)
    weights = np.where(weights.sum(axis=0) > 0, weights, plain)
    return [Guess(float(v)) for v in (weights * np.nan_to_num(values)).sum(axis=0) / weights.sum(axis=0)]


def _default(sample: Sample, source: Source) -> PointEstimate:
    """What a suite of ``bestrand compress`` uses: BLUP with strata or weights, exPC without."""
    columns = source.columns
    if not columns.shape[1]:
        return stratified_mean(sample)
    if source.scores.strata is None and source.scores.weights is None:
        return point_estimate(sample, ProbeKnowledge(regression=source.regression))
    return point_estimate(sample, ProbeKnowledge(model=source.difficulty))


def _blup(sample: Sample, source: Source) -> PointEstimate:
    model = source.difficulty
    return blup(sample, model) if model.s_u2 + model.s_e2 > 0 else stratified_mean(sample)


def _expc(sample: Sample, source: Source) -> PointEstimate:
    return expc(sample, source.regression)


def _exchangeable(sample: Sample, source: Source) -> PointEstimate:
    return expc(sample, source.regression, kappa=np.inf)


ESTIMATORS: Mapping[str, Estimator] = {
    "mean": _pointwise(_mean),
    "weighted": _weighted,
    "stratified": _pointwise(lambda sample, _: stratified_mean(sample)),
    "exchangeable": _pointwise(_exchangeable),
    "expc": _pointwise(_expc),
    "blup": _pointwise(_blup),
    "default": _pointwise(_default),
    "calibration": _pointwise(calibrated),
    "ppi": _pointwise(prediction_powered),
    "poststratified": _pointwise(poststratified),
    "aipw": _pointwise(aipw),
    "anchor-predictor": anchor_lines,
    "pirt": p_irt,
    "gpirt": gp_irt,
    "sparse-network": sparse_network,
}
