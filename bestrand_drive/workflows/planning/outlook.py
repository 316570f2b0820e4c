"""What can be expected of one metric's estimates at every size: from the probes' scores, or from a suite alone.

The numbers are those behind ``expected_error`` of ``bestrand compress``, continued to every size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bestrand_drive.compression.difficulty import DifficultyModel, fit_difficulty, single_policy_variance
from bestrand_drive.compression.estimators.blup import expected_variance
from bestrand_drive.compression.estimators.expc import fit_regression
from bestrand_drive.compression.features import standardised_features
from bestrand_drive.compression.noise import Noise
from bestrand_drive.compression.planning.components import (
    pair_components,
    residual_correlation,
    single_components,
    stratum_model,
)
from bestrand_drive.compression.planning.laws import Design, Law, drawn_law, exchangeable_law, search_leftover
from bestrand_drive.compression.profiles import profiles
from bestrand_drive.compression.theory import covariance_matrix, mae_correlation, moments
from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.workflows.evidence.probe_models import LEAST_OVERLAP, overlap, stratum_codes_of

Array = np.ndarray
NO_SPREAD = "no probe's score varies over the items, so nothing is known of errors"
LEAST_POSITIVE = 0.8
"""Share of pairs of probes with positive covariance below which policies are not alike. Were they of two opposed kinds,
correlated by r within a kind and by -r across, the mean correlation would be r (2 share - 1): at this share the error
said of a suite that 5 probes guide is then 1 / .90 of the true one for r = .4, and below it soon beyond 1 / .88."""
NO_OVERLAP = "the probes overlap on too few items to tell how policies differ"


@dataclass(frozen=True)
class Outlook:
    """What is expected of one metric.

    Attributes:
        name: Of the metric.
        unit: In words.
        reason: Why nothing can be told; empty otherwise, and then all below is there.
        law: Error of an estimate about this run on all N items, by size.
        difference: Error of the estimated difference of two policies run on the same suite; without covariance.
        unaided: Law of a suite of which no probe was looked at, but with its strata; None when it is not known.
        random: Law of a simple random suite; None when it is not known.
        noise: Run noise of one item, or None.
        deviation: Standard deviation of a policy's scores over items, metric units; None when it is not known.
        correlation: Of two policies' scores; None when it cannot be told.
        doubt: Standard error of the predicted errors as a share of them, since few probes tell how much policies vary;
            None when a single one does, or when it is not known.
        notes: What the numbers take for granted, as sentences.
    """

    name: str
    unit: str
    reason: str = ""
    law: Law | None = None
    difference: Law | None = None
    unaided: Law | None = None
    random: Law | None = None
    noise: Noise | None = None
    deviation: float | None = None
    correlation: float | None = None
    doubt: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Way:
    """How a suite will be chosen and used.

    Attributes:
        selector: ``balanced``, ``bestrand`` or ``random``.
        estimator: ``default`` is what ``bestrand estimate`` does, ``mean`` the plain mean of a suite's scores.
        factor: n of the pool min(n k, N), None for all items.
        candidates: Random subsets judged.
        seed: Of draws over which variances are averaged.
        stratified: Whether the selector keeps to strata.
    """

    selector: str
    estimator: str
    factor: float | None
    candidates: int
    seed: int
    stratified: bool


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


def exchangeable_outlook(
    empty: Outlook,
    variance: float,
    correlation: float | None,
    *,
    probes: int,
    items: int,
    pool: int,
    factor: float | None,
    imbalance: float = 0.0,
) -> Outlook:
    """An outlook from two moments.

    Args:
        empty: Gives name, unit and noise.
        variance: Of one policy over items, metric units squared.
        correlation: Of two policies; None when a single probe tells none: then probes are no help, the errors of
            several targets may all be one, and the difference of two policies has twice the variance.
        probes: p that the choice or the estimate uses.
        items: N.
        pool: Most items that can be chosen.
        factor: n of the pool min(n k, N).
        imbalance: Left by the search.
    """
    rho = 0.0 if correlation is None else correlation
    notes = (
        () if correlation is None or rho > 0 else ("policies' scores are not positively related: probes are no guide",)
    )
    shared = 1.0 if correlation is None else rho  # the cautious end for several targets
    used = probes if rho > 0 else 0
    bare = exchangeable_law(variance, shared, probes=0, items=items)
    return replace(
        empty,
        law=exchangeable_law(variance, shared, probes=used, items=items, factor=factor, pool=pool, imbalance=imbalance),
        difference=exchangeable_law(2 * variance * (1 - rho), 0.0, probes=0, items=items, pool=pool),
        unaided=bare,
        random=bare,
        deviation=float(np.sqrt(variance)),
        correlation=correlation,
        notes=(*empty.notes, *notes),
    )


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


def with_opposed(empty: Outlook, columns: Array) -> Outlook:
    """The outlook with a note where policies are of opposed kinds, which laws of policies all alike do not know.

    Args:
        empty: Gives the name.
        columns: float64 [item, probe].
    """
    positive = moments(columns).positive
    if positive >= LEAST_POSITIVE:
        return empty
    note = (
        f"{empty.name}: {1 - positive:.0%} of the pairs of probes are not positively related: policies are not alike, "
        "and what is said of a suite that probes guide can be 40 % too large (docs/planner.md)"
    )
    return replace(empty, notes=(*empty.notes, note))


def _doubt(columns: Array) -> float | None:
    """Relative standard error of the root mean variance over policies: half of that of the mean, by the delta method.

    Args:
        columns: float64 [item, policy]; policies are taken for a random sample of those to come.
    """
    variances = columns.var(axis=0, ddof=1)
    if len(variances) < 2 or variances.mean() <= 0:
        return None
    return float(variances.std(ddof=1) / np.sqrt(len(variances)) / variances.mean() / 2)


def model_variance(model: DifficultyModel, weights: Array, scale: float) -> Callable[[Array, Array], float]:
    """The posterior variance under a model as a function of pool and measured items.

    Args:
        model: Fitted on all items that probes were measured on.
        weights: float64 [item].
        scale: By which a single policy varies more than the columns that the model was fitted on.
    """

    def variance(pool: Array, measured: Array) -> float:
        known = model
        if len(pool) < int(model.in_pool.sum()):
            inside = np.zeros(len(weights), dtype=bool)
            inside[pool] = True
            d = model.d.copy()
            d[~inside, 0] = 0.0
            known = replace(model, d=d, in_pool=inside & model.in_pool)
        return expected_variance(measured, weights, known) * scale

    return variance


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
