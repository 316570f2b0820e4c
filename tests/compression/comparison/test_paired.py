"""Intervals, p-values and plans of a difference agree with each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from bestrand_drive.compression.comparison.paired import PairedDifference, VarianceParts


def paired(
    value: float = -6.0, variance: float = 9.0, size: float | None = 100.0, share: float = 0.2, n: int = 77
) -> PairedDifference:
    parts = VarianceParts(0.0, variance, variance * n, None, variance * n / 2)
    return PairedDifference(value, variance, 40.0, n, 220.0, parts, size, share, "blup")


@pytest.mark.parametrize("size", [None, 100.0, 30.0])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_the_p_value_is_one_less_the_level_at_the_ends(size, level):
    found = paired(size=size)
    around = found.interval(level)
    for end in (around.low, around.high):
        assert found.p_value(end) == pytest.approx(1 - level, abs=2e-4)
    assert found.p_value(found.value) == pytest.approx(1.0)


def test_it_reaches_as_far_as_the_wider_of_its_two_parts():
    t = stats.t.ppf(0.975, 40) * 3
    assert paired(size=None).interval(0.95).low == pytest.approx(-6 - t)
    around = paired().interval(0.95)
    assert around.low <= -6 - t + 1e-9
    assert around.high >= -6 + t - 1e-9


@pytest.mark.parametrize("n", [2, 22, 220])
def test_it_never_collapses_for_bounded_metrics(n):
    same = paired(value=0.0, variance=0.0, share=0.0, n=n)
    around = same.interval(0.95)
    assert around.low < -1.5
    assert around.high > 1.5
    assert same.detectable() > around.high
    assert same.p_value() == 1.0


def test_it_ends_where_no_two_policies_can_differ_by_more():
    """Of two items with one a full loss: half the mass of t lies where nothing is."""
    wide = paired(value=-50.0, variance=2500.0, n=2)
    assert wide.interval(0.95).low < -100
    inside = replace(wide, range=100.0)
    assert inside.interval(0.95).low == -100
    assert inside.interval(0.95).high == wide.interval(0.95).high
    assert replace(paired(), range=100.0).interval(0.95) == paired().interval(0.95)
    beyond = replace(paired(value=-104.0, variance=1.0, size=None), range=100.0).interval(0.95)
    assert (beyond.low, beyond.high) == (-100, -100)


@pytest.mark.parametrize("variance", [0.0, 1e-13])
def test_rounding_of_equal_differences_is_no_evidence(variance):
    """Two items differ by -20 of 100 on both, but for the last digit of float32."""
    same = replace(paired(value=-20.0 + 1e-7, variance=variance, size=20.0, share=1.0, n=2), range=100.0)
    assert same.interval(0.95).high > 0
    assert same.detectable() > 10
    assert replace(same, n=40).interval(0.95).high < -10


def test_a_size_that_sees_nothing_says_so():
    assert replace(paired(variance=2500.0), range=100.0).sees_nothing()
    assert not replace(paired(), range=100.0).sees_nothing()
    assert not paired(variance=2500.0, size=None).sees_nothing()


def test_one_item_has_no_interval():
    found = paired(n=1)
    assert (found.interval(0.95), found.p_value(), found.detectable()) == (None, None, None)


def test_what_is_detectable_is_found_in_eight_of_ten():
    found = paired(size=None)
    shift = found.detectable(0.9)
    rng = np.random.default_rng(0)
    values = shift + 3 * rng.normal(size=40_000)
    errors = 3 * np.sqrt(rng.chisquare(40, 40_000) / 40)
    bar = stats.t.ppf(0.95, 40)
    assert np.mean(np.abs(values) > bar * errors) == pytest.approx(0.8, abs=0.01)


def test_more_items_and_more_runs_are_found_by_trying_all():
    base = paired(size=None)
    goal = 0.75 * base.detectable()
    items = base.items_to_detect(goal)
    assert items == next(n for n in range(77, 221) if base.with_items(n).detectable() <= goal)
    repeats = base.repeats_to_detect(0.9 * base.detectable())
    assert repeats == next(m for m in range(1, 65) if base.with_repeats(m).detectable() <= 0.9 * base.detectable())
    assert base.items_to_detect(0.01) is None
    assert base.repeats_to_detect(0.01) is None


def test_noise_that_nobody_knows_gives_no_plan_of_repeats():
    found = paired()
    unknown = replace(found, parts=replace(found.parts, reference=None))
    assert unknown.repeats_to_detect(50.0) is None


def test_known_parts_shrink_each_in_their_way():
    parts = VarianceParts(6.0, 3.0, 700.0, 231.0)
    found = PairedDifference(-6.0, 9.0, 40.0, 77, 220.0, parts, None, 1.0, "blup")
    assert found.with_repeats(3).variance == pytest.approx(7.0)
    assert found.with_items(220).variance == pytest.approx(3.0 * 77 / 220)
    assert found.with_items(77).variance == pytest.approx(9.0)
