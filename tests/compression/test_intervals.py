"""Wilson with effective sample size and Student's t, against the slow reference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bestrand_drive.compression.estimators.sample import PointEstimate
from bestrand_drive.compression.intervals import Interval, interval
from tests.compression import reference
from tests.compression.worlds import LIGHT, close

UNIT = st.floats(0, 1)
SIZES = st.integers(2, 200)
SPREAD = st.one_of(st.just(0.0), st.floats(1e-6, 0.3))


def point(
    value: float, *, variance: float = 0.01, spread2: float = 0.2, n: int = 20, population: int = 100, df: float = 19
) -> PointEstimate:
    """A bare estimate."""
    none = np.zeros(0)
    return PointEstimate(value, variance, df, n, spread2, none, none, float(population), n == population, "test")


@LIGHT
@given(UNIT, st.floats(0, 0.3), SPREAD, SIZES, st.integers(0, 300), st.booleans(), st.booleans())
def test_bounded_intervals_equal_the_reference(
    value: float, variance: float, spread2: float, n: int, rest: int, binary: bool, finite: bool
) -> None:
    items = n + rest if finite else None
    low, high = reference.wilson_neff(value, variance, spread2, n, items, n - 1, binary, 0.9)
    for bounds in ((0.0, 1.0), (0.0, 100.0), (-5.0, 3.0)):
        width = bounds[1] - bounds[0]
        case = point(bounds[0] + width * value, spread2=spread2 * width**2, n=n, population=n + rest, df=n - 1)
        found = interval(case, variance * width**2, 0.9, bounds, binary=binary, finite=finite)
        close([found.low, found.high], [bounds[0] + width * low, bounds[0] + width * high], rtol=1e-6, scale=1e3)


@LIGHT
@given(st.floats(-1e3, 1e3), st.floats(0, 1e3), SIZES, st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_unbounded_intervals_are_student_s(value: float, variance: float, n: int, level: float) -> None:
    found = interval(point(value, df=n - 1), variance, level, None, binary=False)
    half = stats.t.ppf(0.5 + level / 2, n - 1) * variance**0.5
    close([found.low, found.high, found.half_width], [value - half, value + half, half], scale=1e4)


@LIGHT
@given(UNIT, st.floats(0, 1), SPREAD, SIZES, st.integers(0, 300), st.booleans())
def test_bounded_intervals_hold_the_estimate_and_stay_inside(
    value: float, variance: float, spread2: float, n: int, rest: int, binary: bool
) -> None:
    case = point(value, spread2=spread2, n=n, population=n + rest, df=n - 1)
    found = interval(case, variance, 0.95, (0.0, 1.0), binary=binary)
    assert 0 <= found.low <= value + 1e-12
    assert value - 1e-12 <= found.high <= 1
    assert found.low < found.high


@LIGHT
@given(UNIT, st.floats(0, 0.1), st.floats(0, 0.1), SIZES, st.booleans())
def test_more_variance_and_more_confidence_never_narrow(
    value: float, variance: float, more: float, n: int, binary: bool
) -> None:
    case = point(value, n=n, df=n - 1)
    for bounds in (None, (0.0, 1.0)):
        narrow = interval(case, variance, 0.9, bounds, binary=binary)
        wide = interval(case, variance + more, 0.9, bounds, binary=binary)
        sure = interval(case, variance, 0.99, bounds, binary=binary)
        assert wide.half_width >= narrow.half_width - 1e-12
        assert sure.half_width >= narrow.half_width - 1e-12


@pytest.mark.parametrize(("value", "low", "high"), [(1.0, 0.8, 1.0), (0.0, 0.0, 0.2)])
def test_at_a_bound_the_interval_stays_open_inwards(value: float, low: float, high: float) -> None:
    """No failure in 22 of 220 items does not mean that there is none."""
    case = replace(point(value, spread2=0.0, n=22, population=220, df=21), variance=0.0)
    found = interval(case, 0.0, 0.95, (0.0, 1.0), binary=True)
    assert low < found.high
    assert found.low < high
    assert 0.1 < found.high - found.low < 0.2


def test_half_width() -> None:
    assert Interval(1.0, 4.0).half_width == 1.5
