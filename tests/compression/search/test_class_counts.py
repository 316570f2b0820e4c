"""Class counts against enumerating every subset, and against the plain way."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
import torch
from scipy import stats

from bestrand_drive.compression.sampling import simple_random, systematic_stratified
from bestrand_drive.compression.search import Found, SearchSpace, best_of, class_counts, classes, hypergeometric, search
from bestrand_drive.errors import NothingSelected, UsageError
from tests.compression import reference
from tests.compression.worlds import close, seeded

Array = np.ndarray
SCORES = np.array([[0, 0], [0, 1], [0, 0], [1, 1], [0, 0], [0, 1], [1, 1], [1, 1]], dtype=float)
STRATA = torch.tensor([0, 0, 0, 0, 0, 1, 1, 1])


def _space(scores: Array, guards: torch.Tensor | None = None) -> SearchSpace:
    none = torch.zeros((0, len(scores)), dtype=torch.bool)
    return SearchSpace(torch.from_numpy(scores), None, None, none if guards is None else guards)


def _chances(scores: Array, k: int, draws: int) -> dict[tuple[int, ...], float]:
    """How often each subset is the best of ``draws``, by enumerating all: of equal ones the earliest drawn wins."""
    subsets = list(combinations(range(len(scores)), k))
    distance = np.array([reference.imbalance(scores, list(s), range(len(scores))) for s in subsets])
    chances = np.empty(len(subsets))
    for number, own in enumerate(distance):
        below = (distance < own - 1e-9).mean()
        equal = (abs(distance - own) <= 1e-9).mean()
        chances[number] = ((1 - below) ** draws - (1 - below - equal) ** draws) / (equal * len(subsets))
    return dict(zip(subsets, chances.tolist(), strict=True))


def _subset(found: Found) -> tuple[int, ...]:
    return tuple(found.subset.tolist())


@pytest.mark.parametrize("tables", [True, False])
def test_the_best_subset_has_the_exact_law_of_the_best_of_m(tables: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hypergeometric, "TABLES_FROM", 0 if tables else 10**9)
    monkeypatch.setattr(hypergeometric, "FEW", 0)
    space, generator, runs = _space(SCORES), seeded(1), 600 if tables else 3000
    seen = Counter(_subset(search(None, 4, space, 3, generator, way="classes")) for _ in range(runs))
    chances = _chances(SCORES, 4, 3)
    assert sum(chances.values()) == pytest.approx(1)
    by_level: Counter[float] = Counter()
    expected: Counter[float] = Counter()
    for subset, chance in chances.items():
        key = round(chance, 12)
        by_level[key] += seen[subset]
        expected[key] += chance * runs
    keys = sorted(expected)
    often = [key for key in keys if expected[key] >= 5]
    rest = runs - sum(by_level[key] for key in often), runs - sum(expected[key] for key in often)
    assert (
        stats.chisquare(
            [*(by_level[key] for key in often), rest[0]], [*(expected[key] for key in often), rest[1]]
        ).pvalue
        > 1e-3
    )
    alike = [subset for subset, chance in chances.items() if round(chance, 12) == max(often)]
    assert stats.chisquare([seen[subset] for subset in alike]).pvalue > 1e-3


def _exact_strata(sizes: list[int], k: int) -> dict[tuple[int, ...], float]:
    """Law of the strata's sizes by literal systematic places, over both orders and a fine grid of starts."""
    seen: Counter[tuple[int, ...]] = Counter()
    steps = 2**10
    for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        places = np.repeat(order, [sizes[s] for s in order])
        for start in (np.arange(steps) + 0.5) / steps:
            taken = places[np.floor((np.arange(k) + start) * len(places) / k).astype(int)]
            seen[tuple(np.bincount(taken, minlength=3).tolist())] += 1
    return {key: number / (6 * steps) for key, number in seen.items()}


@pytest.mark.parametrize(("sizes", "k"), [([5, 3, 9], 4), ([4, 8, 12], 6), ([1, 1, 20], 7)])
def test_strata_get_the_sizes_of_systematic_sampling(sizes: list[int], k: int) -> None:
    drawn = class_counts.systematic_counts(np.array(sizes), k, 20_000, np.random.default_rng(0))
    seen, exact = Counter(map(tuple, drawn.T.tolist())), _exact_strata(sizes, k)
    assert set(seen) <= set(exact)
    keys = sorted(exact)
    if len(keys) > 1:
        assert stats.chisquare([seen[key] for key in keys], [exact[key] * 20_000 for key in keys]).pvalue > 1e-3


