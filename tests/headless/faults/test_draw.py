"""Which faults a server has: the same for the same seed, as often as their probability says."""

import math
import random

import pytest

from bestrand_drive.headless.faults.draw import drawn
from bestrand_drive.headless.faults.order import parse_faults

FOUR = parse_faults(["crash@tick=1:p=0.3", "hang@tick=2:p=0.7", "stderr-flood", "wrong-version:p=0"])


def test_the_same_seed_gives_the_same_faults_whatever_is_drawn_elsewhere():
    first = [drawn(FOUR, seed) for seed in range(200)]
    random.seed(5)
    assert [drawn(FOUR, seed) for seed in range(200)] == first
    assert len(set(first)) == 4  # both of two uncertain ones, in every combination


@pytest.mark.parametrize("position", range(4))
def test_each_comes_as_often_as_its_probability(position):
    count, fault = 4000, FOUR[position]
    found = sum(fault in drawn(FOUR, seed) for seed in range(count))
    spread = math.sqrt(count * fault.probability * (1 - fault.probability))
    assert abs(found - count * fault.probability) <= 4 * spread


def test_positions_are_drawn_independently():
    count = 4000
    both = sum({FOUR[0], FOUR[1]} <= set(drawn(FOUR, seed)) for seed in range(count))
    assert abs(both - count * 0.21) <= 4 * math.sqrt(count * 0.21 * 0.79)


def test_a_higher_probability_keeps_what_a_lower_one_had():
    low, high = (parse_faults([f"crash@tick=1:p={p}"]) for p in (0.2, 0.6))
    for seed in range(500):
        assert len(drawn(low, seed)) <= len(drawn(high, seed))


def test_another_fault_behind_changes_nothing_for_those_before():
    for seed in range(100):
        assert drawn(FOUR, seed)[: len(drawn(FOUR[:2], seed))] == drawn(FOUR[:2], seed)


def test_a_fault_s_own_seed_takes_the_place_of_the_server_s():
    own = parse_faults(["crash@tick=1:p=0.5:seed=11"])
    assert len({drawn(own, seed) for seed in range(50)}) == 1
    others = [len(drawn(parse_faults([f"crash@tick=1:p=0.5:seed={seed}"]), 0)) for seed in range(200)]
    assert others == [len(drawn(parse_faults(["crash@tick=1:p=0.5"]), seed)) for seed in range(200)]
