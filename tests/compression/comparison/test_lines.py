"""Lines of two policies: metrics, ratio metrics, harmonic means, domains, flips."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from bestrand_drive.compression.comparison.flips import flips
from bestrand_drive.compression.comparison.lines import OWN_REPEATS, Pair, metric_differences, side_values
from bestrand_drive.compression.comparison.results import NOT_MEASURED, Verdict
from bestrand_drive.compression.noise import Noise
from bestrand_drive.compression.policy_estimates import DomainRule, HarmonicRule, Population, policy_estimates
from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec

ITEMS = 60
SPECS = [
    MetricSpec("score", 0.0, 100.0, unit="points"),
    MetricSpec("success", 0.0, 100.0, unit="percent", binary=True),
    MetricSpec("speed", 0.0, None, unit="percent", ratio=True),
    MetricSpec("cost", unit="s", higher_is_better=False),
]


def policy(level: float, seed: int, measured: int = ITEMS) -> ScoreMatrix:
    rng, shared = np.random.default_rng(seed), np.random.default_rng(99).normal(0, 12, ITEMS)
    score = np.clip(level + shared + rng.normal(0, 8, ITEMS), 0, 100)
    speed = np.where(rng.random(ITEMS) < 0.9, 150 + score + rng.normal(0, 20, ITEMS), np.nan)
    values = np.stack([score, 100.0 * (score > 60), speed, 10 - score / 20 + rng.normal(0, 0.2, ITEMS)], axis=1)
    values[np.random.default_rng(5).permutation(ITEMS)[measured:]] = np.nan
    items = [f"i{number}" for number in range(ITEMS)]
    return ScoreMatrix.from_arrays(values[:, None, :], items=items, policies=["p"], metrics=SPECS)


def population(**more: object) -> Population:
    return Population(np.arange(ITEMS) % 6, np.ones(ITEMS), **more)


def pair(baseline: ScoreMatrix, candidate: ScoreMatrix, **more: object) -> Pair:
    return Pair(baseline, candidate, population(**more), 0.95)


def test_verdicts_know_which_way_is_better():
    lines = metric_differences(pair(policy(60, 0, 40), policy(75, 1, 40)))
    assert lines["score"].difference > 5
    assert lines["cost"].difference < 0
    assert {name: line.verdict for name, line in lines.items()} == dict.fromkeys(lines, Verdict.BETTER)
    back = metric_differences(pair(policy(75, 1, 40), policy(60, 0, 40)))
    assert {line.verdict for line in back.values()} == {Verdict.WORSE}
    assert back["score"].difference == pytest.approx(-lines["score"].difference)
    assert back["score"].noise_source.startswith(NOT_MEASURED)


def test_a_metric_that_not_every_item_logs_is_each_sides_own_mean():
    """The delta method's spread against a bootstrap over items."""
    two = policy(60, 0), policy(70, 1)
    line = metric_differences(pair(*two))["speed"]
    single = [policy_estimates(one, population(), 0.95)["speed"].value for one in two]
    assert line.difference == pytest.approx(single[1] - single[0])
    columns = [one.masked("speed")[:, 0] for one in two]
    rng = np.random.default_rng(0)
    drawn = [rng.integers(0, ITEMS, ITEMS) for _ in range(2000)]
    means = [np.nanmean(columns[1][rows]) - np.nanmean(columns[0][rows]) for rows in drawn]
    assert line.paired.standard_error == pytest.approx(np.std(means), rel=0.15)


def test_a_harmonic_mean_follows_its_parts():
    rule = HarmonicRule("both", "score", "success")
    two = policy(60, 0), policy(75, 1)
    line = metric_differences(pair(*two, harmonic=[rule]))["both"]
    rng = np.random.default_rng(0)

    def mean(one: ScoreMatrix, rows: np.ndarray) -> float:
        a, b = (float(one.masked(name)[rows, 0].mean()) for name in ("score", "success"))
        return 2 / (1 / a + 1 / b)

    every = np.arange(ITEMS)
    assert line.difference == pytest.approx(mean(two[1], every) - mean(two[0], every), rel=1e-6)
    drawn = [rng.integers(0, ITEMS, ITEMS) for _ in range(2000)]
    means = [mean(two[1], rows) - mean(two[0], rows) for rows in drawn]
    assert line.paired.standard_error == pytest.approx(np.std(means), rel=0.2)


def test_a_harmonic_mean_with_a_part_of_zero_is_withheld():
    rule = HarmonicRule("both", "score", "success")
    line = metric_differences(pair(policy(5, 0), policy(75, 1), harmonic=[rule]))["both"]
    assert line.paired is None
    assert "zero" in line.reason


def test_a_part_of_the_benchmark_needs_eight_items():
    inside = np.arange(ITEMS) < 20
    rules = [DomainRule("some", "success", inside), DomainRule("few", "success", np.arange(ITEMS) < 7)]
    two = policy(60, 0), policy(75, 1)
    lines = metric_differences(pair(*two, domains=rules))
    plain = [float(one.masked("success")[inside, 0].mean()) for one in two]
    assert lines["some"].difference == pytest.approx(plain[1] - plain[0])
    assert (lines["few"].paired, lines["few"].verdict) == (None, None)
    assert "7 measured items" in lines["few"].reason
    with pytest.raises(UsageError, match="few: 7 measured items"):
        side_values(pair(*two, domains=rules), "few")


def repeated(one: ScoreMatrix, times: int, sd: float) -> ScoreMatrix:
    known = one.valid
    return replace(
        one,
        repeats=torch.where(known, times, 0).to(torch.int32),
        repeat_variance=torch.where(known, sd**2, 0.0).to(torch.float32),
    )


def test_repeats_of_both_sides_tell_the_noise():
    two = [repeated(policy(60, 0, 40), 3, 6.0), repeated(policy(61, 1, 40), 2, 6.0)]
    line = metric_differences(pair(*two))["score"]
    assert line.noise_source == OWN_REPEATS
    assert line.runs == pytest.approx((3.0, 2.0))
    assert line.paired.parts.noise_variance == pytest.approx(36 / 3 + 36 / 2)
    alone = metric_differences(pair(policy(60, 0, 40), policy(61, 1, 40)))["score"]
    assert line.paired.variance < alone.paired.variance


@pytest.mark.parametrize(("times", "sd", "said"), [(1, 0.0, "one run"), (3, 0.0, "agree exactly")])
def test_noise_that_is_not_measured_takes_all_spread_for_noise(times, sd, said):
    two = [repeated(policy(60, 0, 40), times, sd), repeated(policy(61, 1, 40), 3, 6.0)]
    line = metric_differences(pair(*two, noise={"score": Noise(13.0, "borrowed")}))["score"]
    assert line.noise_source.startswith(NOT_MEASURED)
    assert f"baseline: {said}" in line.noise_source.replace("all repeats ", "")
    assert line.paired.parts.items == 0.0
    assert line.paired.parts.reference == pytest.approx(2 * 13.0**2)


def test_flips_are_noise_unless_the_items_own_runs_say_otherwise():
    """One run each tells nothing of an item; thirty of thirty against none of thirty does."""
    two = policy(60, 0), policy(75, 1)
    single = flips(pair(*two))
    success = [one.masked("success")[:, 0] for one in two]
    assert {flip.item for flip in single} == {f"i{n}" for n in np.flatnonzero(success[0] != success[1])}
    assert single
    assert all(flip.within_noise for flip in single)
    many = flips(pair(*(repeated(one, 30, 0.0) for one in two)))
    assert not any(flip.within_noise for flip in many)
