"""Intervals of differences hold the true one on real repeats; the longer measurement is scripts/bench_compare."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from bestrand_drive.compression.comparison.simultaneous import joint_level
from scripts.compare_worlds import Case, Outcomes, drawn_runs, judged, recorded, stratified, without_crashes

DRAWS = 200
SLACK = 3.5 * (0.95 * 0.05 / DRAWS) ** 0.5


@pytest.fixture(scope="module")
def pairs(shared_data: Path) -> Outcomes:
    """Two policies of Fail2Drive with three seeds each."""
    return recorded(shared_data, "fail2drive", {name: [name] for name in ("BevAD", "TFv6")})


@pytest.fixture(scope="module")
def twice(shared_data: Path) -> Outcomes:
    """The two runs of SimLingo on the routes of Bench2Drive on which neither crashed."""
    return recorded(shared_data, "bench2drive", {"SimLingo": ["SimLingo", "SimLingo-repeat"]}, kept=without_crashes)


def share_held(case: Case, k: int, repeats: int) -> tuple[float, float]:
    """How often the interval holds the truth, and its mean half width."""
    found = [(one.interval(0.95), case.truth) for one, _ in judged(case, k, repeats, DRAWS, k)]
    held = [around is not None and around.low - 1e-9 <= truth <= around.high + 1e-9 for around, truth in found]
    return float(np.mean(held)), float(np.mean([around.half_width for around, _ in found if around]))


@pytest.mark.parametrize(("metric", "repeats"), [("base_driving_score", 1), ("generalization_success", 3)])
@pytest.mark.parametrize(("first", "second"), [("TFv6", "TFv6"), ("BevAD", "TFv6")])
def test_it_holds_for_a_policy_against_itself_and_against_another(pairs, metric, repeats, first, second):
    number = pairs.metrics.index(metric)
    runs = [pairs.runs[name][:, :, number] for name in (first, second)]
    held, half = share_held(Case(pairs.strata, runs[0], runs[1], 100.0), 40, repeats)
    assert held > 0.95 - SLACK
    spread = float(np.sqrt(sum(one.var() for one in runs) / 40))
    assert half < 3.5 * spread, "no wider than reason"


@pytest.mark.parametrize("metric", ["driving_score", "success"])
def test_it_holds_zero_for_one_policy_driven_twice(twice, metric):
    runs = twice.runs["SimLingo"][:, :, twice.metrics.index(metric)]
    held, _ = share_held(Case(twice.strata, runs, runs, 100.0, swap=True), 44, 1)
    assert 0.95 - SLACK < held < 0.995


@pytest.mark.parametrize(("k", "share"), [(22, 0.03), (77, 0.05)])
def test_rare_losses_without_gains_are_held_where_t_alone_misses_them(k, share):
    """A 0/1 metric on 1,000 routes, of which a few got worse: many suites show none of them, or one."""
    worse = np.zeros((1000, 1))
    worse[: round(1000 * share)] = -100.0
    case = Case(np.zeros(1000, dtype=np.int64), np.zeros((1000, 1)), worse, 100.0)
    held, _ = share_held(case, k, 1)
    assert held > 0.95 - SLACK
    found = [one for one, _ in judged(case, k, 1, DRAWS, k)]
    alone = [abs(one.value - case.truth) <= stats.t.ppf(0.975, one.df) * one.standard_error for one in found]
    assert np.mean(alone) < held - 0.03


def test_repeats_sharpen_it(pairs):
    runs = [pairs.runs[name][:, :, 0] for name in ("BevAD", "TFv6")]
    case = Case(pairs.strata, runs[0], runs[1], 100.0)
    halves = [[one.interval(0.95).half_width for one, _ in judged(case, 50, count, 20, 0)] for count in (1, 3)]
    assert np.mean(halves[1]) < 0.8 * np.mean(halves[0])


def test_pairing_is_worth_it(twice):
    """Narrower than two estimates that know nothing of each other, and not by a miracle."""
    runs = twice.runs["SimLingo"][:, :, 0]
    found = list(judged(Case(twice.strata, runs, runs, 100.0, swap=True), 77, 1, 40, 0))
    paired = np.mean([one.interval(0.95).half_width for one, _ in found])
    assert 0.5 < paired / np.mean([unpaired for _, unpaired in found]) < 0.95


def test_all_intervals_of_a_sweep_hold_at_once():
    """Six policies of one strength: single intervals would let a pair stand out in a third of all sweeps."""
    rng, strata = np.random.default_rng(0), np.zeros(40, dtype=np.int64)
    worlds = rng.normal(size=(2000, 40, 6)) + rng.normal(size=(2000, 40, 1))
    each = np.array([joint_level(values, strata, 39.0, 0.95, draw) for draw, values in enumerate(worlds[:6])])
    assert np.ptp(each) < 0.003
    d = worlds[:, :, :, None] - worlds[:, :, None, :]
    ratio = np.abs(d.mean(axis=1)) / (d.std(axis=1, ddof=1) / np.sqrt(40) + np.eye(6))
    most = ratio.max(axis=(1, 2))
    joint, single = (float(np.mean(most < stats.t.ppf(0.5 + level / 2, 39))) for level in (each.mean(), 0.95))
    assert joint == pytest.approx(0.95, abs=4 * (0.95 * 0.05 / 2000) ** 0.5)
    assert single < 0.75


def test_draws_of_a_world_are_what_they_say(pairs):
    """Every stratum its share, runs really recorded."""
    rng = np.random.default_rng(1)
    chosen = stratified(pairs.strata, 50, rng)
    counts = np.bincount(pairs.strata[chosen]), np.bincount(pairs.strata)
    assert np.all(np.abs(counts[0] - counts[1] / 2) < 1)
    runs = pairs.runs["TFv6"][chosen, :, 0]
    drawn = drawn_runs(runs, 2, rng)
    assert all(set(own) <= set(seen) for own, seen in zip(drawn.tolist(), runs.tolist(), strict=True))
