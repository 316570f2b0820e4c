"""What every selector takes and gives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from bestrand_drive.compression.selectors.balanced import Balanced
from bestrand_drive.compression.selectors.base import ChoiceSettings, check_size, selection, weighted_selection
from bestrand_drive.compression.selectors.bestrand import Bestrand
from bestrand_drive.compression.selectors.random import Random
from bestrand_drive.errors import NothingSelected
from bestrand_drive.scores.matrix import ScoreMatrix
from tests.compression.worlds import close, matrix, seeded

SELECTORS = [Random, Bestrand, Balanced]


def scores(strata: bool = True) -> ScoreMatrix:
    """30 items, 3 probes, 2 metrics, 10 % of the cells missing."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 30, 3))
    x[rng.random(x.shape) < 0.1] = np.nan
    return matrix(list(x), strata=np.arange(30) // 5 if strata else None)


@pytest.mark.parametrize("k", [0, -1, 11, 30])
@pytest.mark.parametrize("which", SELECTORS)
def test_an_impossible_size_is_refused(which: type, k: int) -> None:
    with pytest.raises(NothingSelected, match="out of a pool of 10"):
        which().select(scores(), k, pool=torch.arange(10), generator=seeded(0))
    with pytest.raises(NothingSelected, match="out of a pool of 10"):
        check_size(k, torch.arange(10))


@pytest.mark.parametrize("strata", [True, False])
@pytest.mark.parametrize("k", [1, 7, 20])
@pytest.mark.parametrize("which", SELECTORS)
def test_a_selection_holds_k_items_of_the_pool_in_order(which: type, k: int, strata: bool) -> None:
    pool = torch.arange(30)[5:25]
    found = which().select(scores(strata), k, pool=pool, generator=seeded(1))
    assert found.indices.shape == (k,)
    assert (found.indices.diff() > 0).all()
    assert torch.isin(found.indices, pool).all()
    close(found.weights.numpy(), np.full(k, 1 / k))
    for value in found.diagnostics.values():
        assert isinstance(value, str) or np.isfinite(value)


@pytest.mark.parametrize("strata", [True, False])
@pytest.mark.parametrize("which", SELECTORS)
def test_the_whole_pool_leaves_no_imbalance(which: type, strata: bool) -> None:
    found = which().select(scores(strata), 30, pool=torch.arange(30), generator=seeded(1))
    assert found.indices.tolist() == list(range(30))
    assert found.diagnostics.get("imbalance", 0.0) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("strata", [True, False])
@pytest.mark.parametrize("which", SELECTORS)
def test_the_seed_decides_and_nothing_else(which: type, strata: bool) -> None:
    pool, threads = torch.arange(30), torch.get_num_threads()
    expected = which().select(scores(strata), 9, pool=pool, generator=seeded(2))
    others = []
    for memory_mib in (0, 256):
        for count in (1, 2):
            torch.set_num_threads(count)
            settings = ChoiceSettings(memory_mib=memory_mib)
            generator = seeded(2)
            others.append(which(settings).select(scores(strata), 9, pool=pool, generator=generator))
    torch.set_num_threads(threads)
    assert all(torch.equal(other.indices, expected.indices) for other in others)
    assert others[0].diagnostics.keys() == expected.diagnostics.keys()
    seeds = {tuple(which().select(scores(), 9, pool=pool, generator=seeded(s)).indices.tolist()) for s in range(5)}
    assert len(seeds) > 1


@pytest.mark.parametrize("which", SELECTORS)
def test_the_zero_of_a_masked_cell_is_no_score(which: type) -> None:
    """A mask hides a zero: were it counted, scores far from zero would be chosen by their gaps."""
    rng = np.random.default_rng(0)
    cells = np.round(rng.normal(size=(30, 3)) * 64) / 64  # of which float32 keeps every digit when they are moved
    cells[rng.random((30, 3)) < 0.3] = np.nan
    found = [
        which().select(matrix(cells + moved), 9, pool=torch.arange(30), generator=seeded(2))
        for moved in (0.0, -8.0, 64.0)
    ]
    assert len({tuple(one.indices.tolist()) for one in found}) == 1
    close([one.diagnostics.get("imbalance", 0.0) for one in found], [found[0].diagnostics.get("imbalance", 0.0)] * 3)


@pytest.mark.parametrize("which", SELECTORS)
def test_ninety_percent_missing_cells_still_give_a_finite_choice(which: type) -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(60, 3))
    x[rng.random(x.shape) < 0.9] = np.nan
    found = which().select(matrix(x), 20, pool=torch.arange(60), generator=seeded(0))
    assert np.isfinite([value for value in found.diagnostics.values() if not isinstance(value, str)]).all()


