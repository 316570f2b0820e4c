"""From scores on a suite to all lines of a policy: which lines there are, whose noise, which weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import stats

from bestrand_drive.compression.difficulty import fit_difficulty
from bestrand_drive.compression.estimation import MetricFrame, ProbeKnowledge, estimate, point_estimate
from bestrand_drive.compression.estimators.sample import Sample, ratio_sample
from bestrand_drive.compression.noise import Noise
from bestrand_drive.compression.policy_estimates import (
    LEAST_DOMAIN,
    LEAST_REPEAT_FREEDOM,
    NO_NOISE,
    DomainRule,
    HarmonicRule,
    Population,
    mean_runs,
    policy_estimates,
)
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec
from tests.compression.worlds import close

ITEMS = 40
STRATA = np.arange(ITEMS) % 5
SCORE, SUCCESS = MetricSpec("ds", 0.0, 100.0), MetricSpec("sr", 0.0, 100.0, binary=True)
SPEED = MetricSpec("speed", 0.0, None, ratio=True)
PLAIN = Population(STRATA, np.ones(ITEMS))
BORROWED = {name: Noise(10.0, "borrowed: x") for name in ("ds", "sr", "speed")}


def scores(seed: int = 0, measured: int = 20, **changes: object) -> ScoreMatrix:
    """One policy, measured on the first items; a quarter of them logged no speed."""
    rng = np.random.default_rng(seed)
    score = np.round(rng.uniform(0, 100, ITEMS), 3)
    success = 100.0 * (rng.random(ITEMS) < 0.6)
    speed = np.where(np.arange(ITEMS) % 4, rng.uniform(50, 150, ITEMS), np.nan)
    values = np.stack([score, success, speed], axis=1)[:, None, :]
    values[measured:] = np.nan
    built = ScoreMatrix.from_arrays(
        values, items=[f"i{i}" for i in range(ITEMS)], policies=["t"], metrics=[SCORE, SUCCESS, SPEED]
    )
    return replace(built, **changes) if changes else built


def repeated(runs: int | np.ndarray, variance: float) -> ScoreMatrix:
    """The same with every measured value the mean of some runs."""
    built = scores()
    each = torch.as_tensor(np.broadcast_to(np.asarray(runs), (ITEMS,)).copy(), dtype=torch.int32)[:, None, None]
    repeats = torch.where(built.valid, each, 0)
    return replace(built, repeats=repeats, repeat_variance=torch.where(repeats > 1, variance, 0.0).to(torch.float32))


def test_metrics_come_first_then_harmonic_means_then_domains() -> None:
    population = replace(
        PLAIN,
        harmonic=[HarmonicRule("hm", "ds", "sr")],
        domains=[DomainRule("part", "sr", np.arange(ITEMS) % 2 == 0)],
    )
    lines = policy_estimates(scores(), population, 0.9)
    assert list(lines) == ["ds", "sr", "speed", "hm", "part"]
    assert {line.level for line in lines.values()} == {0.9}


def test_a_metric_is_the_estimate_of_its_sample() -> None:
    built = scores()
    values = built.masked("ds")[:, 0]
    columns = np.random.default_rng(1).normal(size=(ITEMS, 3))
    known = ProbeKnowledge(fit_difficulty(columns - columns.mean(axis=0), STRATA, np.arange(ITEMS)))
    weights = np.arange(ITEMS) % 3 + 1.0
    population = Population(STRATA, weights, {"ds": known}, BORROWED)
    point = point_estimate(Sample(values, weights, STRATA), known)
    lines = policy_estimates(built, population, 0.95)
    assert lines["ds"] == estimate(point, MetricFrame((0.0, 100.0), False, 0.95), BORROWED["ds"], 1.0)
    assert (lines["ds"].method, lines["sr"].method) == ("blup", "stratified mean")


def test_a_ratio_metric_is_about_the_items_that_log_it() -> None:
    built = scores()
    sample = ratio_sample(Sample(built.masked("speed")[:, 0], np.ones(ITEMS), STRATA), np.arange(ITEMS) < 20)
    expected = estimate(point_estimate(sample, ProbeKnowledge()), MetricFrame(None, False, 0.95), None, 1.0, NO_NOISE)
    assert policy_estimates(built, PLAIN, 0.95)["speed"] == expected


def test_what_was_not_measured_is_withheld() -> None:
    built = scores()
    valid = built.valid.clone()
    valid[:, 0, 1] = False
    built = replace(built, valid=valid, values=torch.where(valid, built.values, 0.0))
    population = replace(PLAIN, harmonic=[HarmonicRule("hm", "ds", "sr")])
    lines = policy_estimates(built, population, 0.95)
    for name in ("sr", "hm"):
        assert (lines[name].value, lines[name].reason) == (None, "not measured")
    assert lines["ds"].value is not None


@pytest.mark.parametrize("count", [0, 1, LEAST_DOMAIN - 1, LEAST_DOMAIN])
def test_a_domain_of_few_measured_items_is_withheld(count: int) -> None:
    """Items that were not measured do not help."""
    inside = (np.arange(ITEMS) < count) | (np.arange(ITEMS) >= 30)
    line = policy_estimates(scores(), replace(PLAIN, domains=[DomainRule("part", "sr", inside)]), 0.95)["part"]
    if count < LEAST_DOMAIN:
        assert (line.value, line.run) == (None, None)
        items = "item tests" if count == 1 else "items test"
        assert line.reason == f"{count} measured {items} it, {LEAST_DOMAIN} are needed"
    else:
        sample = Sample(scores().masked("sr")[:, 0], inside * 1.0, STRATA)
        close(line.value, point_estimate(sample, ProbeKnowledge()).value)


@pytest.mark.parametrize("borrowed", [True, False])
def test_one_run_borrows_its_noise_or_has_none(borrowed: bool) -> None:
    line = policy_estimates(scores(), replace(PLAIN, noise=BORROWED if borrowed else {}), 0.95)["ds"]
    assert line.noise == (BORROWED["ds"] if borrowed else None)
    assert (line.policy is None) == (not borrowed)
    assert line.reason == ("" if borrowed else NO_NOISE)


@pytest.mark.parametrize("twice", [LEAST_REPEAT_FREEDOM - 1, LEAST_REPEAT_FREEDOM])
def test_own_repeats_tell_the_noise_when_there_are_enough(twice: int) -> None:
    runs = np.where(np.arange(ITEMS) < twice, 2, 1)
    line = policy_estimates(repeated(runs, 16.0), replace(PLAIN, noise=BORROWED), 0.95)["ds"]
    enough = twice >= LEAST_REPEAT_FREEDOM
    assert line.noise == (Noise(4.0, "own repeats") if enough else BORROWED["ds"])
    alone = policy_estimates(repeated(runs, 16.0), PLAIN, 0.95)["ds"]
    assert (alone.policy is not None) == enough


@pytest.mark.parametrize("own", [True, False])
def test_more_runs_narrow_the_policy_interval_whosever_noise_it_is(own: bool) -> None:
    """V + s^2 / (N runs), with the harmonic mean of the numbers of runs; an unbounded metric shows it plainly."""
    more = np.where(np.arange(ITEMS) % 2, 3, 9)
    runs = more if own else np.where(np.arange(ITEMS) < 4, more, 1)  # too few repeats to tell the noise themselves
    borrowed = Noise(50.0, "borrowed: x")
    line = policy_estimates(repeated(runs, 16.0), replace(PLAIN, noise={"speed": borrowed}), 0.95)["speed"]
    assert line.noise == (Noise(4.0, "own repeats") if own else borrowed)
    assert line.run is not None
    assert line.policy is not None
    logged = np.arange(20) % 4 > 0
    mean = 1 / (1 / runs[:20][logged]).mean()
    t = stats.t.ppf(0.975, 10)  # 15 values in 5 strata
    wider = (line.policy.half_width**2 - line.run.half_width**2) / t**2
    close(wider, line.noise.sd**2 / (30 * mean), rtol=1e-6)  # three of four of the 40 items log a speed


@pytest.mark.parametrize("runs", [2, 5])
def test_repeats_that_agree_everywhere_are_copies_of_one_run(runs: int) -> None:
    population = replace(PLAIN, noise=BORROWED)
    assert policy_estimates(repeated(runs, 0.0), population, 0.95) == policy_estimates(scores(), population, 0.95)


def test_the_mean_number_of_runs_is_harmonic() -> None:
    close(mean_runs(torch.tensor([1, 2, 4], dtype=torch.int32)), 3 / (1 + 1 / 2 + 1 / 4))
    close(mean_runs(torch.tensor([3, 3], dtype=torch.int32)), 3.0)


def test_a_harmonic_mean_of_no_success_reaches_from_zero() -> None:
    built = scores()
    values = built.values.clone()
    values[:, 0, 1] = 0.0
    population = replace(PLAIN, harmonic=[HarmonicRule("hm", "ds", "sr")], noise=BORROWED)
    lines = policy_estimates(replace(built, values=values), population, 0.95)
    assert lines["hm"].value == 0
    for which in ("run", "policy"):
        found, score, success = (getattr(lines[name], which) for name in ("hm", "ds", "sr"))
        close([found.low, found.high], [0.0, 2 / (1 / score.high + 1 / success.high)])


def test_a_harmonic_mean_keeps_inside_its_parts() -> None:
    population = replace(PLAIN, harmonic=[HarmonicRule("hm", "ds", "sr")], noise=BORROWED)
    for seed in range(20):
        lines = policy_estimates(scores(seed, measured=6), population, 0.95)
        assert lines["hm"].value
        for which in ("run", "policy"):
            found, score, success = (getattr(lines[name], which) for name in ("hm", "ds", "sr"))
            assert found.low >= 2 / (1 / max(score.low, 1e-12) + 1 / max(success.low, 1e-12)) - 1e-9
            assert found.high <= 2 / (1 / score.high + 1 / success.high) + 1e-9
            assert found.low <= lines["hm"].value <= found.high
