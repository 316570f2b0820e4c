"""Anchors from k-means."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans

from bestrand_drive.compression.learned.clusters import central_items
from tests.compression.worlds import close


def test_well_separated_groups_give_their_centres_and_weights() -> None:
    points = np.concatenate([np.arange(-2, 3)[:, None] * 0.1 + centre for centre in (0.0, 10.0, 20.0)])
    weights = np.repeat([1.0, 2.0, 3.0], 5)
    chosen, share = central_items(points, weights, 3, 0, np.arange(15))
    order = np.argsort(chosen)
    assert chosen[order].tolist() == [2, 7, 12]
    close(share[order], [5.0, 10.0, 15.0])


def test_items_are_nearest_to_scikit_learn_s_centres() -> None:
    points = np.random.default_rng(0).normal(size=(80, 3))
    chosen, share = central_items(points, np.ones(80), 5, 3, np.arange(80))
    fit = KMeans(5, n_init="auto", random_state=3).fit(points)
    nearest = [int(((points - centre) ** 2).sum(axis=1).argmin()) for centre in fit.cluster_centers_]
    assert chosen.tolist() == nearest
    close(share, np.bincount(fit.labels_))


def test_what_is_not_allowed_is_not_chosen_and_twins_are_taken_once() -> None:
    points = np.zeros((6, 2))
    chosen, share = central_items(points, np.ones(6), 3, 0, np.array([1, 3, 5]))
    assert sorted(chosen.tolist()) == [1, 3, 5]
    close(share.sum(), 6.0)
