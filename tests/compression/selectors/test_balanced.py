"""The default selector against drawing and judging one candidate after another."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from bestrand_drive.compression.sampling import simple_random, split_generator, systematic_stratified
from bestrand_drive.compression.selectors.balanced import Balanced
from bestrand_drive.compression.selectors.base import ChoiceSettings
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.tables import read_table
from tests.compression import reference
from tests.compression.worlds import LIGHT, World, close, earliest_least, matrix, seeded, worlds


def _features(world: World, weights: list[float]) -> np.ndarray:
    blocks = [np.float64(np.float32(block[world.pool])) for block in (world.scores, -3 * world.scores**2)]
    families = world.alive
    return reference.features([reference.family_average(block, families) for block in blocks], weights)


@LIGHT
@given(worlds(least=4, kinds=["normal", "copies"], missing=[0.0, 0.1], families=False), st.integers(0, 2**31))
def test_the_stratified_choice_equals_the_literal_method(world: World, seed: int) -> None:
    features = _features(world, [1.0, 2.0])
    assume(np.abs(features).max() > 0)
    k, size = len(world.suite), len(world.pool)
    labels = np.unique(world.strata[world.pool], return_inverse=True)[1]
    draws = systematic_stratified(torch.from_numpy(labels), k)(16, split_generator(seeded(seed)))
    judged = [(reference.imbalance(features, subset, range(size)), subset) for subset in draws.tolist()]
    distance, subset = earliest_least(judged)
    settings = ChoiceSettings(
        candidates=16, metric_weights={"m0": 1.0, "m1": 2.0}, families=world.families, guard_domains=False
    )
    names = [f"{h:03d}" for h in world.strata]
    found = Balanced(settings).select(
        matrix([world.scores, -3 * world.scores**2], strata=names),
        k,
        pool=torch.from_numpy(world.pool),
        generator=seeded(seed),
    )
    close(found.diagnostics["imbalance"], distance, rtol=1e-5, scale=1e3)
    if distance > 1e-6:
        assert found.indices.tolist() == world.pool[subset].tolist()


def _case(seed: int = 0, items: int = 60) -> np.ndarray:
    return np.round(np.random.default_rng(seed).normal(size=(items, 3)) * 64) / 64


STRATA = np.arange(60) // 5


@pytest.mark.parametrize("k", [6, 12, 20])
def test_every_stratum_gets_its_share(k: int) -> None:
    found = Balanced().select(matrix(_case(), strata=STRATA), k, pool=torch.arange(60), generator=seeded(0))
    counts = Counter(STRATA[found.indices.numpy()].tolist())
    for h in range(12):
        assert k // 12 <= counts[h] <= -(-k // 12)


@pytest.mark.parametrize("strata", [STRATA, None])
@pytest.mark.parametrize(("a", "b"), [(4.0, 0.0), (1.0, -7.0), (100.0, 25.0)])
def test_affine_scores_give_the_same_choice_and_relative_imbalance(a: float, b: float, strata: np.ndarray) -> None:
    pool = torch.arange(60)
    straight = Balanced().select(matrix(_case(), strata=strata), 12, pool=pool, generator=seeded(0))
    moved = Balanced().select(matrix(a * _case() + b, strata=strata), 12, pool=pool, generator=seeded(0))
    assert torch.equal(moved.indices, straight.indices)
    close(moved.diagnostics["imbalance"], straight.diagnostics["imbalance"], rtol=1e-5, scale=1e3)


def test_without_probes_it_is_one_stratified_draw_and_says_so() -> None:
    found = Balanced().select(matrix(np.zeros((60, 0)), strata=STRATA), 12, pool=torch.arange(60), generator=seeded(0))
    assert "none" in str(found.diagnostics["probes"])
    assert sorted(STRATA[found.indices.numpy()].tolist()) == list(range(12))
    # labels sort as text: s0, s1, s10, s11, s2 ...
    codes = torch.from_numpy(np.unique([f"s{h}" for h in STRATA], return_inverse=True)[1])
    first = systematic_stratified(codes, 12)(1, split_generator(seeded(0)))[0]
    assert torch.equal(found.indices, first)


def test_without_probes_and_strata_it_is_a_random_draw() -> None:
    found = Balanced().select(matrix(np.zeros((60, 0))), 12, pool=torch.arange(60), generator=seeded(0))
    assert torch.equal(found.indices, simple_random(60, 12)(1, split_generator(seeded(0)))[0])
    assert found.diagnostics["sampling"] == "simple random"


def test_without_strata_exchanges_lower_the_imbalance_further() -> None:
    found = Balanced().select(matrix(_case()), 12, pool=torch.arange(60), generator=seeded(0))
    assert found.diagnostics["sampling"] == "simple random, then exchanges"
    features = reference.features([reference.fill(_case())])
    draws = simple_random(60, 12)(128, split_generator(seeded(0))).tolist()
    best = min(reference.imbalance(features, subset, range(60)) for subset in draws)
    close(found.diagnostics["imbalance"], reference.imbalance(features, found.indices.tolist(), range(60)))
    assert float(found.diagnostics["imbalance"]) < 0.5 * best


def test_exchanges_keep_every_guarded_domain() -> None:
    rng = np.random.default_rng(0)
    domains = {f"d{j}": torch.from_numpy(rng.random(60) < 0.15) for j in range(6)}
    for seed in range(5):
        found = Balanced().select(
            replace(matrix(_case()), domains=domains), 12, pool=torch.arange(60), generator=seeded(seed)
        )
        assert all(bool(domain[found.indices].any()) for domain in domains.values() if bool(domain.any()))


@pytest.mark.parametrize("strata", [STRATA, None])
def test_weighted_items_are_balanced_by_weight(strata: np.ndarray | None) -> None:
    """Clusters count as many as they have members, in the subset's mean and in the benchmark's.

    Exchanges take no notice of weights, so that there are none.
    """
    weights = np.random.default_rng(1).integers(1, 6, 60) * 1.0
    scores = replace(matrix(_case(), strata=strata), weights=torch.from_numpy(weights))
    found = Balanced().select(scores, 24, pool=torch.arange(60), generator=seeded(0))
    features = reference.features([reference.fill(_case())])
    inside = found.indices.numpy()
    gap = np.average(features[inside], axis=0, weights=weights[inside]) - np.average(features, axis=0, weights=weights)
    close(found.diagnostics["imbalance"], np.linalg.norm(gap))
    assert "exchanges" not in str(found.diagnostics["sampling"])


def test_members_of_a_family_count_once() -> None:
    x = _case()
    pool, strata = torch.arange(60), STRATA
    twice = np.column_stack([x, x[:, 0]])
    plain = Balanced().select(matrix(x, strata=strata), 12, pool=pool, generator=seeded(0))
    merged = Balanced(ChoiceSettings(families=[[0, 3], [1], [2]])).select(
        matrix(twice, strata=strata), 12, pool=pool, generator=seeded(0)
    )
    assert torch.equal(merged.indices, plain.indices)
    close(merged.diagnostics["imbalance"], plain.diagnostics["imbalance"])


@pytest.mark.parametrize("cells", [np.ones((60, 2)), np.full((60, 2), np.nan)])
def test_nothing_to_balance_on_is_the_draw_without_probes(cells: np.ndarray) -> None:
    pool = torch.arange(60)
    found = Balanced().select(matrix(cells, strata=STRATA), 12, pool=pool, generator=seeded(0))
    assert "none" in str(found.diagnostics["probes"])
    bare = Balanced().select(matrix(np.zeros((60, 0)), strata=STRATA), 12, pool=pool, generator=seeded(0))
    assert torch.equal(found.indices, bare.indices)


def test_unselected_metrics_do_not_choose() -> None:
    pool = torch.arange(60)
    pair = matrix([_case(1), _case(2)], strata=STRATA)
    off = replace(pair, metrics=(pair.metrics[0], replace(pair.metrics[1], select=False)))
    alone = Balanced().select(matrix(_case(1), strata=STRATA), 12, pool=pool, generator=seeded(0))
    assert torch.equal(Balanced().select(off, 12, pool=pool, generator=seeded(0)).indices, alone.indices)


@pytest.mark.parametrize("name", ["bfcl_v2_20240811", "lcb_repair", "swebench_verified_mini4", "chembench"])
def test_real_matrices_equal_the_literal_imbalance(shared_data, name: str) -> None:
    frame = read_table(shared_data / "matrices" / f"{name}.csv.gz").iloc[::5].head(200)
    scores = ScoreMatrix.from_frame(frame)
    scores = scores.with_policies(scores.policies[:4])
    items = len(scores.items)
    strata = tuple(f"s{i // 10:03d}" for i in range(items))
    features = reference.features([reference.fill(scores.masked(0))])
    for labels in (strata, None):
        found = Balanced(ChoiceSettings(candidates=32)).select(
            replace(scores, strata=labels), items // 10, pool=torch.arange(items), generator=seeded(5)
        )
        subset = found.indices.tolist()
        close(found.diagnostics["imbalance"], reference.imbalance(features, subset, range(items)), scale=10)
