"""Which estimator is used, both intervals, harmonic means."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bestrand_drive.compression.difficulty import fit_difficulty
from bestrand_drive.compression.estimation import (
    Estimate,
    MetricFrame,
    ProbeKnowledge,
    ceiling_remark,
    estimate,
    harmonic_at_zero,
    harmonic_mean,
    harmonic_noise,
    point_estimate,
    withheld,
)
from bestrand_drive.compression.estimators.blup import blup
from bestrand_drive.compression.estimators.expc import expc, fit_regression
from bestrand_drive.compression.estimators.sample import PointEstimate, Sample
from bestrand_drive.compression.estimators.stratified import stratified_mean
from bestrand_drive.compression.intervals import Interval, interval
from bestrand_drive.compression.noise import Noise
from bestrand_drive.compression.profiles import profiles
from tests.compression import reference
from tests.compression.worlds import LIGHT, World, close, worlds

OPEN = MetricFrame(None, False, 0.95)
UNIT = MetricFrame((0.0, 1.0), True, 0.95)
NOISE = Noise(0.3, "repeats")


def _known(world: World, which: str) -> ProbeKnowledge:
    model = fit_difficulty(world.columns, world.strata, world.pool)
    if which == "none":
        return ProbeKnowledge()
    if which == "model":
        return ProbeKnowledge(model=replace(model, s_u2=max(0.0, model.s_u2)))
    return ProbeKnowledge(regression=fit_regression(world.columns, world.pool, len(world.target)))


KNOWN = st.sampled_from(["none", "model", "regression"])


def _finite(found: Estimate) -> None:
    ends = [found.value]
    for around in (found.run, found.policy):
        if around is not None:
            ends += [around.low, around.high]
            assert around.low - 1e-12 <= found.value <= around.high + 1e-12
    assert np.isfinite(ends).all()


@LIGHT
@given(worlds(kinds=["normal", "binary"]), KNOWN, st.booleans())
def test_nothing_is_ever_nan(world: World, which: str, bounded: bool) -> None:
    world = replace(world, target=(world.target > 0) * 1.0) if bounded else world
    point = point_estimate(world.sample(), _known(world, which))
    _finite(estimate(point, UNIT if bounded else OPEN, NOISE, 1.0))


def test_the_estimator_follows_what_is_known() -> None:
    rng = np.random.default_rng(0)
    columns, strata, pool = rng.normal(size=(12, 3)), np.arange(12) // 3, np.arange(12)
    values = np.where(np.arange(12) % 2, rng.normal(size=12), np.nan)
    sample = Sample(values, np.ones(12), strata)
    model, regression = fit_difficulty(columns, strata, pool), fit_regression(columns, pool, 12)
    assert point_estimate(sample, ProbeKnowledge()).value == stratified_mean(sample).value
    assert point_estimate(sample, ProbeKnowledge(model)).value == blup(sample, model).value
    assert point_estimate(sample, ProbeKnowledge(model, regression)).value == expc(sample, regression).value
    constant = replace(model, s_u2=0.0, s_e2=0.0)
    assert point_estimate(sample, ProbeKnowledge(constant)).method == "stratified mean"
    sizes = replace(sample, weights=np.arange(12) + 1.0)
    assert point_estimate(sizes, ProbeKnowledge(model, regression)).method == "blup"
    assert point_estimate(sizes, ProbeKnowledge(None, regression)).method == "stratified mean"


def test_a_domain_is_never_pulled_to_the_mean_of_the_benchmark() -> None:
    """exPC takes the probes' mean over the benchmark (0) as known: wrong for a part of it."""
    rng = np.random.default_rng(3)
    level = np.concatenate([rng.normal(size=40) - 5, rng.normal(size=40) + 5])  # the domain is the hard half
    columns = level[:, None] + 0.1 * rng.normal(size=(80, 3))
    columns -= columns.mean(axis=0)
    target, domain = level + 0.1 * rng.normal(size=80), np.arange(80) < 40
    values = np.full(80, np.nan)
    values[::4] = target[::4]
    strata = np.zeros(80, dtype=int)
    known = ProbeKnowledge(fit_difficulty(columns, strata, np.arange(80)), fit_regression(columns, np.arange(80), 80))
    for part in (known, replace(known, model=None)):
        found = point_estimate(Sample(values, domain * 1.0, strata), part)
        assert abs(found.value - target[domain].mean()) < 1.0


@LIGHT
@given(worlds(kinds=["normal", "binary"]), KNOWN, st.booleans())
def test_all_items_measured_give_the_exact_mean_and_no_width(world: World, which: str, ones: bool) -> None:
    weights = np.ones(len(world.target)) if ones else world.weights
    known = _known(replace(world, pool=np.arange(len(world.target))), which)
    found = estimate(point_estimate(Sample(world.target, weights, world.strata), known), OPEN, NOISE, 1.0)
    assert found.run is not None
    assert found.run.half_width == 0
    close(found.value, weights @ world.target / weights.sum(), rtol=1e-6, scale=100)
    assert found.policy is not None
    assert found.policy.half_width > 0


