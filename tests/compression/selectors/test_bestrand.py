"""BestRand as published, against drawing and judging one candidate after another."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from bestrand_drive.compression.sampling import simple_random, split_generator
from bestrand_drive.compression.selectors.base import ChoiceSettings
from bestrand_drive.compression.selectors.bestrand import Bestrand
from bestrand_drive.errors import NothingSelected, UsageError
from tests.compression import reference
from tests.compression.worlds import LIGHT, World, close, earliest_least, matrix, seeded, worlds


def _literal(world: World, seed: int, candidates: int, weights: list[float]) -> tuple[list[int], float]:
    blocks = [world.scores[world.pool], -3 * world.scores[world.pool] ** 2]
    features, valid = reference.masked_features([np.float64(np.float32(block)) for block in blocks], weights)
    k = len(world.suite)
    draws = simple_random(len(world.pool), k)(candidates, split_generator(seeded(seed))).tolist()
    judged = [(reference.imbalance(features, subset, range(len(world.pool)), valid), subset) for subset in draws]
    distance, subset = earliest_least(judged)
    return world.pool[subset].tolist(), distance


@LIGHT
@given(worlds(least=4, kinds=["normal"], missing=[0.0, 0.1]), st.integers(0, 2**31))
def test_the_choice_equals_the_literal_method(world: World, seed: int) -> None:
    seen = ~np.isnan(world.scores[world.pool])
    assume((seen.sum(axis=0) > 1).any())
    weights = [1.0, 2.0]
    expected, distance = _literal(world, seed, 16, weights)
    assume(math.isfinite(distance))
    settings = ChoiceSettings(candidates=16, metric_weights={"m0": 1.0, "m1": 2.0}, guard_domains=False)
    scores = matrix([world.scores, -3 * world.scores**2])
    found = Bestrand(settings).select(
        scores, len(world.suite), pool=torch.from_numpy(world.pool), generator=seeded(seed)
    )
    close(found.diagnostics["imbalance"], distance, rtol=1e-5, scale=1e3)
    if distance > 1e-6:
        assert found.indices.tolist() == expected


def _case(seed: int = 0) -> np.ndarray:
    return np.round(np.random.default_rng(seed).normal(size=(40, 3)) * 64) / 64


@pytest.mark.parametrize(("a", "b"), [(4.0, 0.0), (1.0, -7.0), (100.0, 25.0)])
def test_affine_scores_give_the_same_choice_and_relative_imbalance(a: float, b: float) -> None:
    pool = torch.arange(40)
    straight = Bestrand().select(matrix(_case()), 8, pool=pool, generator=seeded(0))
    moved = Bestrand().select(matrix(a * _case() + b), 8, pool=pool, generator=seeded(0))
    assert torch.equal(moved.indices, straight.indices)
    close(moved.diagnostics["imbalance"], straight.diagnostics["imbalance"], rtol=1e-5)


def test_one_metric_s_scale_does_not_outweigh_another_s() -> None:
    pool = torch.arange(40)
    pair = [_case(1), _case(2)]
    straight = Bestrand().select(matrix(pair), 8, pool=pool, generator=seeded(0))
    moved = Bestrand().select(matrix([pair[0], 256 * pair[1]]), 8, pool=pool, generator=seeded(0))
    assert torch.equal(moved.indices, straight.indices)


def test_families_are_not_merged_and_strata_not_used() -> None:
    pool = torch.arange(40)
    plain = Bestrand().select(matrix(_case()), 8, pool=pool, generator=seeded(0))
    other = Bestrand(ChoiceSettings(families=[[0, 1, 2]])).select(
        matrix(_case(), strata=np.arange(40) // 4), 8, pool=pool, generator=seeded(0)
    )
    assert torch.equal(other.indices, plain.indices)


def test_scores_outside_the_pool_are_not_looked_at() -> None:
    pool = torch.arange(20)
    other = _case()
    other[20:] = 1e3
    assert torch.equal(
        Bestrand().select(matrix(_case()), 5, pool=pool, generator=seeded(0)).indices,
        Bestrand().select(matrix(other), 5, pool=pool, generator=seeded(0)).indices,
    )


def test_a_dead_probe_and_a_constant_metric_are_ignored() -> None:
    x, pool = _case(), torch.arange(40)
    dead = np.column_stack([x, np.full(40, np.nan)])
    plain = Bestrand().select(matrix(x), 8, pool=pool, generator=seeded(0))
    assert torch.equal(Bestrand().select(matrix(dead), 8, pool=pool, generator=seeded(0)).indices, plain.indices)
    constant = Bestrand().select(matrix([x, np.ones_like(x)]), 8, pool=pool, generator=seeded(0))
    assert torch.equal(constant.indices, plain.indices)


@pytest.mark.parametrize("scores", [np.zeros((9, 0)), np.full((9, 2), np.nan)])
def test_nothing_to_choose_by_is_refused(scores: np.ndarray) -> None:
    with pytest.raises(UsageError, match="at least one probe"):
        Bestrand().select(matrix(scores), 3, pool=torch.arange(9), generator=seeded(0))


def test_where_probes_score_all_items_alike_any_subset_is_as_good() -> None:
    pool = torch.tensor([0, 2, 3, 5, 8])
    found = [Bestrand().select(matrix(np.ones((9, 2))), 3, pool=pool, generator=seeded(seed)) for seed in range(8)]
    assert all(set(one.indices.tolist()) <= set(pool.tolist()) for one in found)
    assert len({tuple(one.indices.tolist()) for one in found}) > 1
    assert {one.diagnostics["judged"] for one in found} == {1}


def test_it_counts_what_it_judged_and_rejected() -> None:
    part = torch.zeros(40, dtype=torch.bool)
    part[:6] = True
    scores = replace(matrix(_case()), domains={"part": part})
    found = Bestrand().select(scores, 4, pool=torch.arange(40), generator=seeded(0))
    assert found.diagnostics["judged"] == 128
    own, accepted, rejected = split_generator(seeded(0)), 0, 0
    while accepted < 128:
        inside = part[simple_random(40, 4)(1, own)[0]].any()
        accepted, rejected = accepted + int(inside), rejected + int(not inside)
    assert found.diagnostics["rejected"] == rejected > 0


def test_a_choice_that_hides_a_probe_everywhere_is_no_choice() -> None:
    """No item was run by both probes and k = 1: every candidate leaves a probe without a score."""
    scores = np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, 1.0], [np.nan, 3.0]])
    with pytest.raises(NothingSelected):
        Bestrand().select(matrix(scores), 1, pool=torch.arange(4), generator=seeded(0))
