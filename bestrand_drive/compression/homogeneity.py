"""How alike policies are: correlations over items, and which policies share more than the items' difficulty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from bestrand_drive.compression.theory import correlation_matrix, covariance_matrix

Array = np.ndarray
CUT = 0.8
"""Distance 1 - r below which policies are joined. On Bench2Drive's public results the known families join at .46 to
.73, the next pairs (which share a lab or a code base) at .85 and .87, all others at .88 and above."""
CHANCE = 3.0
"""Standard errors 1 / sqrt(N) that r must reach as well, so that few items make no families."""
LEAST_POLICIES = 4
"""With fewer, deviations from the items' means are each other's mirror images."""


def correlations(scores: Array) -> Array:
    """Correlation of every two policies over the items that both have.

    Args:
        scores: float [item, policy], NaN where missing.

    Returns:
        float64 [policy, policy]; NaN where two share no item, or where a policy has the same score everywhere.
    """
    return correlation_matrix(covariance_matrix(scores))


def item_centred(scores: Array) -> Array:
    """Scores less each policy's mean, then less each item's mean: float64 [item, policy].

    What is left is what a policy does unlike the others. Unrelated policies have r = -1/(M - 1) on the average.
    """
    own = scores - np.nanmean(scores, axis=0)
    known = ~np.isnan(own)
    means = np.where(known, own, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return np.asarray(own - means[:, None])


@dataclass(frozen=True)
class Families:
    """Policies joined by average linkage.

    Attributes:
        alike: float64 [policy, policy], mean over metrics of the correlation of item-centred scores.
        least: The r that a family's mean must exceed, both limits taken together.
        members: Policy numbers of each family of two or more, in order.
        joined: Mean r inside each family.
    """

    alike: Array
    least: float
    members: tuple[tuple[int, ...], ...]
    joined: tuple[float, ...]


def cluster(metrics: Sequence[Array], cut: float = CUT) -> Families:
    """Families by hierarchical clustering (average linkage) on 1 - r of item-centred scores.

    Args:
        metrics: One array [item, policy] a metric, NaN where missing.
        cut: Greatest distance at which two groups are joined.
    """
    policies, items = metrics[0].shape[1], len(metrics[0])
    alike = _mean([correlations(item_centred(scores)) for scores in metrics])
    least = max(1 - cut, CHANCE / np.sqrt(items))
    if policies < LEAST_POLICIES:
        return Families(alike, least, (), ())
    distance = np.where(np.isnan(alike), 2.0, 1 - alike)  # what cannot be compared is not joined
    np.fill_diagonal(distance, 0)
    tree = linkage(squareform((distance + distance.T) / 2, checks=False), "average")
    labels = fcluster(tree, 1 - least, "distance")
    groups = [np.flatnonzero(labels == label) for label in dict.fromkeys(labels.tolist())]
    found = [group for group in groups if len(group) > 1]
    inside = [float(np.nanmean(alike[np.ix_(group, group)][np.triu_indices(len(group), 1)])) for group in found]
    return Families(alike, least, tuple(tuple(group.tolist()) for group in found), tuple(inside))


def _mean(matrices: Sequence[Array]) -> Array:
    """Mean over the matrices that have a number there, NaN where none has."""
    stacked = np.stack(matrices)
    known = ~np.isnan(stacked)
    total = np.where(known, stacked, 0).sum(axis=0)
    return np.asarray(np.where(known.any(axis=0), total / np.maximum(known.sum(axis=0), 1), np.nan))
