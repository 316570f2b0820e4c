"""The outlook of one metric by what a suite keeps: enough for its own size and for others of the same benchmark."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bestrand_drive.compression.estimators.blup import expected_variance
from bestrand_drive.compression.noise import Noise
from bestrand_drive.compression.planning.laws import Design, Law, drawn_law
from bestrand_drive.compression.theory import HALF_NORMAL_MEAN, TwoPhase
from bestrand_drive.suite.schema import Suite, SuiteMetric
from bestrand_drive.workflows.estimating.knowledge import chosen_numbers, item_weights, probe_knowledge
from bestrand_drive.workflows.planning.outlook import (
    NO_OVERLAP,
    NO_SPREAD,
    Outlook,
    Way,
    exchangeable_outlook,
    model_variance,
    with_opposed,
)

NO_DATA = "the suite keeps no per-item figures of probes (none were given, or --no-probe-data)"

LEAST_ITEMS = 30
"""Chosen items from which the signs of the probes' covariances over them say something."""


def suite_outlook(suite: Suite, metric: SuiteMetric, way: Way) -> Outlook:
    """The outlook of one metric.

    Args:
        suite: Gives items, strata and what the probes told.
        metric: Of the suite.
        way: How the suite was chosen.
    """
    noise = Noise(metric.noise.sd, metric.noise.source) if metric.noise else None
    empty = Outlook(metric.name, metric.unit, noise=noise)
    if metric.model is None and metric.regression is None:
        return replace(empty, reason=NO_DATA)
    if metric.expected_error is None:
        return replace(empty, reason=NO_OVERLAP)
    pool = np.flatnonzero([item.in_pool for item in suite.items])
    kept = metric.regression
    if kept is None:
        return _stratified(empty, suite, metric, pool, way)
    if kept.variance <= 0:
        return replace(empty, reason=NO_SPREAD)
    probes, factor = len(kept.scores[0]), suite.choice.settings.get("pool_factor")
    enough = len(kept.scores) >= LEAST_ITEMS
    return exchangeable_outlook(
        with_opposed(empty, np.array(kept.scores)) if enough else empty,
        kept.variance,
        kept.correlation if probes > 1 else None,
        probes=probes,
        items=suite.n,
        pool=len(pool) if factor is None else suite.n,
        factor=None if factor is None else float(factor),
    )


def _stratified(empty: Outlook, suite: Suite, metric: SuiteMetric, pool: np.ndarray, way: Way) -> Outlook:
    """The difficulty model that the suite keeps, scaled so that the suite's own expected error comes out.

    How much two policies' errors have in common is not kept: of several targets the cautious end is taken, of the
    difference of two policies twice the variance of one.
    """
    model, weights = probe_knowledge(suite, metric).model, item_weights(suite)
    own = 0.0 if model is None else expected_variance(chosen_numbers(suite), weights, model)
    wanted = (metric.expected_error or 0.0) / HALF_NORMAL_MEAN
    if model is None or model.s_u2 + model.s_e2 <= 0 or (wanted <= 0 and suite.k < suite.n):
        return replace(empty, reason=NO_SPREAD)
    strata = [item.stratum or "" for item in suite.items] if way.stratified else None
    scale = wanted**2 / own if own > 0 else 1.0
    others = drawn_law(model_variance(model, weights, scale), Design(strata, pool, None, way.seed), 1.0)
    law = _with_own(others, suite.k, TwoPhase(wanted**2, wanted**2))
    return replace(
        empty,
        law=law,
        difference=lambda k: TwoPhase(2 * law(k).variance, 0.0),
        notes=("differences of two policies are taken for unrelated errors, since the suite keeps one policy's only",),
    )


def _with_own(others: Law, k: int, own: TwoPhase) -> Law:
    return lambda size: own if size == k else others(size)
