"""Anchors as the items nearest to the centres of weighted k-means, with the weight of their clusters."""

from __future__ import annotations

import warnings

import numpy as np

from bestrand_drive.compression.learned.threads import one_thread

Array = np.ndarray


def central_items(points: Array, weights: Array, k: int, seed: int, allowed: Array) -> tuple[Array, Array]:
    """Choose ``k`` different items that lie nearest to cluster centres.

    Two centres never share an item: the later one takes its nearest item that is left. A cluster that came out empty
    (fewer different points than k) has weight 0.

    Args:
        points: float64 [item, feature].
        weights: float64 [item], above 0.
        k: Number, at most the allowed items.
        seed: Of k-means' start.
        allowed: int64 [allowed item], which items may be chosen.

    Returns:
        Item numbers [k] and their clusters' weights [k], in the order of the centres.
    """
    from sklearn.cluster import KMeans  # noqa: PLC0415  slow to load

    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fewer different points than clusters is handled below
        found = KMeans(n_clusters=k, n_init="auto", random_state=seed).fit(points, sample_weight=weights)
    left = set(allowed.tolist())
    chosen = []
    for centre in found.cluster_centers_:
        candidates = np.array(sorted(left))
        nearest = int(candidates[((points[candidates] - centre) ** 2).sum(axis=1).argmin()])
        left.remove(nearest)
        chosen.append(nearest)
    return np.array(chosen, dtype=np.int64), np.bincount(found.labels_, weights=weights, minlength=k)
