"""Harmonic means of two estimates: the delta method, a part of zero, noise, and ends kept inside the parts'."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestrand_drive.compression.estimation import Estimate
from bestrand_drive.compression.estimators.sample import PointEstimate
from bestrand_drive.compression.harmonic import (
    harmonic,
    harmonic_at_zero,
    harmonic_mean,
    harmonic_noise,
    inside_parts,
)
from bestrand_drive.compression.intervals import Interval
from bestrand_drive.compression.noise import Noise
from tests.compression import reference
from tests.compression.worlds import LIGHT, close

NOISE = Noise(0.3, "repeats")


def _point(value: float, values: list[float], complete: bool = False) -> PointEstimate:
    y = np.array(values)
    spread2 = float(y.var(ddof=1))
    return PointEstimate(value, spread2 / len(y), len(y) - 1, len(y), spread2, y - y.mean(), y, 40.0, complete, "t")


@pytest.mark.parametrize(("a", "b", "value"), [(60.0, 30.0, 40.0), (5.0, 5.0, 5.0), (0.0, 9.0, 0.0), (-1.0, 9.0, 0.0)])
def test_the_harmonic_mean_of_two_numbers(a: float, b: float, value: float) -> None:
    close([harmonic(a, b), harmonic(b, a)], [value, value])


PARTS = st.tuples(st.floats(1, 100), st.floats(1, 100), st.integers(2, 20), st.integers(0, 2**31))


@LIGHT
@given(PARTS)
def test_harmonic_means_equal_the_delta_method(parts: tuple[float, float, int, int]) -> None:
    a, b, n, seed = parts
    rng = np.random.default_rng(seed)
    one, two = (_point(value, rng.normal(size=n).tolist()) for value in (a, b))
    r = float(np.corrcoef(one.residuals, two.residuals)[0, 1])
    covariance = r * (one.variance * two.variance) ** 0.5
    value, variance = reference.harmonic_mean_delta(a, b, one.variance, two.variance, covariance)
    found = harmonic_mean(one, two)
    close(found.value, value)
    close(found.variance, variance, scale=10)
    g = 2 * np.array([b**2, a**2]) / (a + b) ** 2
    close(found.spread2, np.var(g[0] * one.values + g[1] * two.values, ddof=1), scale=10)
    assert (found.n, found.df, found.population, found.complete) == (n, n - 1, 40, False)
    assert found.variance >= 0


@LIGHT
@given(PARTS)
def test_harmonic_means_are_symmetric_and_between_the_parts(parts: tuple[float, float, int, int]) -> None:
    a, b, n, seed = parts
    rng = np.random.default_rng(seed)
    one, two = (_point(value, rng.normal(size=n).tolist()) for value in (a, b))
    straight, turned = harmonic_mean(one, two), harmonic_mean(two, one)
    close(turned.value, straight.value)
    close(turned.variance, straight.variance, scale=10)
    assert min(a, b) - 1e-9 <= straight.value <= max(a, b) + 1e-9


def test_a_harmonic_mean_with_itself_is_itself() -> None:
    one = _point(40.0, [10.0, 50.0, 60.0])
    found = harmonic_mean(one, one)
    close([found.value, found.variance, found.spread2], [one.value, one.variance, one.spread2])


@pytest.mark.parametrize(("a", "b"), [(0.0, 50.0), (50.0, 0.0), (0.0, 0.0), (-1.0, 50.0)])
def test_a_part_of_zero_gives_zero_and_no_nan(a: float, b: float) -> None:
    found = harmonic_mean(_point(a, [0.0, 0.0, 1.0]), _point(b, [0.0, 100.0, 50.0]))
    assert found.value == 0
    assert np.isfinite(found.variance)


def test_at_zero_the_interval_reaches_to_the_mean_of_the_upper_ends() -> None:
    score = Estimate(50.0, Interval(30.0, 60.0), Interval(20.0, 70.0), 0.95, "t", NOISE, "")
    success = Estimate(0.0, Interval(0.0, 20.0), None, 0.95, "t", None, "")
    found = harmonic_at_zero(score, success, "harmonic mean")
    assert found.run is not None
    close([found.run.low, found.run.high], [0.0, 2 / (1 / 60 + 1 / 20)])
    assert (found.value, found.policy) == (0.0, None)


@LIGHT
@given(st.floats(1, 100), st.floats(1, 100), st.floats(0, 40), st.floats(0, 40))
def test_harmonic_noise_is_never_below_the_delta_method(a: float, b: float, sd_a: float, sd_b: float) -> None:
    found = harmonic_noise(Noise(sd_a, "borrowed"), Noise(sd_b, "x"), (a, b))
    assert found is not None
    assert found.source == "borrowed"
    for r in (-1.0, 0.0, 1.0):
        variance = reference.harmonic_mean_delta(a, b, sd_a**2, sd_b**2, r * sd_a * sd_b)[1]
        assert found.sd**2 >= variance - 1e-9 * max(1.0, found.sd**2)


def test_harmonic_noise_needs_both_parts() -> None:
    assert harmonic_noise(None, NOISE, (1.0, 1.0)) is None
    assert harmonic_noise(NOISE, None, (1.0, 1.0)) is None
    assert harmonic_noise(NOISE, NOISE, (0.0, 1.0)) is None


@pytest.mark.parametrize(("one", "two", "both"), [(True, True, True), (True, False, False), (False, False, False)])
def test_it_is_complete_when_both_parts_are(one: bool, two: bool, both: bool) -> None:
    assert harmonic_mean(_point(40.0, [1.0, 2.0], one), _point(50.0, [1.0, 2.0], two)).complete is both


def _line(value: float, run: Interval | None, policy: Interval | None = None) -> Estimate:
    return Estimate(value, run, policy, 0.95, "t", None, "")


def test_its_intervals_stay_between_the_harmonic_means_of_the_parts_ends() -> None:
    score = _line(60.0, Interval(50.0, 70.0), Interval(40.0, 80.0))
    success = _line(30.0, Interval(20.0, 50.0), Interval(10.0, 60.0))
    wide = inside_parts(_line(40.0, Interval(5.0, 90.0), Interval(0.0, 100.0)), score, success)
    assert wide.run is not None
    assert wide.policy is not None
    close([wide.run.low, wide.run.high], [2 / (1 / 50 + 1 / 20), 2 / (1 / 70 + 1 / 50)])
    close([wide.policy.low, wide.policy.high], [2 / (1 / 40 + 1 / 10), 2 / (1 / 80 + 1 / 60)])
    narrow = _line(40.0, Interval(38.0, 42.0), Interval(35.0, 45.0))
    assert inside_parts(narrow, score, success) == narrow


def test_parts_without_an_interval_narrow_nothing() -> None:
    line = _line(40.0, Interval(5.0, 90.0), None)
    assert inside_parts(line, _line(60.0, None), _line(30.0, Interval(20.0, 50.0))) == line
