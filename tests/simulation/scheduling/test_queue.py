"""The order of jobs: what is promised of the end is held against brute force."""

from __future__ import annotations

import heapq
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestrand_drive.simulation.scheduling.queue import SLACK, Job, Queue

JOBS = st.lists(
    st.builds(
        Job,
        expected=st.one_of(st.integers(1, 100), st.integers(1, 4), st.just(60)).map(float),
        town=st.sampled_from(["A", "B", "C", None]),
        repeat=st.just(0),
    ),
    max_size=40,
)
REPEATED = st.lists(st.builds(Job, st.floats(0, 50), st.sampled_from("AB"), st.integers(0, 2)), max_size=30)


def drained(queue: Queue, jobs: list[Job], slots: int) -> tuple[list[int], float, int]:
    """Jobs in the order in which they start, the end, and how often a slot changed its town."""
    free = [(0.0, slot) for slot in range(slots)]
    towns: list[object] = [object()] * slots
    order, end, loads = [], 0.0, 0
    while queue:
        now, slot = heapq.heappop(free)
        town = towns[slot]
        number = queue.take(town if isinstance(town, str) else None)
        assert number is not None
        order.append(number)
        loads += jobs[number].town != town
        towns[slot] = jobs[number].town
        end = max(end, now + jobs[number].expected)
        heapq.heappush(free, (now + jobs[number].expected, slot))
    assert queue.take() is None
    return order, end, loads


def best_end(jobs: list[Job], slots: int) -> float:
    """By trying every way to share them."""
    ends = []
    for places in product(range(slots), repeat=len(jobs)):
        loads = [0.0] * slots
        for job, place in zip(jobs, places, strict=True):
            loads[place] += job.expected
        ends.append(max(loads))
    return min(ends)


@given(jobs=JOBS, slots=st.integers(1, 6), by_town=st.booleans())
def test_every_job_once_and_always_in_the_same_order(jobs, slots, by_town):
    first, *_ = drained(Queue(jobs, slots, by_town=by_town), jobs, slots)
    assert sorted(first) == list(range(len(jobs)))
    assert first == drained(Queue(jobs, slots, by_town=by_town), jobs, slots)[0]


@given(jobs=REPEATED, slots=st.integers(1, 4), by_town=st.booleans())
def test_every_route_once_before_any_is_repeated(jobs, slots, by_town):
    order, *_ = drained(Queue(jobs, slots, by_town=by_town), jobs, slots)
    repeats = [jobs[number].repeat for number in order]
    assert repeats == sorted(repeats)


@given(jobs=JOBS, slots=st.integers(1, 8))
def test_towns_cost_no_more_than_is_promised(jobs, slots):
    """Where longest first ends, or the slack above what no order can beat."""
    _, plain, _ = drained(Queue(jobs, slots, by_town=False), jobs, slots)
    _, end, _ = drained(Queue(jobs, slots, by_town=True), jobs, slots)
    bound = max(sum(job.expected for job in jobs) / slots, max((job.expected for job in jobs), default=0.0))
    assert end <= max(plain, (1 + SLACK) * bound) * (1 + 1e-9)


@given(jobs=JOBS.map(lambda jobs: jobs[:6]), slots=st.integers(1, 3))
def test_longest_first_is_within_a_third_of_the_best(jobs, slots):
    """Graham 1969: 4/3 - 1/(3m) for longest first; held against all ways to share them."""
    _, end, _ = drained(Queue(jobs, slots, by_town=False), jobs, slots)
    assert end <= (4 / 3 - 1 / (3 * slots)) * best_end(jobs, slots) * (1 + 1e-9)


def test_grahams_worst_case():
    jobs = [Job(length) for length in (3.0, 5.0, 4.0, 3.0, 5.0, 3.0, 4.0)]  # 5 5 4 4 3 3 3 on 3: 11, the best is 9
    order, end, _ = drained(Queue(jobs, 3, by_town=False), jobs, 3)
    assert (order, end) == ([1, 4, 2, 6, 0, 3, 5], 11.0)
    assert best_end(jobs, 3) == 9.0


def test_towns_spare_loads():
    jobs = [Job(float(1 + number % 7), "ABCD"[number % 4]) for number in range(200)]
    plain, affine = (drained(Queue(jobs, 4, by_town=by_town), jobs, 4) for by_town in (False, True))
    assert affine[2] < plain[2] / 5
    assert affine[1] == pytest.approx(plain[1], rel=SLACK)


@pytest.mark.parametrize("by_town", [False, True])
def test_a_common_factor_changes_no_order(by_town):
    """Why the policy's own level need not be known."""
    jobs = [Job(float(1 + number * 37 % 101), "ABC"[number % 3]) for number in range(60)]
    longer = [Job(64 * job.expected, job.town) for job in jobs]
    assert (
        drained(Queue(jobs, 8, by_town=by_town), jobs, 8)[0]
        == (drained(Queue(longer, 8, by_town=by_town), longer, 8)[0])
    )
