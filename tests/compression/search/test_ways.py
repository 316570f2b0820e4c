"""Which way is taken, and that the usual one is byte for byte what it was."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from bestrand_drive.compression.sampling import simple_random
from bestrand_drive.compression.search import SearchSpace, best_of, search, ways
from tests.compression.worlds import seeded


def _space(items: int, *, binary: bool) -> SearchSpace:
    scores = np.random.default_rng(0).normal(size=(items, 3))
    features = torch.from_numpy((scores > 0).astype(float) if binary else scores)
    return SearchSpace(features, None, None, torch.zeros((0, items), dtype=torch.bool))


@pytest.mark.parametrize(
    ("binary", "items", "candidates", "way"),
    [
        (True, 300, 128, "subsets"),
        (True, 301, 128, "classes"),
        (True, 300, 129, "classes"),
        (False, 301, 129, "subsets"),
    ],
)
def test_auto_changes_above_its_sizes_and_only_where_the_law_stays(
    binary: bool, items: int, candidates: int, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ways, "PLAIN_ITEMS", 300)
    monkeypatch.setattr(ways, "PLAIN_CANDIDATES", 128)
    assert search(None, 40, _space(items, binary=binary), candidates, seeded(0)).way == way


def test_the_sizes_of_auto_cover_what_was_chosen_before() -> None:
    assert ways.PLAIN_ITEMS >= 20_000
    assert ways.PLAIN_CANDIDATES >= 128


def test_subsets_are_those_of_the_plain_way() -> None:
    space = _space(300, binary=True)
    expected = best_of(simple_random(300, 40), 40, space, 128, seeded(7))
    for way in ("auto", "subsets"):
        found = search(None, 40, space, 128, seeded(7), way=way)
        assert torch.equal(found.subset, expected.subset)
        assert (found.distance, found.mean_square) == (expected.distance, expected.mean_square)


@pytest.mark.parametrize("way", ["auto", "subsets", "classes", "windows", "blocks"])
def test_all_items_or_no_feature_need_no_way(way: str) -> None:
    space = _space(30, binary=False)
    assert search(None, 30, space, 16, seeded(0), way=way).subset.tolist() == list(range(30))
    bare = SearchSpace(torch.zeros((30, 0), dtype=torch.float64), None, None, space.guards)
    assert len(search(None, 4, bare, 1, seeded(0), way=way).subset) == 4