def test_with_strata_the_plain_way_and_counts_choose_alike() -> None:
    space, runs, strata = _space(np.tile(SCORES, (2, 1))), 1500, STRATA.repeat(2)
    cells = (4 * strata + 2 * space.features[:, 0] + space.features[:, 1]).long()
    plain, fast, draw = seeded(1), seeded(2), systematic_stratified(strata, 5)

    def cell_counts(found: Found) -> tuple[int, ...]:
        return tuple(torch.bincount(cells[found.subset], minlength=8).tolist())

    one = Counter(cell_counts(best_of(draw, 5, space, 4, plain)) for _ in range(runs))
    other = Counter(cell_counts(search(strata, 5, space, 4, fast, way="classes")) for _ in range(runs))
    often = [key for key in {*one, *other} if one[key] + other[key] >= 10]
    table = [[one[key] for key in often], [other[key] for key in often]]
    assert len(often) > 5
    assert stats.chi2_contingency(table).pvalue > 1e-3


def _binary(items: int, probes: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    level = rng.normal(size=(items, 1))
    return (level + rng.normal(size=(items, probes)) > rng.normal(size=probes)).astype(float)


def test_the_imbalance_of_the_best_has_the_same_law_as_the_plain_way() -> None:
    space, plain, fast = _space(_binary(400, 5, 0)), seeded(1), seeded(2)
    draw = simple_random(400, 60)
    one = [best_of(draw, 60, space, 16, plain) for _ in range(200)]
    other = [search(None, 60, space, 16, fast, way="classes") for _ in range(200)]
    assert stats.ks_2samp([f.distance for f in one], [f.distance for f in other]).pvalue > 1e-3
    assert stats.ks_2samp([f.mean_square for f in one], [f.mean_square for f in other]).pvalue > 1e-3


@pytest.mark.parametrize("case", ["plain", "masked", "weighted", "strata", "guards"])
def test_what_is_found_is_what_it_says(case: str) -> None:
    scores, rng = _binary(400, 3, 1), np.random.default_rng(2)
    valid, weights, strata = None, None, None
    guards = torch.zeros((0, 400), dtype=torch.bool)
    if case == "masked":
        valid = torch.from_numpy(rng.random(scores.shape) < 0.8)
    if case == "weighted":
        weights = torch.from_numpy(rng.integers(1, 4, 400) * 1.0)
    if case == "strata":
        strata = torch.arange(400) // 100
    if case == "guards":
        guards = torch.from_numpy(rng.random((3, 400)) < 0.02)
    space = SearchSpace(torch.from_numpy(scores), valid, weights, guards)
    found = search(strata, 60, space, 5000, seeded(0), way="classes")
    subset = found.subset.tolist()
    assert (found.way, found.judged, len(set(subset))) == ("classes", 5000, 60)
    assert subset == sorted(subset)
    if weights is None:
        mask = None if valid is None else valid.numpy()
        close(found.distance, reference.imbalance(scores, subset, range(400), mask))
    else:
        means = (weights[:, None] * space.features)[subset].sum(0) / weights[subset].sum()
        target = (weights[:, None] * space.features).sum(0) / weights.sum()
        close(found.distance, float((means - target).norm()))
    assert (found.rejected > 0) == (case == "guards")
    assert guards[:, subset].any(dim=1).all()
    if strata is not None:
        assert torch.bincount(strata[subset]).tolist() == [15] * 4


def test_an_impossible_guard_is_said() -> None:
    space = _space(SCORES, torch.zeros((1, 8), dtype=torch.bool))
    with pytest.raises(NothingSelected, match="switch the guard off"):
        search(None, 3, space, 8, seeded(0), way="classes")


@pytest.mark.parametrize("memory_mib", [0, 256])
def test_a_seed_gives_one_subset_whatever_the_memory_and_takes_one_number(memory_mib: int) -> None:
    space = _space(_binary(400, 3, 1))
    one, other = seeded(4), seeded(4)
    found = search(None, 60, space, 200, one, way="classes", memory_mib=memory_mib)
    again = search(None, 60, space, 200, other, way="classes")
    assert _subset(found) == _subset(again)
    assert found.judged == 200
    other = seeded(4)
    torch.randint(2**62, (1,), generator=other)
    assert torch.equal(one.get_state(), other.get_state()), "exactly one number is taken"


def test_continuous_scores_have_no_classes() -> None:
    with pytest.raises(UsageError, match="windows or blocks"):
        search(None, 5, _space(np.random.default_rng(0).normal(size=(50, 2))), 8, seeded(0), way="classes")


def test_a_class_first_seen_late_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The classes are sought in the first items; here the last item alone is of a class of its own."""
    monkeypatch.setattr(classes, "SAMPLE", 10)
    scores = np.zeros((100, 1))
    scores[-1] = 1
    found = search(None, 50, _space(scores), 64, seeded(0), way="classes")
    close(found.distance, abs((99 in found.subset.tolist()) / 50 - 0.01))
