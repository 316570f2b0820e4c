"""Anchor points: medoids of items under the correlation of their histories, and lines from anchors to other items.

Source: Vivek, Ethayarajh, Yang and Kiela, Anchor Points (arXiv 2309.08638), on correctness as in benchpred 1.0.0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestrand_drive.compression.learned.columns import columns, covering
from bestrand_drive.compression.learned.threads import one_thread
from bestrand_drive.errors import UsageError

Array = np.ndarray

MOST_ITEMS = 12_000
"""Items above which all pairs (8 bytes each, twice) no longer fit a small machine."""


@dataclass(frozen=True)
class AnchorLines:
    """Lines that predict the items that are no anchors.

    Attributes:
        rest: int64 [other item], item numbers.
        anchor: int64 [other item], item number of each one's best anchor.
        slope: float64 [other item].
        intercept: float64 [other item], on the metric's own scale.
        weights: float64 [other item], what each counts.
    """

    rest: Array
    anchor: Array
    slope: Array
    intercept: Array
    weights: Array


def correlations(scores: Array) -> Array:
    """Correlation of every two columns over the models, [column, column]; 0 where a column is constant.

    Args:
        scores: float64 [model, column].

    Raises:
        UsageError: Too many columns for all pairs.
    """
    if (number := scores.shape[1]) > MOST_ITEMS:
        raise UsageError(f"Anchor points compare all pairs: {number} different items are more than {MOST_ITEMS}.")
    centred = scores - scores.mean(axis=0)
    spread = np.sqrt((centred**2).sum(axis=0))
    unit = centred / np.where(spread > 1e-9, spread, np.inf)
    return np.asarray(np.round(np.clip(unit.T @ unit, -1.0, 1.0), 12))  # ties stay ties whatever the order of sums


def anchors_of(distance: Array, of: Array, k: int, seed: int) -> Array:
    """``k`` medoids among positions that stand on columns: different positions, sorted.

    Beyond ``MOST_ITEMS`` positions the medoids must reach every column, which needs no distance.

    Args:
        distance: float64 [column, column].
        of: int64 [position], the column of each.
        k: Number.
        seed: Of the start, below 2^32.

    Raises:
        UsageError: Too many positions for all pairs, and more different ones than medoids.
    """
    if len(of) <= MOST_ITEMS:
        return medoids(distance[np.ix_(of, of)], k, seed)
    if (different := len(np.unique(of))) > k:
        raise UsageError(
            f"Anchor points compare all pairs of items: {len(of)} are more than the {MOST_ITEMS} that fit. "
            f"Beyond that k must be at least the number of items that the probes tell apart, {different}; it is {k}."
        )
    return covering(of, k, seed)


def medoids(distance: Array, k: int, seed: int) -> Array:
    """FasterPAM (Schubert and Rousseeuw) from a random start: ``k`` different positions, sorted.

    Args:
        distance: float64 [item, item].
        k: Number.
        seed: Of the start, below 2^32.
    """
    from kmedoids import fasterpam  # noqa: PLC0415  not before it is needed

    if k >= len(distance):
        return np.arange(len(distance))
    with one_thread():
        found = fasterpam(np.ascontiguousarray(distance), k, init="random", random_state=seed, n_cpu=1)
    kept = np.unique(np.asarray(found.medoids, dtype=np.int64))
    spare = np.setdiff1d(np.arange(len(distance)), kept)[: k - len(kept)]
    return np.sort(np.concatenate([kept, spare]))


def cluster_weights(likeness: Array, of: Array, weights: Array) -> Array:
    """Weight of the items nearest to each anchor, [anchor]; ties go to the earlier anchor.

    Args:
        likeness: float64 [anchor, column], the greater the nearer.
        of: int64 [item], the column of each.
        weights: float64 [item].
    """
    return np.bincount(_first_best(-likeness)[of], weights=weights, minlength=len(likeness))


def fit_lines(scores: Array, anchors: Array, weights: Array, low: float, width: float) -> AnchorLines:
    """Least-squares line of every other item on every anchor; each item keeps the one of least residual.

    A constant anchor predicts the item's mean.

    Args:
        scores: float64 [model, item] on the unit scale.
        anchors: int64 [k], item numbers.
        weights: float64 [item].
        low: Of the metric's scale.
        width: Of the metric's scale.
    """
    rest = np.setdiff1d(np.arange(scores.shape[1]), anchors)
    told = columns(scores[:, rest])
    centred, others = scores[:, anchors] - scores[:, anchors].mean(axis=0), told.scores - told.scores.mean(axis=0)
    shared = centred.T @ others
    spread = (centred**2).sum(axis=0)[:, None]
    slopes = shared / np.where(spread > 1e-9, spread, np.inf)
    best = _first_best((others**2).sum(axis=0) - slopes * shared)
    slope = slopes[best, np.arange(len(best))]
    intercept = told.scores.mean(axis=0) - slope * scores[:, anchors].mean(axis=0)[best]
    own = low + width * intercept - low * slope
    return AnchorLines(rest, anchors[best][told.of], slope[told.of], own[told.of], weights[rest])


def _first_best(losses: Array) -> Array:
    """Row of the least loss of every column, the first of those within rounding."""
    return np.asarray((losses <= losses.min(axis=0) + 1e-9).argmax(axis=0)) if losses.size else np.zeros(0, np.int64)
