"""Variance components of differences, without forming a pair."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bestrand_drive.compression.difficulty import anova
from bestrand_drive.compression.estimators.blup import expected_variance
from bestrand_drive.compression.planning.components import (
    pair_components,
    residual_correlation,
    single_components,
    stratum_model,
)

STRATA = np.repeat(np.arange(6), 5)


def columns(policies: int = 5, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=30)
    own = rng.normal(size=(30, policies)) + rng.normal(size=(6, policies))[STRATA]
    found = shared[:, None] + own
    return found - found.mean(axis=0)


@pytest.mark.parametrize("families", [[[0], [1], [2], [3], [4]], [[0, 2], [1], [3, 4]]])
def test_pairs_by_brute_force(families):
    values = columns()
    where = {member: number for number, own in enumerate(families) for member in own}
    pairs = [(a, b) for a, b in combinations(range(5), 2) if where[a] != where[b]]
    parts = np.array([anova(values[:, a] - values[:, b], STRATA) for a, b in pairs])
    assert pair_components(values, STRATA, families) == pytest.approx(tuple(parts.mean(axis=0).clip(min=0)))


def test_one_family_has_no_pairs():
    assert pair_components(columns(), STRATA, [[0, 1, 2, 3, 4]]) is None


def test_singles():
    values = columns()
    parts = np.array([anova(column, STRATA) for column in values.T])
    assert single_components(values, STRATA) == pytest.approx(tuple(parts.mean(axis=0).clip(min=0)))


def test_the_model_of_one_stratum_is_simple_random_sampling():
    model = stratum_model((0.0, 3.0), np.zeros(20, dtype=np.int64))
    measured = np.array([1, 4, 9, 16, 2])
    assert expected_variance(measured, np.ones(20), model) == pytest.approx(3.0 * (1 / 5 - 1 / 20))


def test_what_errors_have_in_common():
    """Exchangeable columns inside strata: (rho - R1^2) / (1 - R1^2); one probe tells nothing, so all may be common."""
    rng = np.random.default_rng(3)
    strata = np.repeat(np.arange(50), 400)
    values = rng.normal(size=(20_000, 1)) + rng.normal(size=(20_000, 4)) + 5 * rng.normal(size=(50, 1))[strata]
    explained = 4 * 0.25 / 2.5  # p rho^2 / (1 + (p - 1) rho), rho = .5
    assert residual_correlation(values, strata) == pytest.approx((0.5 - explained) / (1 - explained), abs=0.02)
    assert residual_correlation(values[:, :1], strata) == 1.0
    apart = np.stack([rng.permutation(np.tile([-1.0, 1.0], 10_000)) for _ in range(2)], axis=1)
    assert 0.0 <= residual_correlation(apart * [1, -1], strata) < 0.05