@pytest.mark.parametrize("which", SELECTORS)
def test_weights_of_clusters_are_kept(which: type) -> None:
    sizes = torch.arange(1, 31, dtype=torch.float64)
    found = which().select(replace(scores(), weights=sizes), 6, pool=torch.arange(30), generator=seeded(0))
    close(found.weights.numpy(), (sizes[found.indices] / sizes[found.indices].sum()).numpy())


@pytest.mark.parametrize("which", SELECTORS)
def test_every_guarded_domain_keeps_an_item_unless_switched_off(which: type) -> None:
    rare = torch.zeros(30, dtype=torch.bool)
    rare[4] = True
    guarded = replace(scores(), domains={"rare": rare})
    hits = []
    for seed in range(8):
        found = which().select(guarded, 5, pool=torch.arange(30), generator=seeded(seed))
        assert 4 in found.indices.tolist()
        hits.append(found.diagnostics["rejected"])
        free = which(ChoiceSettings(guard_domains=False)).select(
            guarded, 5, pool=torch.arange(30), generator=seeded(seed)
        )
        assert free.diagnostics["rejected"] == 0
    assert sum(hits) > 0


@pytest.mark.parametrize("which", SELECTORS)
def test_a_domain_outside_the_pool_is_no_guard(which: type) -> None:
    rare = torch.zeros(30, dtype=torch.bool)
    rare[29] = True
    guarded = replace(scores(), domains={"rare": rare})
    assert which().select(guarded, 5, pool=torch.arange(20), generator=seeded(0)).diagnostics["rejected"] == 0


def test_weights_of_metrics() -> None:
    settings = ChoiceSettings(metric_weights={"m1": 2.0})
    assert [settings.weight(scores(), metric) for metric in (0, 1)] == [0.0, 2.0]
    assert [ChoiceSettings().weight(scores(), metric) for metric in (0, 1)] == [1.0, 1.0]


def test_metrics_that_choose_come_by_weight() -> None:
    assert ChoiceSettings().chosen_metrics(scores()) == [0, 1]
    assert ChoiceSettings(metric_weights={"m1": 2.0}).chosen_metrics(scores()) == [1]
    assert ChoiceSettings(metric_weights={"m0": 1.0, "m1": 2.0}).chosen_metrics(scores()) == [1, 0]


def test_a_selection_that_was_not_drawn_keeps_each_item_s_weight_and_counts_domains_left_empty() -> None:
    here, gone = torch.zeros((2, 30), dtype=torch.bool)
    here[7], gone[0] = True, True
    guarded = replace(scores(), domains={"here": here, "gone": gone, "nowhere": torch.zeros(30, dtype=torch.bool)})
    items, weights = torch.tensor([9, 7, 12]), torch.tensor([1.0, 2.0, 5.0], dtype=torch.float64)
    for settings, told in ((ChoiceSettings(), {"domains_without_item": 1}), (ChoiceSettings(guard_domains=False), {})):
        found = weighted_selection(guarded, items, weights, settings, {}, estimator="weighted")
        assert found.indices.tolist() == [7, 9, 12]
        close(found.weights.numpy(), [0.25, 0.125, 0.625])
        assert found.diagnostics == told


def test_families_default_to_one_a_policy() -> None:
    assert ChoiceSettings().family_columns(scores()) == [[0], [1], [2]]
    assert ChoiceSettings(families=[[0, 2], [1]]).family_columns(scores()) == [[0, 2], [1]]


def test_pool_positions_become_item_numbers() -> None:
    found = selection(torch.tensor([9, 3, 7]), torch.tensor([0, 1]), scores(), {"a": 1})
    assert found.indices.tolist() == [3, 9]
    assert found.diagnostics == {"a": 1}
