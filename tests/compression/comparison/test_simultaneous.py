"""The level of single intervals that hold together, against the studentised range; the leader drawn back."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bestrand_drive.compression.comparison.simultaneous import drawn_back, joint_level

ONE = np.zeros(60, dtype=np.int64)


def unrelated(policies: int, items: int = 60) -> np.ndarray:
    """Values [item, policy] whose covariance over items is just the unit matrix."""
    values = np.random.default_rng(policies).normal(size=(items, policies))
    return np.linalg.qr(values - values.mean(axis=0))[0]


@pytest.mark.parametrize(("policies", "df"), [(3, 59.0), (6, 59.0), (6, 8.0), (12, 30.0)])
def test_of_unrelated_policies_it_is_that_of_the_studentised_range(policies, df):
    """Tukey's method; 20,000 draws tell the level to about .0015 where it counts, in the tail."""
    bar = stats.studentized_range.ppf(0.95, policies, df) / np.sqrt(2)
    found = joint_level(unrelated(policies), ONE, df, 0.95, seed=0)
    assert 1 - found == pytest.approx(2 * stats.t.sf(bar, df), rel=0.08)


def test_one_pair_and_policies_that_do_not_differ_keep_their_level():
    assert joint_level(unrelated(2), ONE, 59.0, 0.9, 0) == 0.9
    alike = np.repeat(unrelated(2)[:, :1], 4, axis=1)
    assert joint_level(alike, ONE, 59.0, 0.9, 0) == 0.9


def test_copies_are_no_further_comparisons():
    """What rounding leaves of their difference, as noise that nothing else shares, was taken for one more."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        first = np.float64(np.float32(rng.normal(50, 20, 60)))
        values = np.stack([first, first, first + rng.normal(0, 5, 60)], axis=1)
        assert joint_level(values, ONE, 59.0, 0.95, 0) == pytest.approx(0.95, abs=0.005)


@pytest.mark.parametrize("size", [1.0, 1e-5, 1e-7, 1e-9])
def test_differences_are_told_apart_however_small_they_are(size):
    """Beside what the policies share, they were rounded away; the level of three pairs was below that of one."""
    shared = 20 * np.random.default_rng(1).normal(size=(60, 1)) + 50
    found = joint_level(shared + size * unrelated(3), ONE, 59.0, 0.95, 0)
    assert found == pytest.approx(joint_level(unrelated(3), ONE, 59.0, 0.95, 0), abs=2e-3)


def test_what_lies_between_strata_plays_no_part():
    """Here it would make all differences one: the more of it a policy has, the better it is by the same strata."""
    strata = np.repeat(np.arange(12), 5)
    effects = 9 * np.random.default_rng(0).normal(size=(12, 1)) * np.arange(5)
    values = unrelated(5)
    plain = joint_level(values, strata, 48.0, 0.95, 0)
    assert plain > 0.985
    assert joint_level(values + effects[strata], strata, 48.0, 0.95, 0) == pytest.approx(plain, abs=1e-3)
    assert joint_level(values + effects[strata], ONE, 48.0, 0.95, 0) < 0.96


def test_a_leader_is_drawn_back_by_what_is_error():
    assert drawn_back([1.0, 2.0, 3.0], 1.0) is None
    assert drawn_back([1.0, 1.0, 1.0, 1.0], 1.0) == [1.0] * 4
    kept = 1 - 1 / 3 * 0.5 / np.var([0, 0, 0, 4], ddof=1)
    assert drawn_back([0.0, 0.0, 0.0, 4.0], 0.5) == pytest.approx([1 - kept, 1 - kept, 1 - kept, 1 + 3 * kept])
    assert drawn_back([0.0, 0.1, 0.0, 0.1], 9.0) == pytest.approx([0.05] * 4)
