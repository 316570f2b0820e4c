"""Metric specifications."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bestrand_drive.errors import UsageError
from bestrand_drive.scores.metrics import MetricSpec, inside_bounds


def test_bounds_need_both_sides() -> None:
    assert MetricSpec("a", 0.0, 1.0).bounds == (0.0, 1.0)
    assert MetricSpec("a", low=0.0).bounds is None
    assert MetricSpec("a", high=1.0).bounds is None
    assert MetricSpec("a").bounds is None


@pytest.mark.parametrize(("low", "high"), [(1.0, 1.0), (2.0, 1.0), (0.0, 1e-300)])
def test_empty_bounds_are_refused(low: float, high: float) -> None:
    with pytest.raises(UsageError, match="empty"):
        MetricSpec("a", low, high)


@pytest.mark.parametrize(("low", "high"), [(float("nan"), 1.0), (None, float("nan")), (0.0, 1e19), (-math.inf, None)])
def test_bounds_that_are_no_numbers_are_refused(low: float | None, high: float | None) -> None:
    with pytest.raises(UsageError, match="no numbers up to"):
        MetricSpec("a", low, high)


def test_a_metric_needs_a_name() -> None:
    with pytest.raises(UsageError, match="name"):
        MetricSpec("")


def test_the_ends_are_inside_as_float32_keeps_them() -> None:
    """0.1 is kept as a number just above it: a value on the bound must not fall out by that."""
    values = np.array([-0.01, 0.0, 0.1, np.float64(np.float32(0.1)), 0.11])
    assert inside_bounds(values, 0.0, 0.1).tolist() == [False, True, True, True, False]
    assert inside_bounds(values, None, 0.1).tolist() == [True, True, True, True, False]
    assert inside_bounds(values, 0.1, None).tolist() == [False, False, True, True, True]
