"""What can be expected of one metric's estimates at every size, and how it follows from moments or a model.

The numbers are those behind ``expected_error`` of ``bestrand compress``, continued to every size.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bestrand_drive.compression.difficulty import DifficultyModel
from bestrand_drive.compression.estimators.blup import expected_variance
from bestrand_drive.compression.noise import Noise
from bestrand_drive.compression.planning.laws import Law, exchangeable_law
from bestrand_drive.compression.theory import moments

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
