"""Streams of cars: distances, platoons, ends; and paths that change onto others."""

from __future__ import annotations

import itertools
from typing import Any, cast

import carla
import pytest

from bestrand_drive.evaluator.scenarios.flow import Flow, blended, shifted
from bestrand_drive.evaluator.scenarios.script import Script, Scripted
from tests.evaluator.scenarios.playing import set_up, shipped_routes, shipped_towns
from tests.evaluator.scenarios.toy_stage import ToyStage

LENGTH_M = 200
SPEED_M_S = 10.0


class Bare(Scripted):
    """Only somebody who owns cars."""

    def script(self) -> Script:
        """Nothing."""
        yield


@pytest.fixture
def stage() -> ToyStage:
    route = shipped_routes()[0]
    return set_up(route, shipped_towns()).stage


@pytest.fixture
def owner(stage: ToyStage) -> Bare:
    return Bare(cast("Any", stage), shipped_routes()[0].scenarios[0])


def straight(y: float = 5000.0) -> list[carla.Transform]:
    """Far from everything."""
    return [carla.Transform(carla.Location(float(x), y, 0.0), carla.Rotation()) for x in range(LENGTH_M)]


def run(stage: ToyStage, flow: Flow, owner: Bare, seconds: float) -> list[list[float]]:
    """Places of the cars along the path, each second."""
    seen = []
    for _ in range(int(seconds * 20)):
        stage.step()
        flow.tick()
        if stage.frame % 20 == 0:
            seen.append(sorted(float(car.transform.location.x) for car in owner.actors))
    return seen


def test_cars_keep_the_distances_and_every_fourth_leaves_a_gap(stage: ToyStage, owner: Bare) -> None:
    flow = Flow(owner, straight(), (20.0, 30.0), SPEED_M_S, keeps_distance=False)
    seen = run(stage, flow, owner, 60.0)
    gaps = [after - before for places in seen for before, after in itertools.pairwise(places)]
    step = SPEED_M_S / 20 + 1.0  # sent on the first tick at which the place is free
    assert all(20.0 - 0.1 <= gap <= 30.0 + step or 70.0 - 0.1 <= gap <= 70.0 + step for gap in gaps), sorted(gaps)
    assert any(gap > 60.0 for gap in gaps), "nobody is ever let through"
    assert sum(gap < 35.0 for gap in gaps) > sum(gap > 60.0 for gap in gaps)


def test_cars_leave_at_the_end_and_so_many_come_as_asked(stage: ToyStage, owner: Bare) -> None:
    flow, before = Flow(owner, straight(), (20.0, 30.0), SPEED_M_S, keeps_distance=True, cars=3), len(stage.ever)
    seen = run(stage, flow, owner, 60.0)
    assert max(map(len, seen)) <= 3
    assert seen[-1] == []
    assert [name.startswith("vehicle.") for name in stage.ever[before:]] == [True] * 3


def test_a_populated_path_has_cars_all_along_but_none_at_its_end(stage: ToyStage, owner: Bare) -> None:
    flow = Flow(owner, straight(), (20.0, 30.0), SPEED_M_S, keeps_distance=False)
    flow.populate()
    places = sorted(float(car.transform.location.x) for car in owner.actors)
    assert places[0] >= 20.0
    assert places[-1] <= LENGTH_M - 20.0
    assert all(20.0 <= after - before <= 31.0 for before, after in itertools.pairwise(places))


def test_nobody_appears_where_the_ego_is(stage: ToyStage, owner: Bare) -> None:
    stage.ego.transform = carla.Transform(carla.Location(1.0, 5003.0, 0.0), carla.Rotation())
    flow = Flow(owner, straight(), (20.0, 30.0), SPEED_M_S, keeps_distance=False)
    assert run(stage, flow, owner, 3.0)[-1] == []


def test_a_car_that_met_something_makes_all_look_ahead(stage: ToyStage, owner: Bare) -> None:
    flow = Flow(owner, straight(), (20.0, 30.0), SPEED_M_S, keeps_distance=False)
    run(stage, flow, owner, 5.0)
    assert not any(driven.keeps_distance for driven in stage.traffic.driven)
    owner.actors[0].speed = 0.0
    flow.tick()
    last = {driven.actor.id: driven.keeps_distance for driven in stage.traffic.driven}
    assert all(last[car.id] for car in owner.actors)


def test_a_change_begins_beside_and_ends_on_the_path() -> None:
    path = straight(0.0)
    start = carla.Transform(carla.Location(0.0, 3.5, 0.0), carla.Rotation())
    changed = blended(start, path, 12.0)
    offsets = [place.location.y for place in changed]
    assert offsets[0] == pytest.approx(3.5, abs=1e-4)
    assert offsets[12:] == pytest.approx([0.0] * (LENGTH_M - 12), abs=1e-4)
    assert all(after <= before + 1e-6 for before, after in itertools.pairwise(offsets))


def test_shifted_is_to_the_right_of_the_heading() -> None:
    north = [carla.Transform(carla.Location(0.0, 0.0, 0.0), carla.Rotation(yaw=-90.0))]
    assert shifted(north, 2.0)[0].location.distance(carla.Location(2.0, 0.0, 0.0)) < 1e-4


def test_a_wreck_is_cleared_so_that_nobody_waits_for_ever(stage: ToyStage, owner: Bare) -> None:
    flow = Flow(owner, straight(), (20.0, 30.0), SPEED_M_S, keeps_distance=False)
    run(stage, flow, owner, 3.0)
    wreck = owner.actors[0]
    there = []
    for _ in range(20 * 12):
        wreck.steers, wreck.speed = None, 0.0
        stage.step()
        flow.tick()
        there.append(wreck in owner.actors)
    assert there[20 * 6], "it may only wait for somebody"
    assert not there[-1]
