"""Laws of errors by size: the ends, the pool, and random subsets as the selectors draw them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch

from bestrand_drive.compression.planning.laws import (
    Design,
    drawn_law,
    equal_leftover,
    exchangeable_law,
    search_leftover,
)
from bestrand_drive.compression.theory.two_phase import leftover


def test_without_probes_it_is_the_variance_over_every_subset():
    """Every subset of 9 items, by brute force: variance and covariance of the errors of subset means."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(9, 2))
    scores[:, 1] += scores[:, 0]
    scores /= scores.std(axis=0)
    covariance = np.cov(scores, rowvar=False, bias=True)
    law = exchangeable_law(covariance[0, 0], covariance[0, 1] / covariance[0, 0], probes=0, items=9)
    for k in (1, 4, 9):
        errors = np.array([scores[list(s)].mean(axis=0) - scores.mean(axis=0) for s in combinations(range(9), k)])
        assert law(k).variance == pytest.approx((errors[:, 0] ** 2).mean(), abs=1e-12)
        assert law(k).covariance == pytest.approx((errors[:, 0] * errors[:, 1]).mean(), abs=1e-12)


@pytest.mark.parametrize("rho", [0.0, 0.4, 1.0])
def test_no_probes_and_a_whole_imbalance_are_the_same(rho):
    plain = exchangeable_law(2.0, rho, probes=0, items=50)
    nothing_won = exchangeable_law(2.0, rho, probes=5, items=50, imbalance=1.0)
    assert plain(10).variance == pytest.approx(nothing_won(10).variance)
    assert plain(10).covariance == pytest.approx(rho * plain(10).variance)


def test_a_small_pool_costs():
    whole = exchangeable_law(1.0, 0.5, probes=5, items=1000)
    pooled = exchangeable_law(1.0, 0.5, probes=5, items=1000, factor=2.0)
    assert whole(20).variance < pooled(20).variance < exchangeable_law(1.0, 0.5, probes=0, items=1000)(20).variance
    assert pooled(500).variance == pytest.approx(whole(500).variance)  # 2 k is all there is


def test_leftover_of_correlated_features():
    """Independent features are their number; one feature repeated is one; both ways agree on equal probes."""
    rng = np.random.default_rng(1)
    one = rng.normal(size=(4000, 1))
    assert search_leftover(np.repeat(one, 6, axis=1), 128) == pytest.approx(leftover(1, 128))
    apart = rng.normal(size=(200_000, 4))
    assert search_leftover(apart, 128) == pytest.approx(leftover(4, 128), rel=0.01)
    rho = 0.5
    alike = np.sqrt(rho) * rng.normal(size=(200_000, 1)) + np.sqrt(1 - rho) * apart
    assert search_leftover(alike, 128) == pytest.approx(equal_leftover(rho, 4, 128), rel=0.05)
    assert search_leftover(np.zeros((10, 2)), 128) == 1.0


def test_draws_are_the_selectors():
    strata = ["a"] * 6 + ["b"] * 4
    design = Design(strata, np.arange(10), None, seed=3)
    for pool, measured in design.drawn(5, count=20):
        assert list(pool) == list(range(10))
        assert (measured < 6).sum() == 3  # 6 x 5 / 10
        assert len(set(measured)) == 5
    free = Design(None, np.arange(2, 10), 2.0, seed=3)
    counts = np.zeros(10)
    for pool, measured in free.drawn(2, count=400):
        assert len(pool) == 4
        assert set(measured) <= set(pool)
        counts[measured] += 1
    assert counts[:2].sum() == 0
    assert counts[2:].min() > 60  # 100 expected; 60 is 4.6 standard deviations below


def test_draws_repeat_and_differ_by_size():
    design = Design(None, np.arange(30), None, seed=1)
    first, again = design.drawn(7), design.drawn(7)
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0][1], design.drawn(8)[0][1][:7])
    before = torch.get_rng_state()
    design.drawn(7)
    assert torch.equal(before, torch.get_rng_state())


def test_a_law_of_draws_is_their_mean():
    design = Design(None, np.arange(12), None, seed=2)
    law = drawn_law(lambda pool, measured: float(measured.sum()) + len(pool), design, correlation=0.25)
    wanted = np.mean([measured.sum() + 12 for _, measured in design.drawn(4)])
    assert law(4).variance == pytest.approx(wanted)
    assert law(4).correlation == pytest.approx(0.25)
