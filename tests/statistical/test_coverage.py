"""Intervals hold the truth as often as they say: whole chain from pool and choice to interval."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from bestrand_drive.compression.estimation import MetricFrame, ProbeKnowledge, estimate, point_estimate
from bestrand_drive.compression.noise import Noise
from bestrand_drive.compression.pool import draw_pool, kept_items
from bestrand_drive.compression.selectors.balanced import Balanced
from bestrand_drive.compression.selectors.base import ChoiceSettings
from bestrand_drive.compression.selectors.random import Random
from tests.statistical.worlds import (
    LIKE_DRIVING_SCORE,
    LIKE_EFFICIENCY,
    WITHIN_ONLY,
    Simulated,
    generators,
    simulated,
    sizes_of,
)

OPEN = MetricFrame(None, False, 0.95)
DRAWS = 400
FEW = ChoiceSettings(candidates=16)


def _suite(world: Simulated, k: int, pool: torch.Tensor, generator: torch.Generator) -> np.ndarray:
    return Balanced(FEW).select(world.scores, k, pool=pool, generator=generator).indices.numpy()


def _run(
    seed: int, shares: tuple[float, ...], sizes: str, keep: float, factor: float | None, draws: int = DRAWS
) -> tuple[float, float]:
    """Coverage of the run interval and mean squared error over mean variance."""
    inside, square, variance = np.zeros(draws), np.zeros(draws), np.zeros(draws)
    for t, (rng, generator) in enumerate(generators(seed, draws)):
        world = simulated(rng, sizes_of(sizes, rng), shares)
        items = len(world.target)
        k = kept_items(items, keep)
        pool = draw_pool(torch.arange(items), k, factor, world.scores.strata, generator)
        suite = _suite(world, k, pool, generator)
        point = point_estimate(world.sample(suite), world.known(pool.numpy()))
        found = estimate(point, OPEN, None, 1.0)
        assert point.method == "blup"
        assert found.run is not None
        truth = world.target.mean()
        inside[t] = found.run.low <= truth <= found.run.high
        square[t], variance[t] = (point.value - truth) ** 2, point.variance
    return float(inside.mean()), float(square.mean() / variance.mean())


@pytest.mark.parametrize("keep", [0.05, 0.1])
@pytest.mark.parametrize(
    ("shares", "sizes"),
    [
        (LIKE_DRIVING_SCORE, "unequal"),
        (LIKE_EFFICIENCY, "unequal"),
        (WITHIN_ONLY, "unequal"),
        (WITHIN_ONLY, "equal"),  # at keep 0.05 the pool holds one item of every stratum
    ],
)
def test_a_partial_pool_of_four_times_the_suite(shares: tuple[float, ...], sizes: str, keep: float) -> None:
    """About 220 items in 44 strata, five probes, n = 4."""
    coverage, ratio = _run(11, shares, sizes, keep, 4, draws=800)
    assert 0.92 <= coverage <= 0.98
    assert 0.75 < ratio < 1.25


@pytest.mark.parametrize("shares", [LIKE_DRIVING_SCORE, LIKE_EFFICIENCY])
def test_a_full_pool(shares: tuple[float, ...]) -> None:
    coverage, ratio = _run(12, shares, "unequal", 0.1, None)
    assert 0.92 <= coverage <= 0.98
    assert 0.75 < ratio < 1.25


@pytest.mark.parametrize("factor", [2.0, None])
def test_expc_without_strata(factor: float | None) -> None:
    inside = np.zeros(DRAWS)
    for t, (rng, generator) in enumerate(generators(13, DRAWS)):
        world = simulated(rng, np.full(120, 1), (0.0, 0.5, 0.0, 0.5))
        bare = replace(world.scores, strata=None)
        pool = draw_pool(torch.arange(120), 30, factor, None, generator)
        suite = Random().select(bare, 30, pool=pool, generator=generator).indices.numpy()
        point = point_estimate(world.sample(suite), world.known(pool.numpy(), strata=False))
        found = estimate(point, OPEN, None, 1.0)
        assert point.method == "exPC20"
        assert found.run is not None
        inside[t] = found.run.low <= world.target.mean() <= found.run.high
    assert 0.92 <= inside.mean() <= 0.98


@pytest.mark.parametrize(("sizes", "k"), [("equal", 22), ("equal", 88), ("unequal", 66)])
def test_the_stratified_mean_without_probes(sizes: str, k: int) -> None:
    inside = np.zeros(DRAWS)
    for t, (rng, generator) in enumerate(generators(14, DRAWS)):
        world = simulated(rng, sizes_of(sizes, rng), LIKE_DRIVING_SCORE, probes=0)
        suite = _suite(world, k, torch.arange(len(world.target)), generator)
        point = point_estimate(world.sample(suite), ProbeKnowledge())
        found = estimate(point, OPEN, None, 1.0)
        assert point.method == "stratified mean"
        assert found.run is not None
        inside[t] = found.run.low <= world.target.mean() <= found.run.high
    assert 0.92 <= inside.mean() <= 0.985


@pytest.mark.parametrize("rate", [0.5, 0.9])
def test_rates_of_success_by_wilson(rate: float) -> None:
    inside = np.zeros(DRAWS)
    for t, (rng, generator) in enumerate(generators(15, DRAWS)):
        world = simulated(rng, sizes_of("unequal", rng), LIKE_DRIVING_SCORE)
        binary = world.target > np.quantile(world.target, 1 - rate)
        world = replace(world, target=100.0 * binary)
        items = torch.arange(len(binary))
        suite = _suite(world, 44, items, generator)
        point = point_estimate(world.sample(suite), world.known(items.numpy()))
        found = estimate(point, MetricFrame((0.0, 100.0), True, 0.95), None, 1.0)
        assert found.run is not None
        inside[t] = found.run.low <= world.target.mean() <= found.run.high
    assert 0.92 <= inside.mean() <= 0.99


@pytest.mark.parametrize("keep", [0.35, 1.0])
def test_the_policy_interval_holds_the_policy_s_own_mean(keep: float) -> None:
    """One noisy run of probes and target; the truth is the target's mean over items without the noise of any run."""
    policy, run = np.zeros(DRAWS), np.zeros(DRAWS)
    noise = Noise(0.8, "simulated")
    for t, (rng, generator) in enumerate(generators(16, DRAWS)):
        world = simulated(rng, sizes_of("unequal", rng), LIKE_EFFICIENCY, noise=noise.sd)
        items = torch.arange(len(world.target))
        suite = _suite(world, kept_items(len(items), keep), items, generator)
        point = point_estimate(world.sample(suite), world.known(items.numpy()))
        found = estimate(point, OPEN, noise, 1.0)
        assert found.policy is not None
        assert found.run is not None
        policy[t] = found.policy.low <= world.policy_mean <= found.policy.high
        run[t] = found.run.low <= world.policy_mean <= found.run.high
    assert 0.92 <= policy.mean() <= 0.98
    assert run.mean() < policy.mean() - 0.02
