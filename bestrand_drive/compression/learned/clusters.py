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
    chosen = _nearest(points, found.cluster_centers_, np.sort(allowed))
    return chosen, np.bincount(found.labels_, weights=weights, minlength=k)


def _nearest(points: Array, centres: Array, left: Array) -> Array:
    """Each centre's nearest item of those that no earlier centre took, [centre]; ties go to the first item."""
    chosen = np.empty(len(centres), dtype=np.int64)
    near, taken = points[left], np.zeros(len(left), dtype=bool)
    for number, centre in enumerate(centres):
        distance = ((near - centre) ** 2).sum(axis=1)
        distance[taken] = np.inf
        best = int(distance.argmin())
        chosen[number], taken[best] = left[best], True
        if number % 1000 == 999:  # no distance is spent on items that are taken
            left, near, taken = left[~taken], near[~taken], np.zeros(int((~taken).sum()), dtype=bool)
    return chosen
