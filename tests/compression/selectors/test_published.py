"""Selectors of the field: their rules by hand, by libraries and by brute force on small cases."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats

from bestrand_drive.compression.estimators.registry import guesses
from bestrand_drive.compression.estimators.source import Source
from bestrand_drive.compression.learned.anchors import fit_lines
from bestrand_drive.compression.learned.irt import ItemParameters
from bestrand_drive.compression.learned.responses import ResponseModel
from bestrand_drive.compression.selectors import flasheval, sparseeval
from bestrand_drive.compression.selectors.base import ChoiceSettings
from bestrand_drive.compression.selectors.datbench import DatBench, discrimination
from bestrand_drive.compression.selectors.flasheval import rank_agreement, search
from bestrand_drive.compression.selectors.registry import SELECTORS
from bestrand_drive.compression.selectors.sparseeval import SparseEval
from bestrand_drive.compression.selectors.tinybenchmarks import TinyBenchmarks
from bestrand_drive.compression.selectors.zipbench import allocation, spread_models, synthetic
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec
from tests.compression.histories import answered, drawn, past, score_matrix
from tests.compression.worlds import close, seeded

QUICK = ChoiceSettings(effort=0.02)
FEW_STEPS = ChoiceSettings(effort=0.004)
"""For networks, which are the slowest to train."""


def test_discrimination_is_the_point_biserial_correlation() -> None:
    scores = answered(12, 30)
    scores[:, 5] = 1.0
    found = discrimination(past(scores))
    for item in range(30):
        if np.ptp(scores[:, item]) == 0:
            assert found[item] == -1
            continue
        expected = stats.pointbiserialr(scores[:, item].astype(bool), scores.mean(axis=1)).statistic
        assert found[item] == pytest.approx(expected, abs=1e-9)


def test_datbench_takes_the_most_discriminating_items() -> None:
    scores = answered(12, 30)
    found = DatBench().select(score_matrix(scores), 7, pool=torch.arange(30), generator=seeded(0))
    power = discrimination(past(scores))
    assert power[found.indices.numpy()].min() >= np.sort(power)[-7] - 1e-9


@pytest.mark.parametrize("step", [1e-6, 0.25, 0.5])
def test_agreement_of_ranks_is_kendall_s_tau_b(step: float) -> None:
    """scipy's, where models tie in a set's mean, in the full mean and in both; 0 where it is undefined."""
    rng = np.random.default_rng(0)
    means, full = (np.round(rng.random(shape) / step) * step for shape in ((8, 20), (8,)))
    means[:, 3] = 0.5
    expected = np.nan_to_num([stats.kendalltau(means[:, s], full).statistic for s in range(20)])
    close(rank_agreement(torch.from_numpy(means), torch.from_numpy(full)).numpy(), expected)
    assert (rank_agreement(torch.from_numpy(means), torch.full((8,), 0.25)) == 0).all()


def test_flasheval_finds_the_best_of_all_subsets() -> None:
    scores = answered(9, 12, seed=5)
    full = torch.from_numpy(scores.mean(axis=1))
    every = [
        float(rank_agreement(torch.from_numpy(scores[:, list(subset)].mean(axis=1))[:, None], full))
        for subset in itertools.combinations(range(12), 4)
    ]
    subset, agreement = search(past(scores), 4, torch.arange(12), seeded(0), 0.2)
    assert agreement == pytest.approx(max(every))
    means = torch.from_numpy(scores[:, subset.numpy()].mean(axis=1))[:, None]
    assert float(rank_agreement(means, full)) == pytest.approx(agreement)


def test_flasheval_of_many_models_stays_within_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """All pairs of models for every set at once are gigabytes with hundreds of models."""
    most, whole = 0, flasheval.rank_agreement

    def watched(means: torch.Tensor, full: torch.Tensor) -> torch.Tensor:
        nonlocal most
        most = max(most, means.shape[1] * len(full) * max(len(full), 4))
        return whole(means, full)

    history, pool = past(answered(9, 12, seed=5)), torch.arange(12)
    together = search(history, 4, pool, seeded(0), 0.2)
    monkeypatch.setattr(flasheval, "DOUBLES", 2_000)
    monkeypatch.setattr(flasheval, "rank_agreement", watched)
    apart = search(history, 4, pool, seeded(0), 0.2)
    assert 0 < most <= 2_000
    assert (apart[0].tolist(), apart[1]) == (together[0].tolist(), together[1])


@pytest.mark.parametrize(("sizes", "k"), [([10, 20, 70], 10), ([1, 1, 98], 10), ([5, 5], 10), ([3, 3, 3], 4)])
def test_allocation_is_proportional_with_at_least_one(sizes: list[int], k: int) -> None:
    counts = allocation(np.array(sizes), k)
    assert counts.sum() == k
    assert counts.min() >= 1
    assert (counts <= sizes).all()
    share = np.array(sizes) * k / sum(sizes)
    assert (np.abs(counts - share)[share >= 1] <= 1.0 + (share < 1).sum()).all()


def test_models_of_evenly_spread_accuracy() -> None:
    accuracy = np.array([0.5, 0.1, 0.9, 0.11, 0.12, 0.3, 0.7, 0.91])
    assert accuracy[spread_models(accuracy, 5)].tolist() == [0.1, 0.3, 0.5, 0.7, 0.91]
    assert sorted(spread_models(accuracy[:3], 6).tolist()) == [0, 1, 2]


def _voted(real: np.ndarray, generator: torch.Generator) -> list[np.ndarray]:
    """The rule item by item: pairs first, a coin for every item whether it is needed or not, bins of exact sixths."""
    right = real.sum(axis=1)
    low, high = right.min(), right.max()
    kept: dict[int, list[float]] = {}
    for size in range(2, len(real) + 1):
        for members in itertools.combinations(range(len(real)), size):
            if len(kept) == 6:
                break
            coins = torch.rand(real.shape[1], dtype=torch.float64, generator=generator).tolist()
            votes = [int(real[list(members), item].sum()) for item in range(real.shape[1])]
            answers = [
                1.0 if 2 * v > size or (2 * v == size and coin < 0.5) else 0.0
                for v, coin in zip(votes, coins, strict=True)
            ]
            if low <= sum(answers) <= high:
                place = min(int(6 * (sum(answers) - low) // (high - low)), 5)
                kept.setdefault(place, answers)
    return [np.array(kept[place]) for place in sorted(kept)]


@pytest.mark.parametrize("seed", range(6))
def test_synthetic_models_are_the_first_votes_that_fall_into_a_bin(seed: int) -> None:
    real = answered(6, 199, seed=seed)
    close(synthetic(real, seeded(seed)), np.array(_voted(real, seeded(seed))))
    assert len(synthetic(np.ones((3, 5)), seeded(0))) == 0


def test_the_response_estimates_by_hand() -> None:
    """p-IRT and gp-IRT of a model whose items all follow one ability, with every measured answer right."""
    items = ItemParameters(np.ones((6, 1)), np.array([0.0, 0.0, 1.0, 1.0, 2.0, 2.0]))
    model = ResponseModel(items, cut=0.5, bias=0.1, spread=0.16, low=0.0, width=100.0)
    selection = drawn(np.array([0, 3]))
    found = type(selection)(selection.indices, torch.tensor([0.25, 0.75]).double(), {}, "gpirt", {0: model})
    scores = ScoreMatrix.from_arrays(
        100 * answered(3, 6).T[:, :, None],
        items=list("abcdef"),
        policies=["p", "q", "r"],
        metrics=[MetricSpec("score", low=0.0, high=100.0)],
    )
    source = Source(scores, np.arange(6))
    values = np.array([[100.0], [0.0]])
    theta = 0.5  # the likelihood of right on 0 and wrong on 1 is symmetric about their middle
    rest = 1 / (1 + np.exp(-(theta - items.difficulty[[1, 2, 4, 5]])))
    expected = 100 * (1.0 + rest.sum()) / 6
    plain = guesses("pirt", values, found, source)[0].value
    assert plain == pytest.approx(expected, rel=1e-3)
    trust = 0.1**2 / (0.16 / 8 + 0.1**2)
    assert guesses("gpirt", values, found, source)[0].value == pytest.approx(trust * 25 + (1 - trust) * plain)


@pytest.mark.parametrize("deep", [False, True])
def test_networks_trained_together_are_those_trained_alone(deep: bool) -> None:
    """Up to rounding, which a batch sums in another order: same items, and estimates that agree closely."""
    cases = [score_matrix(answered(6, 40, seed=seed)) for seed in (1, 2)]
    pools = [torch.arange(40)] * 2
    selector = SparseEval(FEW_STEPS, deep=deep)
    together = selector.select_many(cases, 8, pools=pools, generators=[seeded(0), seeded(1)])
    target = answered(1, 40, seed=9)[0]
    for number, case in enumerate(cases):
        alone = selector.select(case, 8, pool=pools[number], generator=seeded(number))
        assert alone.indices.tolist() == together[number].indices.tolist()
        told = [
            guesses(found.estimator, target[found.indices.numpy()][:, None], found, Source(case, np.arange(40)))[0]
            for found in (alone, together[number])
        ]
        assert told[0].value == pytest.approx(told[1].value, abs=1e-3)


def test_models_that_validate_take_no_part_in_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def told(name: str, number: int) -> None:
        real = getattr(sparseeval, name)

        def noted(*arguments: Any) -> Any:
            seen.append(arguments[number][0].scores)
            return real(*arguments)

        monkeypatch.setattr(sparseeval, name, noted)

    told("refined", 0)
    told("predictors", 1)
    scores = answered(12, 40)
    SparseEval(FEW_STEPS).select(score_matrix(scores), 8, pool=torch.arange(40), generator=seeded(0))
    searched, validating = seen
    assert sorted([*searched.tolist(), *validating.tolist()]) == sorted(scores.tolist())


def test_networks_of_unlike_histories_are_trained_apart() -> None:
    """A probe without any score leaves its case with one model fewer."""
    cases = [score_matrix(answered(6, 40, seed=seed)) for seed in (1, 2, 3)]
    cases[1].valid[:, 0] = False
    found = SparseEval(FEW_STEPS).select_many(
        cases, 8, pools=[torch.arange(40)] * 3, generators=[seeded(s) for s in range(3)]
    )
    alone = SparseEval(FEW_STEPS).select(cases[1], 8, pool=torch.arange(40), generator=seeded(1))
    assert found[1].indices.tolist() == alone.indices.tolist()


def test_response_models_are_fitted_together_for_tables_of_any_shape() -> None:
    cases = [score_matrix(answered(6, items, seed=seed)) for items, seed in ((40, 1), (40, 2), (30, 3))]
    pools = [torch.arange(len(case.items)) for case in cases]
    found = TinyBenchmarks(QUICK).select_many(cases, 8, pools=pools, generators=[seeded(s) for s in range(3)])
    sizes = [one.model[0].items.difficulty.shape for one in found]
    assert sizes == [(40,), (40,), (30,)]
    assert all(len(set(one.indices.tolist())) == 8 for one in found)
    assert found[0].indices.tolist() != found[1].indices.tolist()


LEARNED = [name for name, entry in SELECTORS.items() if entry.make(QUICK).needs_history]


@pytest.mark.parametrize("name", LEARNED)
def test_several_metrics_share_the_items_and_have_models_of_their_own(name: str) -> None:
    first, second = answered(6, 30), answered(6, 30, seed=8)
    scores = ScoreMatrix.from_arrays(
        np.stack([first.T, 200 * second.T - 50], axis=2),
        items=[f"i{number:02d}" for number in range(30)],
        policies=[f"m{number}" for number in range(6)],
        metrics=[MetricSpec("a", low=0.0, high=1.0), MetricSpec("b")],
    )
    selector = SELECTORS[name].make(FEW_STEPS if name.startswith("sparseeval") else QUICK)
    found = selector.select(scores, 10, pool=torch.arange(30), generator=seeded(0))
    alone = selector.select(score_matrix(first), 10, pool=torch.arange(30), generator=seeded(0))
    assert found.indices.tolist() == alone.indices.tolist()
    if name == "anchor-predictor":
        for metric, (past_scores, low, width) in enumerate(((first, 0.0, 1.0), (second, -50.0, 200.0))):
            lines: Any = found.model[metric]
            expected = fit_lines(past_scores, found.indices.numpy(), np.ones(30), low, width)
            close([lines.slope, lines.intercept], [expected.slope, expected.intercept])
    else:
        models: list[Any] = [found.model[metric] for metric in sorted(found.model)]
        assert [(model.low, model.width) for model in models] in ([], [(0.0, 1.0), (-50.0, 200.0)])
    for metric, scale in ((0, (0.0, 1.0)), (1, (-50.0, 150.0))):
        values = scores.masked(metric)[found.indices.numpy()][:, :2]
        for guess in guesses(found.estimator, values, found, Source(scores, np.arange(30), metric)):
            assert scale[0] - 1e-9 <= guess.value <= scale[1] + 1e-9
