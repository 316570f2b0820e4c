"""Choosing for many seeds: the laws are those of the selectors, and a seed's subset is its own."""

from __future__ import annotations

import importlib
from dataclasses import replace

import numpy as np
import pytest
import torch

from bestrand_drive.compression.imbalance import NORMS, imbalance
from bestrand_drive.compression.selectors.balanced import Balanced
from bestrand_drive.compression.selectors.base import ChoiceSettings
from bestrand_drive.compression.selectors.bestrand import Bestrand, _probe_features
from bestrand_drive.errors import UsageError
from bestrand_drive.study.arms import Arm
from bestrand_drive.study.candidates import (
    best_candidate,
    best_of_classes,
    exchanged,
    response_classes,
    simple_candidates,
    systematic_candidates,
)
from bestrand_drive.study.choosing import balanced_features, bestrand_features, choose_batch
from tests.study.worlds import binary_table, driving_problem, table_problem


@pytest.mark.parametrize("objective", ["scores", "ranking"])
def test_features_are_those_of_the_selectors(objective):
    problem = driving_problem()
    roles = problem.split(0)[0]
    probes = problem.scores.with_policies([problem.scores.policies[number] for number in roles.probes])
    scores = problem.values[:, list(roles.probes)]
    mine = bestrand_features(problem, scores, objective)
    theirs, valid = _probe_features(probes, torch.arange(40), ChoiceSettings(objective=objective))
    np.testing.assert_allclose(np.nan_to_num(mine), torch.where(valid, theirs, 0.0).numpy(), rtol=1e-9, atol=1e-12)
    settings = ChoiceSettings(families=[list(family) for family in roles.families], objective=objective)
    space = Balanced(settings).space(probes, torch.arange(40))
    mine = balanced_features(problem, scores, roles, objective)
    np.testing.assert_allclose(mine, space.features.numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("norm", NORMS)
def test_the_best_candidate_is_the_one_of_least_imbalance(norm):
    rng = np.random.default_rng(0)
    features = rng.normal(size=(30, 4))
    features[rng.random(features.shape) < 0.2] = np.nan
    candidates = simple_candidates(30, 6, 50, rng)
    valid = torch.from_numpy(~np.isnan(features))
    tensor = torch.from_numpy(np.nan_to_num(features))
    distance = imbalance(tensor, torch.from_numpy(candidates), valid, None, NORMS[norm])
    best = best_candidate(features, candidates, NORMS[norm])
    assert best.tolist() == candidates[int(distance.argmin())].tolist()


def test_distances_differ():
    rng = np.random.default_rng(0)
    features = torch.from_numpy(rng.normal(size=(30, 4)))
    candidates = torch.from_numpy(simple_candidates(30, 6, 50, rng))
    centred = features - features.mean(dim=0)
    means = centred[candidates].mean(dim=1)
    np.testing.assert_allclose(imbalance(features, candidates, norm=1.0), means.abs().sum(dim=1))
    np.testing.assert_allclose(imbalance(features, candidates, norm=np.inf), means.abs().amax(dim=1))


def test_candidates_hold_what_they_must():
    rng = np.random.default_rng(0)
    strata = rng.integers(0, 5, 43)
    sizes = np.bincount(strata)
    for k in (1, 7, 20, 43):
        for chosen in systematic_candidates(strata, k, 200, rng):
            assert len(set(chosen.tolist())) == k
            counts = np.bincount(strata[chosen], minlength=5)
            assert (np.abs(counts - sizes * k / 43) < 1).all()
        plain = simple_candidates(43, k, 200, rng)
        assert all(len(set(chosen.tolist())) == k for chosen in plain)
    included = np.bincount(systematic_candidates(strata, 7, 20000, rng).ravel(), minlength=43) / 20000
    np.testing.assert_allclose(included, 7 / 43, atol=4.5 * np.sqrt(7 / 43 / 20000))
    included = np.bincount(simple_candidates(43, 7, 20000, rng).ravel(), minlength=43) / 20000
    np.testing.assert_allclose(included, 7 / 43, atol=4.5 * np.sqrt(7 / 43 / 20000))


def test_classes_are_the_patterns_of_scores():
    scores = np.array([[0, 1], [1, 1], [0, 1], [0, 0.0]])
    classes = response_classes(scores)
    assert classes is not None
    assert classes[0] == classes[2]
    assert len(set(classes.tolist())) == 3
    assert response_classes(scores + 0.5) is None
    assert response_classes(np.zeros((4, 7))) is None


def test_drawing_by_class_has_the_law_of_drawing_items():
    """Mean imbalance of the best, and how often each item is in it, over many draws."""
    scores = binary_table(items=60, policies=3).masked(0)
    classes = response_classes(scores)
    assert classes is not None
    rng = np.random.default_rng(0)
    by_class = [best_of_classes(scores, classes, 12, 16, rng) for _ in range(3000)]
    by_item = [best_candidate(scores, simple_candidates(60, 12, 16, rng)) for _ in range(3000)]
    assert all(len(set(chosen.tolist())) == 12 for chosen in by_class)

    def distances(subsets: list[np.ndarray]) -> np.ndarray:
        return np.array([np.linalg.norm(scores[subset].mean(axis=0) - scores.mean(axis=0)) for subset in subsets])

    one, two = distances(by_class), distances(by_item)
    assert abs(one.mean() - two.mean()) < 4 * np.sqrt((one.var() + two.var()) / 3000)
    shares = [np.bincount(np.concatenate(found), minlength=60) / 3000 for found in (by_class, by_item)]
    np.testing.assert_allclose(shares[0], shares[1], atol=4.5 * np.sqrt(2 * 0.2 * 0.8 / 3000))


def test_exchanges_lower_the_imbalance_of_every_draw():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(5, 80, 4))
    start = np.stack([rng.choice(80, 20, replace=False) for _ in range(5)])
    rngs = [np.random.default_rng(number) for number in range(5)]
    ended = exchanged(features, start.copy(), rngs)

    def distance(chosen: np.ndarray) -> np.ndarray:
        return np.array(
            [np.linalg.norm(f[c].mean(axis=0) - f.mean(axis=0)) for f, c in zip(features, chosen, strict=True)]
        )

    assert all(len(set(chosen.tolist())) == 20 for chosen in ended)
    assert (distance(ended) < 0.3 * distance(start)).all()
    alone = exchanged(features[3:4], start[3:4].copy(), [np.random.default_rng(3)])
    assert alone[0].tolist() == ended[3].tolist()


