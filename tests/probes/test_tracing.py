"""The traced line against drives along the lanes of real towns, of which the plan keeps only what evaluators keep."""

from __future__ import annotations

import itertools
import math
import random
from types import SimpleNamespace

import carla
import numpy as np
import pytest
from probe_driving.path import Path
from probe_driving.tracing import Node, soften_changes, trace

from tests.probes.roads import lane


@pytest.fixture(scope="module", params=["Town01", "Town04", "Town07"])
def town(shared_data, request) -> carla.Map:
    return carla.Map(request.param, (shared_data / "towns" / f"{request.param}.xodr").read_text())


def drive(road_map: carla.Map, rng: random.Random) -> list[carla.Waypoint]:
    """Some 250 m along lanes, any way at junctions."""
    start = rng.choice([lane for lane, _ in road_map.get_topology() if not lane.is_junction])
    lanes = [start]
    while len(lanes) < 250 and (following := lanes[-1].next(1.0)):
        lanes.append(rng.choice(following))
    return lanes


def plan_of(lanes: list[carla.Waypoint]) -> list[tuple[carla.Transform, object]]:
    """As the leaderboard thins a route: the ends of junctions, and every 50 m."""
    kept, since = [0], 0
    for number in range(1, len(lanes)):
        since += 1
        if lanes[number].is_junction != lanes[number - 1].is_junction or since > 50 or number == len(lanes) - 1:
            kept.append(number)
            since = 0
    return [(lanes[number].transform, SimpleNamespace(name="LANEFOLLOW")) for number in kept]


def test_the_line_is_the_one_that_was_driven(town):
    rng = random.Random(11)
    drives = [lanes for lanes in (drive(town, rng) for _ in range(25)) if len(lanes) > 100]
    assert len(drives) > 10
    wrong = []
    for lanes in drives:
        path = Path(trace(town, plan_of(lanes)))
        places = [waypoint.transform.location for waypoint in lanes]
        xs, ys = np.array([[place.x, place.y] for place in places]).T
        worst = np.hypot(xs[:, None] - path.x, ys[:, None] - path.y).min(axis=1).max()
        turns = [a * c + b * d for (a, b), (c, d) in itertools.pairwise(zip(path.tx, path.ty, strict=True))]
        wrong += (
            [(round(places[0].x), round(places[0].y), round(worst, 2), round(min(turns), 2))]
            if worst > 0.8 or min(turns) < 0.7
            else []
        )
        assert path.length > len(lanes) - 20.0
    assert wrong == []


def test_a_lane_change_is_drawn_out():
    line = [Node(float(x), 0.0, 0.0, lane(), changes=x == 40) for x in range(0, 42, 2)]
    line += [Node(float(x), -3.5, 0.0, lane()) for x in range(42, 90, 2)]
    path = Path(soften_changes(line))
    directions = [math.degrees(math.atan2(y, x)) for x, y in zip(path.tx, path.ty, strict=True)]
    assert min(directions) > -15.0
    assert path.y[path.index(20.0)] == 0.0
    assert path.y[path.index(65.0)] == -3.5
    assert len(path.changes) == 1
    assert max(path.curvature) < 0.01, "a change of lanes is no bend"
