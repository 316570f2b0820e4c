"""How far the ego has come, against a slow reading of the rule."""

from __future__ import annotations

import math
import random

import pytest

from bestrand_drive.evaluator.criteria.completion import Completion
from tests.evaluator.criteria.trajectories import drive, moment, straight, wander, winding


def lies_behind(way, index, place):
    beyond = (p - q for p, q in zip(place, way.places[index], strict=True))
    return sum(part * along for part, along in zip(beyond, way.ahead[index], strict=True)) > 0


def by_the_rule(way, moments):
    """Percent after each tick: of the points within the window that lie behind the ego, the last."""
    index, done, percents = 0, False, []
    for one in moments:
        if not done:
            window = range(index, min(index + 3, len(way)))
            index = max([index, *(candidate for candidate in window if lies_behind(way, candidate, one.place))])
            length = sum(math.dist(a, b) for a, b in zip(way.places, way.places[1:], strict=False))
            driven = sum(math.dist(way.places[i], way.places[i + 1]) for i in range(index))
            percent = round(100 * driven / length, 2)
            if percent > 99 and math.dist(one.place, way.places[-1]) < 10:
                done, percent = True, 100.0
        percents.append(percent)
    return percents


@pytest.mark.parametrize("seed", range(20))
def test_any_drive(seed):
    rng = random.Random(seed)
    way = winding(rng)
    moments = wander(rng, way)
    completion, found = Completion(way), []
    for one in moments:
        completion.update(one)
        found.append(completion.percent)
    assert found == by_the_rule(way, moments)
    assert max(found) > 10


def test_a_drive_ends_one_tick_after_it_is_complete():
    completion, ends = Completion(straight()), []
    for one in drive(20.0, 110):
        completion.update(one)
        ends.append((completion.reached, completion.finished, completion.percent))
    first = next(index for index, end in enumerate(ends) if end[0])
    assert ends[first] == (True, False, 100.0)
    assert ends[first + 1] == (True, True, 100.0)
    assert ends[first - 1][2] <= 99.0


def test_nothing_is_gained_by_jumping_to_the_end():
    completion = Completion(straight())
    for tick in range(10):
        completion.update(moment(tick, 99.9))
    assert completion.percent == pytest.approx(20.0)
    assert not completion.reached


@pytest.mark.parametrize(("y", "reached"), [(10.1, False), (9.9, True)])
def test_it_is_not_complete_far_beside_the_end(y, reached):
    completion = Completion(straight())
    for one in drive(20.0, 120, y=y):
        completion.update(one)
    assert completion.percent == 100.0
    assert completion.reached is reached
