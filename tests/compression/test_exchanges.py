"""Exchanges: brute force over all subsets says how few do; strata and domains are kept."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import torch

from bestrand_drive.compression import exchanges
from bestrand_drive.compression.exchanges import Ground, fewest_exchanges
from bestrand_drive.compression.imbalance import imbalance


def ground(seed: int, items: int = 10, kinds: int = 2, features: int = 2, weighted: bool = False) -> Ground:
    """A random pool."""
    rng = np.random.default_rng(seed)
    return Ground(
        features=rng.normal(size=(items, features)),
        weights=rng.integers(1, 4, items).astype(float) if weighted else np.ones(items),
        strata=np.arange(items) % kinds,
        guards=np.zeros((0, items), dtype=bool),
    )


def fewest(pool: Ground, subset: np.ndarray, level: float) -> int | None:
    """By trying every subset with the same strata counts that keeps the guards."""
    counts = np.bincount(pool.strata[subset], minlength=3)
    least = None
    held = [guard for guard in pool.guards if guard[subset].any()]
    for other in combinations(range(len(pool.features)), len(subset)):
        chosen = np.array(other)
        same = (np.bincount(pool.strata[chosen], minlength=3) == counts).all()
        if same and all(guard[chosen].any() for guard in held) and pool.distance(chosen) <= level:
            moved = len(set(subset.tolist()) - set(other))
            least = moved if least is None else min(least, moved)
    return least


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.7, 0.3, 0.1])
def test_no_fewer_do(seed, share, weighted):
    pool = ground(seed, weighted=weighted)
    subset = np.random.default_rng(seed + 100).choice(10, 4, replace=False)
    level = share * pool.distance(subset)
    found, truth = fewest_exchanges(pool, subset, level), fewest(pool, subset, level)
    assert found.proven
    assert (len(found.pairs) if found.reached else None) == truth
    assert found.reached is (found.distance <= level)


def test_that_nothing_can_be_exchanged_is_proven():
    pool = ground(0, items=6, kinds=3)
    found = fewest_exchanges(pool, np.arange(6), 1e-12)
    assert (found.pairs, found.reached, found.proven) == ((), True, True)
    alone = replace(pool, strata=np.array([0, 0, 0, 0, 1, 1]))
    found = fewest_exchanges(alone, np.arange(4), 0.0)
    assert (found.pairs, found.reached, found.proven) == ((), False, True)


def after(subset: np.ndarray, pairs: tuple[tuple[int, int], ...]) -> np.ndarray:
    """The subset after exchanges."""
    gone = {out for out, _ in pairs}
    return np.array(sorted((set(subset.tolist()) - gone) | {into for _, into in pairs}))


@pytest.mark.parametrize("seed", range(5))
def test_strata_counts_and_distances_are_kept_true(seed):
    pool = ground(seed, items=80, kinds=4, features=6, weighted=True)
    subset = np.random.default_rng(seed).choice(80, 20, replace=False)
    found = fewest_exchanges(pool, subset, 0.15 * pool.distance(subset))
    new = after(subset, found.pairs)
    assert len(new) == 20
    assert (np.bincount(pool.strata[new], minlength=4) == np.bincount(pool.strata[subset], minlength=4)).all()
    theirs = imbalance(
        torch.from_numpy(pool.features), torch.from_numpy(new)[None], weights=torch.from_numpy(pool.weights)
    )
    assert found.distance == pytest.approx(float(theirs[0]))
    assert found.reached


def test_a_domain_keeps_its_last_item():
    """Item 0 would be the best to go, but it is the only one of its domain; item 5 may take its place."""
    features = np.array([[9.0], [0.1], [0.2], [-0.1], [-0.2], [1.0], [0.0], [0.05]])
    guards = np.zeros((1, 8), dtype=bool)
    free = Ground(features, np.ones(8), np.zeros(8, dtype=int), guards)
    subset = np.array([0, 1, 2])
    assert fewest_exchanges(free, subset, 1.5).pairs[0][0] == 0
    guards = guards.copy()
    guards[0, [0, 5]] = True
    held = fewest_exchanges(Ground(features, np.ones(8), np.zeros(8, dtype=int), guards), subset, 0.9)
    assert (0, 5) in held.pairs
    assert fewest(Ground(features, np.ones(8), np.zeros(8, dtype=int), guards), subset, 0.9) == len(held.pairs)


def test_a_balanced_subset_stays():
    pool = ground(1)
    subset = np.arange(6)
    assert fewest_exchanges(pool, subset, pool.distance(subset)).pairs == ()


def test_pieces_of_any_size_give_the_same(monkeypatch):
    pool, subset = ground(3, items=60, kinds=3, features=4), np.arange(0, 60, 4)
    level = 0.1 * pool.distance(subset)
    whole = fewest_exchanges(pool, subset, level)
    monkeypatch.setattr(exchanges, "MOST_CELLS", 7)
    assert fewest_exchanges(pool, subset, level) == whole


def test_what_was_not_tried_is_not_called_proven(monkeypatch):
    pool, subset = ground(3, items=60, kinds=1, features=8), np.arange(0, 60, 4)
    level = 0.08 * pool.distance(subset)
    monkeypatch.setattr(exchanges, "MOST_COMBINATIONS", 10)
    found = fewest_exchanges(pool, subset, level)
    assert len(found.pairs) > 2
    assert not found.proven