@LIGHT
@given(worlds(kinds=["normal"], missing=[0.0, 0.1]), KNOWN)
def test_affine_scores_move_and_scale_estimate_and_intervals(world: World, which: str) -> None:
    """Probes and target in other units, through the whole chain, for an unbounded metric."""
    assume(len(world.suite) > 1)
    found = []
    for a, b in ((1.0, 0.0), (8.0, -5.0)):
        columns = profiles(a * world.scores + b, world.families, world.pool)
        model = fit_difficulty(columns, world.strata, world.pool)
        model = replace(model, s_u2=max(0.0, model.s_u2))
        regression = fit_regression(columns, world.pool, len(world.target))
        known = {
            "none": ProbeKnowledge(),
            "model": ProbeKnowledge(model),
            "regression": ProbeKnowledge(None, regression),
        }
        sample = replace(world, target=a * world.target + b).sample()
        found.append(estimate(point_estimate(sample, known[which]), OPEN, Noise(0.3 * a, ""), 1.0))
    straight, moved = found
    for get in (lambda e: e.value, lambda e: e.run.low, lambda e: e.run.high, lambda e: e.policy.low):
        close(get(moved), 8 * get(straight) - 5, rtol=1e-6, scale=1e4)


@LIGHT
@given(worlds(kinds=["normal"]), KNOWN, st.booleans(), st.sampled_from([1.0, 3.0]))
def test_the_policy_interval_holds_the_run_interval(world: World, which: str, bounded: bool, runs: float) -> None:
    assume(len(world.suite) > 1)
    world = replace(world, target=(world.target > 0) * 1.0) if bounded else world
    point = point_estimate(world.sample(), _known(world, which))
    found = estimate(point, UNIT if bounded else OPEN, NOISE, runs)
    assert found.policy is not None
    assert found.run is not None
    assert found.policy.low <= found.run.low + 1e-12
    assert found.policy.high >= found.run.high - 1e-12


def _point(value: float, values: list[float], population: int = 40) -> PointEstimate:
    y = np.array(values)
    spread2 = float(y.var(ddof=1)) if len(y) > 1 else 0.0
    return PointEstimate(value, spread2 / len(y), max(len(y) - 1, 1), len(y), spread2, y - y.mean(), y, population, "t")


def test_the_policy_interval_adds_the_mean_noise_of_one_run() -> None:
    point = _point(3.0, [1.0, 2.0, 4.0, 5.0])
    found = estimate(point, OPEN, Noise(2.0, "repeats"), 2.0, "remark")
    assert found.run == interval(point, point.variance, 0.95, None, binary=False)
    assert found.policy == interval(point, point.variance + 4.0 / (40 * 2), 0.95, None, binary=False)
    assert (found.noise, found.method, found.level, found.reason) == (Noise(2.0, "repeats"), "t", 0.95, "remark")


def test_without_noise_there_is_no_policy_interval() -> None:
    found = estimate(_point(3.0, [1.0, 2.0, 4.0]), OPEN, None, 1.0)
    assert found.policy is None
    assert found.run is not None


def test_averages_of_several_runs_are_not_binary() -> None:
    point = _point(0.5, [0.0, 0.5, 0.5, 1.0])
    assert estimate(point, UNIT, None, 2.0).run == interval(point, point.variance, 0.95, (0.0, 1.0), binary=False)
    assert estimate(point, UNIT, None, 1.0).run == interval(point, point.variance, 0.95, (0.0, 1.0), binary=True)


def test_one_item_carries_no_interval_and_says_so() -> None:
    found = estimate(_point(0.5, [0.5]), UNIT, NOISE, 1.0, "few")
    assert (found.value, found.run, found.policy) == (0.5, None, None)
    assert found.reason == "few; one measured item carries no interval"


@pytest.mark.parametrize(("value", "clipped"), [(1.2, 1.0), (-0.1, 0.0), (0.4, 0.4)])
def test_a_bounded_estimate_stays_inside(value: float, clipped: float) -> None:
    found = estimate(_point(value, [0.0, 1.0, 1.0, 1.0]), UNIT, NOISE, 1.0)
    assert found.value == clipped
    _finite(found)


@pytest.mark.parametrize(
    ("values", "bounds", "remark"),
    [
        ([1.0, 1.0, 1.0], (0.0, 1.0), "no failure in 3 items"),
        ([0.0, 0.0], (0.0, 1.0), "no success in 2 items"),
        ([0.5, 0.5], (0.0, 1.0), ""),
        ([1.0, 0.0], (0.0, 1.0), ""),
        ([1.0], (0.0, 1.0), ""),
        ([1.0, 1.0], None, ""),
        ([100.0, 100.0], (0.0, 100.0), "no failure in 2 items"),
    ],
)
def test_ceiling_remarks(values: list[float], bounds: tuple[float, float] | None, remark: str) -> None:
    assert ceiling_remark(_point(values[0], values), MetricFrame(bounds, True, 0.95)) == remark


def test_withheld_has_no_number() -> None:
    found = withheld(0.9, "too few")
    assert (found.value, found.run, found.policy, found.level, found.reason) == (None, None, None, 0.9, "too few")


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
    assert (found.n, found.df, found.population) == (n, n - 1, 40)
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
