"""Replays on a small synthetic case: exact where everything is measured, blind where nothing can be said."""

from __future__ import annotations

import numpy as np
import pytest

from bestrand_drive.compression.policy_estimates import HarmonicRule
from bestrand_drive.compression.selectors.balanced import Balanced
from bestrand_drive.compression.selectors.bestrand import Bestrand
from bestrand_drive.compression.selectors.random import Random
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec
from bestrand_drive.study.replay import Arm, Case, replay, true_values

SCORE = MetricSpec("ds", 0.0, 100.0)
SUCCESS = MetricSpec("sr", 0.0, 100.0, binary=True)
SPEED = MetricSpec("speed", 0.0, None, ratio=True)
ITEMS = 36
STRATA = [f"s{number % 6}" for number in range(ITEMS)]
ARMS = [
    Arm("random", Random(), plain=True),
    Arm("bestrand", Bestrand(), plain=True),
    Arm("balanced", Balanced(), plain=False),
    Arm("pool", Balanced(), plain=False, pool_factor=2.0),
]


def matrix(levels: list[float], seed: int, gaps: float = 0.0) -> ScoreMatrix:
    """Score, success and a speed that some items lack, [item, policy, metric]."""
    shared = np.random.default_rng(1).normal(size=ITEMS)
    rng = np.random.default_rng(seed)
    latent = np.array(levels) + shared[:, None] + rng.normal(0, 0.6, (ITEMS, len(levels)))
    score = np.clip(60 + 25 * latent, 0, 100)
    speed = 100 + 20 * rng.normal(size=latent.shape)
    speed[rng.random(latent.shape) < 0.2] = np.nan
    values = np.stack([score, 100.0 * (score >= 100), speed], axis=2)
    values[rng.random(latent.shape) < gaps] = np.nan
    return ScoreMatrix.from_arrays(
        values,
        items=[f"i{number}" for number in range(ITEMS)],
        policies=[f"p{seed}.{number}" for number in range(len(levels))],
        metrics=[SCORE, SUCCESS, SPEED],
        strata=STRATA,
    )


@pytest.fixture(scope="module")
def case() -> Case:
    return Case(
        family="T",
        probes=matrix([1.2, 0.4, -0.3, 0.8], 2),
        families=[[0], [1, 2], [3]],
        targets=matrix([0.9, 0.1], 3, gaps=0.1),
        harmonic=[HarmonicRule("hm", "ds", "sr")],
    )


def test_truth_is_the_target_s_own_mean(case):
    dense = case.targets.values.numpy()
    for target in range(2):
        for metric in range(3):
            known = case.targets.valid.numpy()[:, target, metric]
            assert true_values(case)[target, metric] == pytest.approx(dense[known, target, metric].mean(), rel=1e-6)
        ds, sr = true_values(case)[target, :2]
        assert true_values(case)[target, 3] == pytest.approx(2 / (1 / ds + 1 / sr))
    assert case.metric_names == ["ds", "sr", "speed", "hm"]


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)
def test_everything_measured_leaves_no_error(arm):
    whole = Case(family="T", probes=matrix([1.2, 0.4, -0.3], 2), families=[[0], [1], [2]], targets=matrix([0.9], 3))
    outcome = replay(whole, arm, ITEMS, [0, 1])
    assert outcome.error.shape == (2, 1, 3)
    np.testing.assert_allclose(outcome.error, 0, atol=1e-4)
    if not arm.plain:
        assert (outcome.covered[:, :, :2] == 1).all()


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)
def test_shapes_and_intervals(case, arm):
    outcome = replay(case, arm, 12, range(5))
    assert outcome.error.shape == outcome.covered.shape == outcome.flawless.shape == (5, 2, 4)
    assert not np.isnan(outcome.error).any()
    assert np.isnan(outcome.covered).all() == arm.plain, "plain means carry no interval"
    if not arm.plain:
        assert set(np.unique(outcome.covered)) <= {0.0, 1.0}
        assert outcome.covered.mean() > 0.5


def test_plain_errors_are_those_of_the_chosen_items_mean(case):
    import torch

    outcome = replay(case, ARMS[0], 12, [4])
    generator = torch.Generator().manual_seed(4)
    chosen = Random().select(case.probes, 12, pool=torch.arange(ITEMS), generator=generator).indices
    for target in range(2):
        for metric in range(3):
            values = case.targets.masked(metric)[chosen.numpy(), target]
            mean = np.nanmean(values)
            assert outcome.error[0, target, metric] == pytest.approx(mean - true_values(case)[target, metric])


def test_seeds_are_reproducible_and_independent(case):
    both = replay(case, ARMS[2], 12, [5, 6])
    alone = replay(case, ARMS[2], 12, [6])
    np.testing.assert_array_equal(both.error[1], alone.error[0])
    assert not np.array_equal(both.error[0], both.error[1])


def test_a_flawless_draw_is_marked():
    perfect = ScoreMatrix.from_arrays(
        np.full((ITEMS, 1, 1), 100.0),
        items=[f"i{number}" for number in range(ITEMS)],
        policies=["t"],
        metrics=[SCORE],
        strata=STRATA,
    )
    probes = matrix([0.5, 0.0], 2).with_metrics(["ds"])
    outcome = replay(Case("T", probes, [[0], [1]], perfect), ARMS[2], 8, range(3))
    assert outcome.flawless.all()


def test_better_methods_have_smaller_errors(case):
    """Not a claim about real data: only that the arms are wired to their selectors and estimators."""
    seeds = range(40)
    mae = {arm.name: np.abs(replay(case, arm, 12, seeds).error[:, :, 0]).mean() for arm in ARMS[:3]}
    assert mae["balanced"] < mae["random"]
    assert mae["bestrand"] < mae["random"]
