"""The outlook of one metric by the probes' scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bestrand_drive.compression.difficulty import fit_difficulty, single_policy_variance
from bestrand_drive.compression.estimators.expc import fit_regression
from bestrand_drive.compression.features import standardised_features
from bestrand_drive.compression.noise import Noise
from bestrand_drive.compression.planning.components import (
    pair_components,
    residual_correlation,
    single_components,
    stratum_model,
)
from bestrand_drive.compression.planning.laws import Design, drawn_law, exchangeable_law, search_leftover
from bestrand_drive.compression.profiles import profiles
from bestrand_drive.compression.theory import covariance_matrix, mae_correlation
from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.workflows.evidence.probe_models import LEAST_OVERLAP, overlap, stratum_codes_of
from bestrand_drive.workflows.planning.outlook import (
    NO_OVERLAP,
    NO_SPREAD,
    Array,
    Outlook,
    Way,
    exchangeable_outlook,
    model_variance,
    with_opposed,
)


def metric_outlook(
    scores: ScoreMatrix, number: int, families: Sequence[Sequence[int]], pool: Array, way: Way, noise: Noise | None
) -> Outlook:
    """The outlook of one metric by the probes' scores.

    Args:
        scores: Of the probes.
        number: Of the metric.
        families: Policy numbers of each family, copies with their original.
        pool: int64 [item], items with a score of any probe.
        way: How the suite will be chosen.
        noise: Run noise, or None.

    Raises:
        UsageError: No prediction is made for this selector with this estimator.
    """
    spec = scores.metrics[number]
    values = scores.masked(number)
    empty = Outlook(spec.name, spec.unit, noise=noise)
    columns = profiles(values, families, pool)
    if not columns.shape[1] or overlap(values[pool], families) < LEAST_OVERLAP:
        return replace(empty, reason=NO_OVERLAP)
    if float(np.var(columns, axis=0).max()) <= 1e-12 * max(float(np.nanmax(values**2)), 1e-12):
        return replace(empty, reason=NO_SPREAD)
    plain = scores.strata is None and scores.weights is None
    if plain or way.estimator == "mean":
        return _exchangeable(empty, scores, columns, pool, way)
    return _stratified(empty, scores, number, families, columns, pool, way)


def _exchangeable(empty: Outlook, scores: ScoreMatrix, columns: Array, pool: Array, way: Way) -> Outlook:
    """Policies that are all alike: items without strata, or the published method, which takes no notice of them."""
    if way.estimator == "mean" and (way.stratified or scores.weights is not None):
        raise UsageError(
            "--estimator mean: no prediction with strata or groups; leave it out, or take --selector bestrand."
        )
    items, probes = len(scores.items), columns.shape[1]
    known = fit_regression(columns, pool, items)
    by_search = way.estimator == "mean" and way.selector == "bestrand"
    helped = way.estimator == "default" or way.selector != "random"
    found = exchangeable_outlook(
        replace(with_opposed(empty, columns), doubt=_doubt(columns)),
        known.variance,
        known.correlation if probes > 1 else None,
        probes=probes if helped else 0,
        items=items,
        pool=len(pool),
        factor=way.factor if helped else None,
        imbalance=search_leftover(standardised_features([columns], [1.0]).numpy(), way.candidates)
        if by_search
        else 0.0,
    )
    if probes > 1 and (not helped or known.correlation <= 0):  # else what probes leave is as models alike have it
        together = mae_correlation(covariance_matrix(columns))
        return replace(found, law=exchangeable_law(known.variance, together, probes=0, items=items))
    return found


def _stratified(
    empty: Outlook,
    scores: ScoreMatrix,
    number: int,
    families: Sequence[Sequence[int]],
    columns: Array,
    pool: Array,
    way: Way,
) -> Outlook:
    """Strata or groups: the posterior variance of the difficulty model, as ``bestrand estimate`` uses it."""
    strata = stratum_codes_of(scores)
    weights = np.ones(len(strata)) if scores.weights is None else scores.weights.numpy()
    values = scores.masked(number)[pool]
    model = fit_difficulty(columns, strata, pool)
    residual, unit = single_policy_variance(values, families, model, pool), model.s_u2 + model.s_e2
    kept = _single_families(scores, values, families)
    single = profiles(scores.masked(number), [[member] for own in kept for member in own], pool)
    pairs = pair_components(single, strata[pool], _places(kept))
    design = Design(scores.strata if way.stratified else None, pool, way.factor, way.seed)
    bare = Design(scores.strata, np.arange(len(strata)), None, way.seed)
    rest = residual_correlation(columns, strata[pool])
    law = drawn_law(model_variance(model, weights, residual / unit if unit > 0 else 1.0), design, rest)
    twice = drawn_law(lambda p, s: 2 * law(len(s)).variance, design, 0.0)
    apart = None if pairs is None else model_variance(stratum_model(pairs, strata), weights, 1.0)
    alone = model_variance(stratum_model(single_components(single, strata[pool]), strata), weights, 1.0)
    variance = float(single.var(axis=0, ddof=1).mean())
    return replace(
        with_opposed(empty, columns),
        law=law,
        difference=twice if apart is None else drawn_law(apart, design, 0.0),
        unaided=drawn_law(alone, bare, 1.0),
        random=exchangeable_law(variance, 1.0, probes=0, items=len(strata)),
        deviation=float(np.sqrt(variance)),
        doubt=_doubt(single),
        correlation=None if columns.shape[1] < 2 else fit_regression(columns, pool, len(strata)).correlation,
    )


def _doubt(columns: Array) -> float | None:
    """Relative standard error of the root mean variance over policies: half of that of the mean, by the delta method.

    Args:
        columns: float64 [item, policy]; policies are taken for a random sample of those to come.
    """
    variances = columns.var(axis=0, ddof=1)
    if len(variances) < 2 or variances.mean() <= 0:
        return None
    return float(variances.std(ddof=1) / np.sqrt(len(variances)) / variances.mean() / 2)


def _single_families(scores: ScoreMatrix, values: Array, families: Sequence[Sequence[int]]) -> list[list[int]]:
    """The families without copies and without policies that have no score; values: [pool item, policy]."""
    copies = scores.copies()
    known = (~np.isnan(values)).any(axis=0)
    kept = [[one for one in own if known[one] and scores.policies[one] not in copies] for own in families]
    return [own for own in kept if own]


def _places(families: Sequence[Sequence[int]]) -> list[list[int]]:
    """Columns of each family when its members stand one after the other."""
    ends = np.cumsum([len(own) for own in families])
    return [list(range(end - len(own), end)) for end, own in zip(ends.tolist(), families, strict=True)]
