"""Axes have round ends that hold all values."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestrand_drive.reports.scales import round_scale

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8)


@given(VALUES)
def test_all_values_lie_inside_and_ticks_are_few(values):
    scale = round_scale(values)
    slack = 1e-9 * max(map(abs, (*values, 1.0)))
    assert scale.low <= min(values) + slack
    assert scale.high >= max(values) - slack
    assert 2 <= len(scale.ticks) <= 9
    assert all(0.0 <= scale.place(value) <= 1.0 for value in values)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8))
def test_an_axis_does_not_leave_the_bounds(values):
    scale = round_scale(values, 0.0, 100.0)
    assert scale.high - scale.low > 0
    if min(values) < max(values):
        assert (scale.low, scale.high) == (max(scale.low, 0.0), min(scale.high, 100.0))


@pytest.mark.parametrize(
    ("values", "ends", "step"),
    [
        ([82.9, 90.8], (82, 92), 2),
        ([0.4, 220], (0, 250), 50),
        ([math.nan], (0, 1), 0.2),
        ([5.0], (4, 6), 1),
        ([5e-324], (0, 0.2), 0.2),
    ],
)
def test_ends_and_steps_are_round(values, ends, step):
    scale = round_scale(values)
    assert (scale.low, scale.high) == pytest.approx(ends)
    assert scale.step == pytest.approx(step)
