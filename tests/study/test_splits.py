"""Who is probe and who is target: never both, and from where each split says."""

from __future__ import annotations

import numpy as np
import pytest

from bestrand_drive.errors import UsageError
from bestrand_drive.study.problem import without_copies
from bestrand_drive.study.splits import PROBE_CHOICES, family_split, left_out_families, ordered_split, random_split
from tests.study.worlds import binary_table

ABILITIES = np.random.default_rng(0).permutation(20).astype(float)
FAMILIES = [f"f{number // 3}" for number in range(20)]


@pytest.mark.parametrize(
    "split",
    [*(random_split(ABILITIES, 5, choice) for choice in PROBE_CHOICES), ordered_split(ABILITIES, 5),
     family_split(FAMILIES, 5)],
)  # fmt: skip
def test_no_policy_plays_both(split):
    seen = set()
    for seed in range(30):
        (roles,) = split(seed)
        assert len(set(roles.probes)) == 5
        assert roles.targets
        assert not set(roles.probes) & set(roles.targets)
        assert split(seed) == [roles], "a seed's roles are its own"
        seen.add(roles.probes)
    assert len(seen) > 10


def test_probes_come_from_where_they_are_asked_for():
    for seed in range(20):
        (low,) = random_split(ABILITIES, 5, "low")(seed)
        (high,) = random_split(ABILITIES, 5, "high")(seed)
        (spread,) = random_split(ABILITIES, 5, "uniform")(seed)
        assert ABILITIES[list(low.probes)].max() <= 5
        assert ABILITIES[list(high.probes)].min() >= 14
        assert sorted(ABILITIES[list(spread.probes)] // 4) == [0, 1, 2, 3, 4]
        assert len(low.targets) == 15
        (weak,) = ordered_split(ABILITIES, 5)(seed)
        assert ABILITIES[list(weak.probes)].max() < ABILITIES[list(weak.targets)].min()
        assert len(weak.targets) == 10
        (apart,) = family_split(FAMILIES, 5)(seed)
        assert not {FAMILIES[one] for one in apart.probes} & {FAMILIES[one] for one in apart.targets}


def test_a_left_out_family_guides_nothing():
    roles = left_out_families({"a": [0], "b": [1, 2], "c": [3]}, {"a": [4, 5], "b": [1, 2], "c": [3]})(0)
    assert [one.targets for one in roles] == [(4, 5), (1, 2), (3,)]
    assert [one.probes for one in roles] == [(1, 2, 3), (0, 3), (0, 1, 2)]
    assert [one.families for one in roles] == [((0, 1), (2,)), ((0,), (1,)), ((0,), (1, 2))]


def test_impossible_splits_are_refused():
    with pytest.raises(UsageError, match="lower half has 3"):
        ordered_split(np.arange(6.0), 4)
    with pytest.raises(UsageError, match="2 families"):
        family_split(["a", "a", "b"], 2)


def test_copies_are_dropped_whatever_their_number():
    scores = binary_table(policies=4)
    twice = scores.with_policies(["m0", "m1", "m2", "m3"])
    twice.values[:, 3] = twice.values[:, 0]
    kept, dropped = without_copies(twice)
    assert kept.policies == ("m0", "m1", "m2")
    assert dropped == {"m3": "m0"}
