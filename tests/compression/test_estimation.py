"""Which estimator is used, both intervals, and what holds at a bound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bestrand_drive.compression.difficulty import fit_difficulty
from bestrand_drive.compression.estimation import (
    Bound,
    Estimate,
    MetricFrame,
    ProbeKnowledge,
    bound_of,
    estimate,
    point_estimate,
    withheld,
)
from bestrand_drive.compression.estimators.blup import blup
from bestrand_drive.compression.estimators.expc import expc, fit_regression
from bestrand_drive.compression.estimators.sample import PointEstimate, Sample
from bestrand_drive.compression.estimators.stratified import stratified_mean
from bestrand_drive.compression.intervals import interval
from bestrand_drive.compression.noise import Noise
from bestrand_drive.compression.profiles import profiles
from tests.compression.worlds import LIGHT, World, close, worlds

OPEN = MetricFrame(None, False, 0.95)
UNIT = MetricFrame((0.0, 1.0), True, 0.95)
NOISE = Noise(0.3, "repeats")


def _of(columns: np.ndarray, world: World, which: str) -> ProbeKnowledge:
    if which == "none":
        return ProbeKnowledge()
    if which == "model":
        return ProbeKnowledge(model=fit_difficulty(columns, world.strata, world.pool))
    return ProbeKnowledge(regression=fit_regression(columns, world.pool, len(world.target)))


def _known(world: World, which: str) -> ProbeKnowledge:
    return _of(world.columns, world, which)


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
        sample = replace(world, target=a * world.target + b).sample()
        found.append(estimate(point_estimate(sample, _of(columns, world, which)), OPEN, Noise(0.3 * a, ""), 1.0))
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


def _point(value: float, values: list[float], population: int = 40, complete: bool = False) -> PointEstimate:
    y = np.array(values)
    spread2 = float(y.var(ddof=1)) if len(y) > 1 else 0.0
    around, df = y - y.mean(), max(len(y) - 1, 1)
    return PointEstimate(value, spread2 / len(y), df, len(y), spread2, around, y, float(population), complete, "t")


def test_the_policy_interval_adds_the_mean_noise_of_one_run() -> None:
    point = _point(3.0, [1.0, 2.0, 4.0, 5.0])
    found = estimate(point, OPEN, Noise(2.0, "repeats"), 2.0, "remark")
    assert found.run == interval(point, point.variance, 0.95, None, binary=False)
    assert found.policy == interval(point, point.variance + 4.0 / (40 * 2), 0.95, None, binary=False, finite=False)
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
    ("values", "bounds", "bound"),
    [
        ([1.0, 1.0, 1.0], (0.0, 1.0), Bound.BEST),
        ([0.0, 0.0], (0.0, 1.0), Bound.WORST),
        ([0.5, 0.5], (0.0, 1.0), None),
        ([1.0, 0.0], (0.0, 1.0), None),
        ([1.0], (0.0, 1.0), None),
        ([1.0, 1.0], None, None),
        ([100.0, 100.0], (0.0, 100.0), Bound.BEST),
        ([-5.0, -5.0], (-5.0, 3.0), Bound.WORST),
    ],
)
@pytest.mark.parametrize("higher", [True, False])
def test_values_that_all_sit_on_a_bound(
    values: list[float], bounds: tuple[float, float] | None, bound: Bound | None, higher: bool
) -> None:
    point, frame = _point(values[0], values), MetricFrame(bounds, True, 0.95, higher)
    turned = {Bound.BEST: Bound.WORST, Bound.WORST: Bound.BEST}
    expected = bound if bound is None or higher else turned[bound]
    assert bound_of(point, frame) is expected
    assert estimate(point, frame, NOISE, 1.0).at_bound is expected


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("level", [100.0, 0.0])
@pytest.mark.parametrize("value", [0.0, 3.0, 97.0, 100.0])
def test_at_a_bound_both_intervals_reach_it(higher: bool, level: float, value: float) -> None:
    """The estimator may shrink the value away from the bound; nothing that was measured speaks against it."""
    point = _point(value, [level] * 10)
    found = estimate(point, MetricFrame((0.0, 100.0), True, 0.95, higher), Noise(20.0, "repeats"), 1.0)
    for around, finite in ((found.run, True), (found.policy, False)):
        plain = interval(point, 0.0, 0.95, (0.0, 100.0), binary=True, finite=finite)
        assert around is not None
        expected = (plain.low, 100.0) if level == 100 else (0.0, plain.high)
        close([around.low, around.high], expected, scale=100)
    _finite(found)


def test_a_flawless_run_on_all_items_still_leaves_the_policy_open() -> None:
    """Nothing is left to estimate of this run; of the policy only that it failed in none of n tries."""
    frame, point = MetricFrame((0.0, 1.0), True, 0.95), _point(1.0, [1.0] * 40, complete=True)
    found = estimate(point, frame, Noise(0.2, "repeats"), 1.0)
    assert found.run is not None
    assert found.policy is not None
    assert (found.run.low, found.run.high) == (1.0, 1.0)
    assert found.policy.high == 1.0
    assert 0.85 < found.policy.low < 0.95


def test_withheld_has_no_number() -> None:
    found = withheld(0.9, "too few")
    assert (found.value, found.run, found.policy, found.level, found.reason) == (None, None, None, 0.9, "too few")
