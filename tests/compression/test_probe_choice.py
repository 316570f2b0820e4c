"""Which policies become probes: spread over ability and families, or drawn from where they are asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestrand_drive.compression.probe_choice import abilities, drawn, middles, spread_evenly
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec
from tests.compression.worlds import LIGHT


@LIGHT
@given(st.integers(1, 40), st.data())
def test_each_equal_part_of_the_ranking_gives_its_middle(count: int, data: st.DataObject) -> None:
    probes = data.draw(st.integers(0, count))
    names = [f"m{number}" for number in range(count)]
    picked = spread_evenly(names, probes)
    assert len(set(picked)) == probes
    for part, name in enumerate(picked):
        low, high = part * count / probes, (part + 1) * count / probes
        assert low <= names.index(name) + 0.5 <= high + 0.5
        assert abs(names.index(name) + 0.5 - (low + high) / 2) <= 0.5


@LIGHT
@given(st.lists(st.integers(0, 5), min_size=1, max_size=20), st.data())
def test_no_family_comes_twice_while_others_are_left(labels: list[int], data: st.DataObject) -> None:
    names = [f"m{number}" for number in range(len(labels))]
    families = [[n for n, own in zip(names, labels, strict=True) if own == label] for label in range(6)]
    probes = data.draw(st.integers(1, len(names)))
    picked = spread_evenly(names, probes, families)
    assert len(set(picked)) == probes
    kinds = [labels[names.index(name)] for name in picked]
    assert len(set(kinds)) == min(probes, len(set(labels)))


def test_the_nearest_of_another_family_steps_in() -> None:
    names = list("abcdefgh")
    assert spread_evenly(names, 2) == ["c", "g"]
    assert spread_evenly(names, 2, [["c", "g", "h", "e"]]) == ["c", "f"]
    assert middles(8, 2) == [2, 6]


@pytest.mark.parametrize(("choice", "allowed"), [("low", range(5)), ("high", range(10, 15)), ("random", range(15))])
def test_draws_come_from_where_they_are_asked_for(choice: str, allowed: range) -> None:
    ability = np.random.default_rng(0).permutation(15).astype(float)
    seen = set()
    for seed in range(200):
        picked = drawn(ability, 3, choice, np.random.default_rng(seed))
        assert len(set(picked.tolist())) == 3
        seen |= {int(ability[number]) for number in picked}
    assert seen == set(allowed)


def test_ability_looks_past_gaps_and_directions() -> None:
    """A policy measured on hard items only is no worse for it; of a cost, less is better."""
    rng = np.random.default_rng(1)
    hard, skill = 5 * rng.normal(size=60), np.array([0.0, 1.0, 2.0])
    score = skill - hard[:, None] + 0.1 * rng.normal(size=(60, 3))
    score[hard < np.median(hard), 2] = np.nan
    cost = -score
    for specs, columns in (
        ([MetricSpec("s")], [score]),
        ([MetricSpec("c", higher_is_better=False)], [cost]),
    ):
        matrix = ScoreMatrix.from_arrays(
            np.stack(columns, axis=2), items=[f"i{n}" for n in range(60)], policies=list("abc"), metrics=specs
        )
        assert np.argsort(abilities(matrix)).tolist() == [0, 1, 2]
