"""The batched search against judging one candidate after another; guards; exchanges; determinism."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bestrand_drive.compression.sampling import Draw, simple_random, split_generator, systematic_stratified
from bestrand_drive.compression.search import Found, SearchSpace, best_of, guard_rows, improve_by_swaps
from bestrand_drive.errors import NothingSelected
from tests.compression import reference
from tests.compression.worlds import LIGHT, close, earliest_least, seeded

NO_GUARD = torch.zeros((0, 0), dtype=torch.bool)


def _space(items: int, width: int, seed: int, *, gaps: float = 0.0, guards: int = 0) -> SearchSpace:
    rng = np.random.default_rng(seed)
    valid = rng.random((items, width)) >= gaps
    valid[rng.integers(items), :] = True
    rows = rng.random((guards, items)) < 0.4
    rows[:, rng.integers(items)] = True
    return SearchSpace(
        torch.from_numpy(rng.normal(size=(items, width))),
        torch.from_numpy(valid) if gaps else None,
        None,
        torch.from_numpy(rows),
    )


def _one_by_one(draw: Draw, space: SearchSpace, candidates: int, seed: int) -> tuple[list[int], float, int]:
    """Literal search: draw one, reject it when a guard has no item, else judge it; the first least wins."""
    own, judged, rejected = split_generator(seeded(seed)), [], 0
    features, guards = space.features.numpy(), space.guards.numpy()
    valid = None if space.valid is None else space.valid.numpy()
    while len(judged) < candidates:
        subset = draw(1, own)[0].tolist()
        if all(any(row[i] for i in subset) for row in guards):
            judged.append((reference.imbalance(features, subset, range(len(features)), valid), subset))
        else:
            rejected += 1
    distance, subset = earliest_least(judged)
    return subset, distance, rejected


@LIGHT
@given(
    st.integers(2, 12),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.3]),
    st.integers(0, 2),
    st.booleans(),
    st.integers(0, 2**31),
)
def test_the_search_equals_judging_one_after_another(
    items: int, width: int, gaps: float, guards: int, stratified: bool, seed: int
) -> None:
    space = _space(items, width, seed, gaps=gaps, guards=guards)
    k = 1 + seed % items
    draw = systematic_stratified(torch.arange(items) // 3, k) if stratified else simple_random(items, k)
    subset, distance, rejected = _one_by_one(draw, space, 24, seed)
    if math.isinf(distance):  # every candidate hides a feature; see below
        with pytest.raises(NothingSelected):
            best_of(draw, k, space, 24, seeded(seed))
        return
    found = best_of(draw, k, space, 24, seeded(seed))
    assert (found.judged, found.rejected) == (24, rejected)
    close(found.distance, distance)
    assert found.subset.tolist() == subset


def test_the_mean_square_is_over_all_judged_candidates() -> None:
    space, draw = _space(10, 3, 1), simple_random(10, 4)
    own = split_generator(seeded(7))
    squares = [reference.imbalance(space.features.numpy(), s.tolist(), range(10)) ** 2 for s in draw(50, own)]
    close(best_of(draw, 4, space, 50, seeded(7)).mean_square, np.mean(squares))


@pytest.fixture
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def _big() -> tuple[Draw, SearchSpace]:
    return simple_random(300, 60), _space(300, 18, 4, gaps=0.1, guards=4)


def _same(one: Found, other: Found) -> None:
    assert torch.equal(one.subset, other.subset)
    assert (one.judged, one.rejected) == (other.judged, other.rejected)
    close(one.distance, other.distance)
    close(one.mean_square, other.mean_square)


@pytest.mark.parametrize("memory_mib", [0, 1, 2, 4096])
@pytest.mark.parametrize("guarded", [True, False])
def test_chunks_of_any_size_pick_the_same_and_take_the_same_numbers(memory_mib: int, guarded: bool) -> None:
    draw, space = simple_random(300, 3 if guarded else 60), _space(300, 18, 4, guards=4)
    space = space if guarded else replace(space, guards=NO_GUARD)
    one, other = seeded(3), seeded(3)
    expected = best_of(draw, 60, space, 128, one)
    assert (expected.rejected > 0) == guarded
    _same(best_of(draw, 60, space, 128, other, memory_mib=memory_mib), expected)
    assert torch.equal(one.get_state(), other.get_state())


@pytest.mark.usefixtures("two_threads")
def test_one_thread_and_two_pick_the_same() -> None:
    draw, space = _big()
    two = best_of(draw, 60, space, 256, seeded(3))
    torch.set_num_threads(1)
    _same(best_of(draw, 60, space, 256, seeded(3)), two)


def test_the_same_seed_picks_the_same_and_another_does_not() -> None:
    draw, space = _big()
    first = best_of(draw, 60, space, 64, seeded(1))
    _same(best_of(draw, 60, space, 64, seeded(1)), first)
    assert not torch.equal(best_of(draw, 60, space, 64, seeded(2)).subset, first.subset)


def test_a_permuted_batch_picks_the_same() -> None:
    draw, space = _big()
    order = torch.randperm(64, generator=seeded(0))

    def permuted(count: int, generator: torch.Generator) -> torch.Tensor:
        return draw(count, generator)[order]

    space = replace(space, guards=NO_GUARD)
    _same(best_of(permuted, 60, space, 64, seeded(1)), best_of(draw, 60, space, 64, seeded(1)))


def test_permuted_columns_pick_the_same() -> None:
    draw, space = _big()
    order = torch.randperm(18, generator=seeded(0))
    assert space.valid is not None
    moved = replace(space, features=space.features[:, order], valid=space.valid[:, order])
    _same(best_of(draw, 60, moved, 64, seeded(1)), best_of(draw, 60, space, 64, seeded(1)))


def test_of_equal_candidates_the_earliest_wins() -> None:
    features = torch.tensor([[1.0], [-1.0], [1.0], [-1.0]], dtype=torch.float64)
    batch = torch.tensor([[0, 2], [2, 3], [0, 1], [1, 2]])
    found = best_of(lambda *_: batch, 2, SearchSpace(features, None, None, NO_GUARD), 4, seeded(0))
    assert found.subset.tolist() == [2, 3]


def test_without_features_the_first_candidate_wins() -> None:
    space = SearchSpace(torch.zeros((9, 0), dtype=torch.float64), None, None, NO_GUARD)
    draw = simple_random(9, 4)
    found = best_of(draw, 4, space, 1, seeded(6))
    assert torch.equal(found.subset, draw(1, split_generator(seeded(6)))[0])
    assert found.distance == 0


def test_all_items_leave_no_imbalance() -> None:
    draw, space = simple_random(300, 300), _space(300, 5, 1, gaps=0.4, guards=3)
    found = best_of(draw, 300, space, 4, seeded(0))
    assert found.subset.tolist() == list(range(300))
    close(found.distance, 0.0)


def test_when_no_candidate_shows_every_feature_nothing_is_selected() -> None:
    """An infinite imbalance is no result: it could not even be written to strict JSON."""
    valid = torch.eye(6, dtype=torch.bool)
    space = SearchSpace(torch.ones((6, 6), dtype=torch.float64), valid, None, NO_GUARD)
    with pytest.raises(NothingSelected):
        best_of(simple_random(6, 2), 2, space, 16, seeded(0))


@LIGHT
@given(st.integers(3, 30), st.integers(1, 5), st.integers(0, 2**31))
def test_every_guard_keeps_an_item(items: int, guards: int, seed: int) -> None:
    space = _space(items, 2, seed, guards=guards)
    found = best_of(simple_random(items, 2), 2, space, 8, seeded(seed))
    assert space.guards[:, found.subset].any(dim=1).all()


@pytest.mark.parametrize("memory_mib", [0, 256])
def test_an_impossible_guard_ends_after_200_draws_a_candidate(memory_mib: int) -> None:
    space = replace(_space(220, 6, 0), guards=torch.zeros((1, 220), dtype=torch.bool))
    plain, drawn = simple_random(220, 22), []

    def counted(count: int, generator: torch.Generator) -> torch.Tensor:
        drawn.append(count)
        return plain(count, generator)

    with pytest.raises(NothingSelected, match="switch the guard off"):
        best_of(counted, 22, space, 8, seeded(0), memory_mib=memory_mib)
    assert 2600 <= sum(drawn) < 2600 + max(drawn) <= 2616


def test_guards_more_than_items_chosen_end_too() -> None:
    space = replace(_space(6, 1, 0), guards=torch.eye(6, dtype=torch.bool))
    with pytest.raises(NothingSelected, match="only 0 held an item of each of the 6 parts"):
        best_of(simple_random(6, 5), 5, space, 4, seeded(0))


def test_guard_rows_keep_the_domains_that_the_pool_holds() -> None:
    here, gone = torch.tensor([1, 0, 0, 1]).bool(), torch.tensor([0, 1, 0, 0]).bool()
    rows = guard_rows([here, gone], torch.tensor([0, 2]))
    assert rows.tolist() == [[True, False]]
    assert guard_rows([gone], torch.tensor([0, 2])).shape == (0, 2)
    assert guard_rows([], torch.arange(3)).shape == (0, 3)


def _start(items: int, k: int, space: SearchSpace, seed: int) -> Found:
    return best_of(simple_random(items, k), k, space, 4, seeded(seed))


@LIGHT
@given(st.integers(2, 30), st.integers(0, 4), st.integers(0, 3), st.integers(0, 2**31))
def test_exchanges_never_raise_the_imbalance_nor_break_a_guard(items: int, width: int, guards: int, seed: int) -> None:
    space = _space(items, width, seed, guards=guards)
    k = min(items, max(1 + seed % items, 2 * guards))
    found = _start(items, k, space, seed)
    better = improve_by_swaps(found, space, seeded(seed), proposals=16)
    assert better.distance <= found.distance + 1e-12
    assert better.subset.shape == (k,)
    assert (better.subset.diff() > 0).all()
    assert space.guards[:, better.subset].any(dim=1).all()
    close(better.distance, reference.imbalance(space.features.numpy(), better.subset.tolist(), range(items)))
    assert (better.judged, better.rejected, better.mean_square) == (found.judged, found.rejected, found.mean_square)


def test_exchanges_reach_a_single_swap_optimum() -> None:
    """With every pair proposed in nearly every round, no single exchange helps at the end."""
    space = _space(12, 2, 3)
    better = improve_by_swaps(_start(12, 4, space, 0), space, seeded(0), proposals=400)
    inside = better.subset.tolist()
    for out in inside:
        for into in set(range(12)) - set(inside):
            trial = [i for i in inside if i != out] + [into]
            assert reference.imbalance(space.features.numpy(), trial, range(12)) >= better.distance - 1e-12


def test_exchanges_take_one_number_and_do_the_same_again() -> None:
    space = _space(40, 3, 5)
    found = _start(40, 8, space, 1)
    one, other = seeded(2), seeded(2)
    first = improve_by_swaps(found, space, one)
    _same(improve_by_swaps(found, space, other, proposals=256), first)
    split_generator(reference_generator := seeded(2))
    assert torch.equal(one.get_state(), reference_generator.get_state())
    assert first.distance < found.distance


@LIGHT
@given(st.integers(2, 60), st.integers(1, 9), st.integers(0, 2), st.booleans(), st.integers(0, 2**31))
def test_exchanges_are_those_of_tensors_one_round_after_another(
    items: int, width: int, guards: int, binary: bool, seed: int
) -> None:
    """The same draws, written out in tensors as they first were: a seed keeps giving the suite that it gave."""
    space = _space(items, width, seed, guards=guards)
    if binary:
        space = replace(space, features=(space.features > 0).double())
    k = min(items - 1, max(1 + seed % items, 2 * guards))
    start = _start(items, k, space, seed) if k else None
    if start is None or not space.guards[:, start.subset].any(dim=1).all():
        return
    own, inside = split_generator(seeded(seed)), start.subset.clone()
    outside = torch.tensor(sorted(set(range(items)) - set(inside.tolist())))
    mean = space.features.mean(dim=0)
    total = (space.features[inside] - mean).sum(dim=0)
    for _ in range(80):
        out = torch.randint(len(inside), (16,), generator=own)
        into = torch.randint(len(outside), (16,), generator=own)
        sums = total - (space.features[inside[out]] - mean) + (space.features[outside[into]] - mean)
        squares = (sums**2).sum(dim=1)
        best = int((squares <= squares.min() * (1 + 1e-9) + 1e-12).int().argmax())
        trial = inside.clone()
        trial[out[best]] = outside[into[best]]
        kept = bool(space.guards[:, trial].any(dim=1).all())
        if squares[best] < (total**2).sum() * (1 - 1e-9) and kept:
            outside[into[best]] = inside[out[best]]
            inside, total = trial, sums[best]
    found = improve_by_swaps(start, space, seeded(seed), proposals=16)
    assert found.subset.tolist() == inside.sort().values.tolist()


def test_nothing_to_exchange_is_left_alone() -> None:
    space = _space(5, 2, 0)
    whole = _start(5, 5, space, 0)
    assert improve_by_swaps(whole, space, seeded(0)) is whole
    bare = replace(space, features=torch.zeros((5, 0), dtype=torch.float64))
    some = _start(5, 2, bare, 0)
    assert improve_by_swaps(some, bare, seeded(0)) is some
