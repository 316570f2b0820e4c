"""Differences that a paired t test finds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bestrand_drive.compression.planning.differences import detectable_ratio, smallest_difference


@pytest.mark.parametrize("k", [2, 3, 10, 60])
def test_the_power_is_eighty_percent(k):
    """By 20,000 experiments: standard error .3 %; spread 5, so that the standard error of the mean is 5 / sqrt(k)."""
    rng = np.random.default_rng(k)
    truth = smallest_difference(25.0 / k, k)
    assert truth is not None
    draws = truth + 5.0 * rng.normal(size=(20_000, k))
    found = stats.ttest_1samp(draws, 0.0, axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.015)


def test_many_items_need_2_8_standard_errors():
    normal = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert detectable_ratio(10_000) == pytest.approx(normal)
    assert detectable_ratio(399) == pytest.approx(normal, rel=0.005)
    assert detectable_ratio(1) > detectable_ratio(2) > detectable_ratio(10) > normal


def test_ends():
    assert smallest_difference(0.0, 1) == 0.0
    assert smallest_difference(1.0, 1) is None
