"""Choosing for a ranking, against all pairwise differences written out; what moves all probes alike plays no part."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch

from bestrand_drive.compression.features import differences
from bestrand_drive.compression.sampling import simple_random, split_generator, systematic_stratified
from bestrand_drive.compression.selectors.balanced import Balanced
from bestrand_drive.compression.selectors.base import ChoiceSettings
from bestrand_drive.compression.selectors.bestrand import Bestrand
from bestrand_drive.errors import UsageError
from tests.compression import reference
from tests.compression.worlds import close, earliest_least, matrix, seeded

RANKING = ChoiceSettings(candidates=32, metric_weights={"m0": 1.0, "m1": 2.0}, objective="ranking")
POOL = torch.arange(40)
STRATA = [f"{number // 5:03d}" for number in range(40)]


def blocks(seed: int, probes: int = 4) -> list[np.ndarray]:
    """Two metrics with a difficulty that all probes share."""
    rng = np.random.default_rng(seed)
    hard = 3 * rng.normal(size=(40, 1))
    return [np.round((hard + rng.normal(size=(40, probes)) + rng.normal(size=probes)) * 64) / 64 for _ in range(2)]


def all_pairs(block: np.ndarray) -> np.ndarray:
    """Every difference of two probes, over the root mean square of all of them about their own means."""
    pairs = [block[:, a] - block[:, b] for a, b in combinations(range(block.shape[1]), 2)]
    columns = np.column_stack([pair - pair.mean() for pair in pairs])
    return columns / np.sqrt((columns**2).mean())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("stratified", [False, True])
def test_the_choice_balances_all_pairwise_differences(seed: int, stratified: bool) -> None:
    scores = blocks(seed)
    written_out = np.concatenate([all_pairs(scores[0]), 2 * all_pairs(scores[1])], axis=1)
    codes = torch.arange(40) // 5
    draw = systematic_stratified(codes, 8) if stratified else simple_random(40, 8)
    draws = draw(32, split_generator(seeded(seed)))
    _, expected = earliest_least([(reference.imbalance(written_out, s, range(40)), s) for s in draws.tolist()])
    selector = Balanced(RANKING) if stratified else Bestrand(RANKING)
    found = selector.select(matrix(scores, strata=STRATA if stratified else None), 8, pool=POOL, generator=seeded(seed))
    assert found.indices.tolist() == expected


@pytest.mark.parametrize("selector", [Balanced, Bestrand])
def test_what_all_probes_share_plays_no_part(selector: type[Balanced] | type[Bestrand]) -> None:
    scores = blocks(0)
    harder = [block + 16 * np.random.default_rng(9).integers(-3, 4, size=(40, 1)) for block in scores]
    chosen = [
        selector(RANKING).select(matrix(one), 8, pool=POOL, generator=seeded(3)).indices.tolist()
        for one in (scores, harder)
    ]
    assert chosen[0] == chosen[1]
    plain = ChoiceSettings(candidates=32, metric_weights={"m0": 1.0, "m1": 2.0})
    moved = [
        selector(plain).select(matrix(one), 8, pool=POOL, generator=seeded(3)).indices.tolist()
        for one in (scores, harder)
    ]
    assert moved[0] != moved[1], "scores do depend on it"


def test_a_missing_cell_is_no_difference() -> None:
    """A strong probe that was not run on an item must not make the item look hard for the others."""
    block = blocks(1)[0]
    block[:, 0] += 50
    gaps = block.copy()
    gaps[::4, 0] = np.nan
    found = differences(gaps)
    assert np.isnan(found[::4, 0]).all()
    assert not np.isnan(found[:, 1:]).any()
    close(found[1::4].sum(axis=1), np.zeros(10))
    assert np.abs(found[:, 1:]).max() < 10


@pytest.mark.parametrize("selector", [Balanced, Bestrand])
@pytest.mark.parametrize("probes", [0, 1])
def test_a_ranking_needs_two_probes(selector: type[Balanced] | type[Bestrand], probes: int) -> None:
    with pytest.raises(UsageError, match="two probes"):
        selector(RANKING).select(
            matrix(blocks(0, max(probes, 1))).with_policies([f"p{j}" for j in range(probes)]),
            8,
            pool=POOL,
            generator=seeded(0),
        )


def test_relatives_are_one_probe() -> None:
    settings = ChoiceSettings(families=[[0, 1, 2, 3]], objective="ranking")
    with pytest.raises(UsageError, match="different families"):
        Balanced(settings).select(matrix(blocks(0)), 8, pool=POOL, generator=seeded(0))
