"""Batched estimators against the single ones of ``compression``, draw by draw and target by target."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from bestrand_drive.compression.difficulty import fit_difficulty
from bestrand_drive.compression.estimation import MetricFrame, estimate
from bestrand_drive.compression.estimators.blup import blup
from bestrand_drive.compression.estimators.expc import expc, fit_regression
from bestrand_drive.compression.estimators.sample import PointEstimate, Sample, ratio_sample
from bestrand_drive.compression.estimators.stratified import stratified_mean
from bestrand_drive.compression.profiles import profiles
from bestrand_drive.scores.metrics import MetricSpec
from bestrand_drive.study.batch_blup import Models, blup_points
from bestrand_drive.study.batch_expc import expc_points
from bestrand_drive.study.batch_intervals import estimates
from bestrand_drive.study.points import Draws, Points, mean_points, stratified_points

ITEMS, DRAWS, TARGETS = 60, 6, 4
SPECS = [
    MetricSpec("share", 0.0, 1.0),
    MetricSpec("solved", 0.0, 1.0, binary=True),
    MetricSpec("errors", 0.0, 1.0, higher_is_better=False),
    MetricSpec("speed", 0.0, None),
]


@pytest.fixture(scope="module")
def world() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    strata = rng.integers(0, 7, ITEMS)
    ability = rng.normal(size=7)[strata] + rng.normal(size=ITEMS)
    probes = ability[:, None] + rng.normal(size=(ITEMS, 4))
    y = ability[:, None] + rng.normal(size=(ITEMS, TARGETS))
    return {"strata": strata, "probes": probes, "y": y}


def masks(k: int, pools: list[np.ndarray] | None = None) -> np.ndarray:
    rng = np.random.default_rng(k)
    out = np.zeros((DRAWS, ITEMS))
    for row in range(DRAWS):
        out[row, rng.choice(np.arange(ITEMS) if pools is None else pools[row], k, replace=False)] = 1
    return out


def batch(mask: np.ndarray, strata: np.ndarray, weights: np.ndarray, squares: np.ndarray) -> Draws:
    codes = torch.eye(int(strata.max()) + 1, dtype=torch.float64)[torch.from_numpy(strata)]
    return Draws(*(torch.from_numpy(part) for part in (mask, weights, squares)), codes)


def plain(mask: np.ndarray, strata: np.ndarray) -> Draws:
    return batch(mask, strata, np.ones_like(mask), np.ones_like(mask))


def sample(mask: np.ndarray, y: np.ndarray, strata: np.ndarray) -> Sample:
    return Sample(np.where(mask > 0, y, np.nan), np.ones(len(y)), strata)


def agree(points: Points, draw: int, target: int, single: PointEstimate) -> None:
    def of(part: torch.Tensor) -> float:
        return float(part.expand(points.value.shape)[draw, target])

    assert of(points.value) == pytest.approx(single.value, rel=1e-9, abs=1e-9)
    assert of(points.variance) == pytest.approx(single.variance, rel=1e-7, abs=1e-12)
    assert of(points.df) == pytest.approx(single.df)
    assert of(points.spread2) == pytest.approx(single.spread2, rel=1e-9, abs=1e-12)
    assert of(points.mean) == pytest.approx(single.mean, rel=1e-9, abs=1e-12)
    assert of(points.draws.population) == pytest.approx(single.population)
    assert bool(points.draws.complete[draw]) == single.complete


@pytest.mark.parametrize("k", [1, 2, 5, 12, 40, ITEMS])
def test_means(world, k):
    mask = masks(k)
    y, strata = world["y"], world["strata"]
    by_stratum = stratified_points(plain(mask, strata), torch.from_numpy(y))
    whole = mean_points(plain(mask, strata), torch.from_numpy(y))
    for draw in range(DRAWS):
        for target in range(TARGETS):
            agree(by_stratum, draw, target, stratified_mean(sample(mask[draw], y[:, target], strata)))
            one = stratified_mean(sample(mask[draw], y[:, target], np.zeros_like(strata)))
            agree(whole, draw, target, one)
            assert one.value == pytest.approx(y[mask[draw] > 0, target].mean())


@pytest.mark.parametrize("full", [True, False], ids=["all items", "pools"])
@pytest.mark.parametrize("k", [2, 8, 14, 30])
def test_expc(world, k, full):
    rng = np.random.default_rng(3)
    pools = [np.sort(rng.choice(ITEMS, ITEMS if full else 35, replace=False)) for _ in range(DRAWS)]
    mask, y = masks(k, pools), world["y"]
    families = [[number] for number in range(4)]
    fits = [fit_regression(profiles(world["probes"], families, pool), pool, ITEMS) for pool in pools]
    points = expc_points(plain(mask, world["strata"]), torch.from_numpy(y), fits)
    for draw in range(DRAWS):
        for target in range(TARGETS):
            agree(points, draw, target, expc(sample(mask[draw], y[:, target], world["strata"]), fits[draw]))
    one = expc_points(plain(mask, world["strata"]), torch.from_numpy(y[:, :1]), fits)
    assert one.residuals is not None
    for draw in range(DRAWS):
        told = expc(sample(mask[draw], y[:, 0], world["strata"]), fits[draw]).residuals
        np.testing.assert_allclose(one.residuals[draw].numpy()[mask[draw] > 0], told, atol=1e-12)


@pytest.mark.parametrize("full", [True, False], ids=["all items", "pools"])
@pytest.mark.parametrize("k", [1, 2, 8, 14, 30, 35])
@pytest.mark.parametrize("families", [[[0], [1], [2], [3]], [[0, 1, 2, 3]]], ids=["four", "one"])
def test_blup(world, k, full, families):
    rng = np.random.default_rng(4)
    pools = [np.sort(rng.choice(ITEMS, ITEMS if full else 35, replace=False)) for _ in range(DRAWS)]
    mask, y, strata = masks(k, pools), world["y"], world["strata"]
    models = [fit_difficulty(profiles(world["probes"], families, pool), strata, pool) for pool in pools]
    points = blup_points(plain(mask, strata), torch.from_numpy(y), Models.stack(models))
    for draw in range(DRAWS):
        for target in range(TARGETS):
            agree(points, draw, target, blup(sample(mask[draw], y[:, target], strata), models[draw]))
    shared = blup_points(plain(mask, strata), torch.from_numpy(y), Models.stack(models[:1]))
    agree(shared, 2, 1, blup(sample(mask[2], y[:, 1], strata), models[0]))


def test_a_metric_that_only_some_items_log(world):
    strata, y = world["strata"], world["y"][:, :1].copy()
    driven = masks(25)
    logged = driven * (np.random.default_rng(1).random((DRAWS, ITEMS)) < 0.7)
    singles = [ratio_sample(sample(m, y[:, 0], strata), d > 0) for m, d in zip(logged, driven, strict=True)]
    weights, squares = (np.stack([getattr(one, name) for one in singles]) for name in ("weights", "squares"))
    draws = batch(logged, strata, weights, squares)
    pool = np.arange(ITEMS)
    model = fit_difficulty(profiles(world["probes"], [[0], [1], [2, 3]], pool), strata, pool)
    points = blup_points(draws, torch.from_numpy(y), Models.stack([model]))
    means = stratified_points(draws, torch.from_numpy(y))
    assert points.residuals is not None
    assert means.residuals is not None
    for draw, single in enumerate(singles):
        agree(points, draw, 0, blup(single, model))
        agree(means, draw, 0, stratified_mean(single))
        inside = logged[draw] > 0
        np.testing.assert_allclose(points.residuals[draw, inside], blup(single, model).residuals, atol=1e-9)
        np.testing.assert_allclose(means.residuals[draw, inside], stratified_mean(single).residuals, atol=1e-9)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
@pytest.mark.parametrize("k", [1, 2, 9, 30, ITEMS])
def test_intervals(world, spec, k):
    """Also where all measured values are equal, at a bound and away from it."""
    strata, mask = world["strata"], masks(k)
    y = 1 / (1 + np.exp(-world["y"] - 1))
    y = (y > 0.5).astype(float) if spec.binary else y
    y[:, 2], y[:, 3] = 1.0, 0.0 if spec.binary else 0.25
    pool = np.arange(ITEMS)
    model = fit_difficulty(profiles(world["probes"] / 8, [[0], [1], [2], [3]], pool), strata, pool)
    points = blup_points(plain(mask, strata), torch.from_numpy(y), Models.stack([model]))
    value, low, high = estimates(points, spec, 0.95)
    frame = MetricFrame(spec.bounds, spec.binary, 0.95, spec.higher_is_better)
    for draw in range(DRAWS):
        for target in range(TARGETS):
            single = estimate(blup(sample(mask[draw], y[:, target], strata), model), frame, None, 1.0)
            assert value[draw, target] == pytest.approx(single.value, abs=1e-9)
            if single.run is None:
                assert np.isnan([low[draw, target], high[draw, target]]).all()
            else:
                assert low[draw, target] == pytest.approx(single.run.low, abs=1e-7)
                assert high[draw, target] == pytest.approx(single.run.high, abs=1e-7)