@pytest.mark.parametrize("selector", ["bestrand", "balanced"])
def test_the_fast_way_has_the_law_of_the_selector(selector):
    """Imbalance that is left, over many seeds; the probes are the same in all of them."""
    problem = table_problem(binary_table(items=70), split=lambda seed: table_problem().split(0))
    roles = problem.split(0)[0]
    scores = problem.values[:, list(roles.probes), 0]
    probes = problem.scores.with_policies([problem.scores.policies[number] for number in roles.probes])
    count = 150
    fast = choose_batch(problem, replace(Arm.of(selector), pool_factor=None), 15, range(count), [roles] * count, 0)
    real = {"bestrand": Bestrand, "balanced": Balanced}[selector]()

    def left(indices: np.ndarray) -> float:
        return float(np.linalg.norm(scores[indices].mean(axis=0) - scores.mean(axis=0)))

    pool = torch.arange(70)
    one = np.array([left(chosen.indices) for chosen in fast])
    two = np.array(
        [
            left(real.select(probes, 15, pool=pool, generator=torch.Generator().manual_seed(seed)).indices.numpy())
            for seed in range(count)
        ]
    )
    assert abs(one.mean() - two.mean()) <= 4 * np.sqrt((one.var() + two.var()) / count) + 1e-12


@pytest.mark.parametrize("selector", ["random", "bestrand", "balanced", "stratified"])
def test_a_seed_s_subset_is_its_own(selector):
    problem = driving_problem()
    roles = [problem.split(seed)[1] for seed in range(6)]
    together = choose_batch(problem, Arm.of(selector), 9, range(6), roles, 1)
    alone = choose_batch(problem, Arm.of(selector), 9, [4], roles[4:5], 1)
    assert alone[0].indices.tolist() == together[4].indices.tolist()
    assert len({tuple(one.indices.tolist()) for one in together}) > 1
    for one in together:
        assert len(set(one.indices.tolist())) == 9
        assert set(one.indices.tolist()) <= set(one.pool.tolist())


def test_a_pool_is_all_that_is_looked_at():
    problem = table_problem()
    one = choose_batch(problem, Arm.of("bestrand"), 10, [0], [problem.split(0)[0]], 0)[0]
    assert len(one.pool) == 40
    assert Arm.of("bestrand").cost(120, 5, 10) == pytest.approx(5 * 40 / 120)
    assert Arm.of("random").cost(120, 5, 10) == 0
    assert Arm.of("balanced").cost(120, 5, 10) == 5


def test_a_selector_itself_is_asked_where_there_is_no_fast_way(monkeypatch):
    monkeypatch.setattr("bestrand_drive.study.choosing.FAST", ())
    problem = table_problem()
    roles = [problem.split(seed)[0] for seed in range(3)]
    together = choose_batch(problem, Arm.of("bestrand"), 10, range(3), roles, 0)
    alone = choose_batch(problem, Arm.of("bestrand"), 10, [2], roles[2:], 0)
    assert together[2].indices.tolist() == alone[0].indices.tolist()
    assert len(together[0].pool) == 40
    assert together[0].said.estimator == "mean"


@pytest.mark.parametrize(
    ("selector", "room"), [("sparseeval-linear", "sparseeval"), ("tinybenchmarks", "tinybenchmarks")]
)
def test_what_trains_is_asked_for_many_seeds_at_once(monkeypatch, selector, room):
    """In chunks that fit the memory; each seed's subset is that of the selector asked alone."""
    module = importlib.import_module(f"bestrand_drive.compression.selectors.{room}")
    for name in {"EPOCHS", "PROXY_EPOCHS", "FINAL_EPOCHS"} & set(vars(module)):
        monkeypatch.setattr(module, name, 4)
    kind = {"sparseeval": "SparseEval", "tinybenchmarks": "TinyBenchmarks"}[room]
    real, sizes = getattr(module, kind).select_many, []

    def counted(self, cases, k, *, pools, generators):
        sizes.append(len(cases))
        return real(self, cases, k, pools=pools, generators=generators)

    monkeypatch.setattr(getattr(module, kind), "select_many", counted)
    problem = table_problem()
    monkeypatch.setattr("bestrand_drive.study.choosing.DOUBLES", 2 * 120 * 5)
    roles = [problem.split(seed)[0] for seed in range(5)]
    together = choose_batch(problem, Arm.of(selector), 10, range(5), roles, 0)
    assert sizes == [2, 2, 1]
    alone = choose_batch(problem, Arm.of(selector), 10, [3], roles[3:4], 0)
    assert together[3].indices.tolist() == alone[0].indices.tolist()
    assert together[3].roles == roles[3]
    assert len({tuple(one.indices.tolist()) for one in together}) == 5


def test_unknown_and_impossible_selectors_are_refused():
    with pytest.raises(UsageError, match="known are"):
        Arm.of("best")
    problem = table_problem()
    with pytest.raises(UsageError, match="needs a stratum"):
        choose_batch(problem, Arm.of("stratified"), 10, [0], [problem.split(0)[0]], 0)
