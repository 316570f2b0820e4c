"""Where lights and stop signs make it stand."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import carla
import pytest
from probe_driving.signals import Signals
from probe_driving.style import Style

from tests.probes.roads import path, straight

GREEN, YELLOW, RED = (getattr(carla.TrafficLightState, name) for name in ("Green", "Yellow", "Red"))
HALF_M = 2.4


def light(line: float, state: Any, *, right: float = 0.0, yaw: float = 0.0, number: int = 1) -> Any:
    place = carla.Transform(carla.Location(line, right, 0.0), carla.Rotation(yaw=yaw))
    return SimpleNamespace(id=number, state=state, get_stop_waypoints=lambda: [SimpleNamespace(transform=place)])


def stop_sign(x: float, right: float = 0.0) -> Any:
    volume = SimpleNamespace(location=carla.Location(), extent=carla.Vector3D(1.0, 1.5, 1.0))
    transform = carla.Transform(carla.Location(x, right, 0.0))
    return SimpleNamespace(trigger_volume=volume, get_transform=lambda: transform)


def signals(lights: list[Any] = (), signs: list[Any] = (), style: Style | None = None) -> Signals:  # type: ignore[assignment]
    kinds = {"*traffic_light*": list(lights), "traffic.stop": list(signs)}
    world = SimpleNamespace(get_actors=lambda: SimpleNamespace(filter=lambda pattern: kinds[pattern]))
    return Signals(straight(), world, style or Style())


def stand(found: Signals, s: float, speed: float = 8.0) -> float:
    return found.stop_at(s, HALF_M, speed, 0.05)


def test_it_stands_before_a_red_line_with_its_front():
    found = signals([light(60.0, RED)])
    assert 60.0 - 2.0 < stand(found, 45.0) + HALF_M < 60.0
    assert stand(found, 5.0) == math.inf, "far away"
    assert stand(found, 60.0) == math.inf, "driven over"


def test_lights_of_others_do_not_count():
    for other in (light(60.0, RED, right=3.5), light(60.0, RED, yaw=90.0), light(60.0, RED, yaw=180.0)):
        assert stand(signals([other]), 45.0) == math.inf
    assert stand(signals([light(60.0, GREEN)]), 45.0) == math.inf
    assert stand(signals([light(60.0, RED)], style=Style(obeys_lights=False)), 45.0) == math.inf


def test_a_line_counts_on_the_path_and_in_its_direction_whichever_that_is():
    for right, yaw, counts in ((2.4, 0.0, True), (2.6, 0.0, False), (0.0, 59.0, True), (0.0, 61.0, False)):
        assert (stand(signals([light(60.0, RED, right=right, yaw=yaw)]), 45.0) < math.inf) is counts, (right, yaw)
    place = carla.Transform(carla.Location(0.0, 60.0, 0.0), carla.Rotation(yaw=90.0))
    north = SimpleNamespace(id=1, state=RED, get_stop_waypoints=lambda: [SimpleNamespace(transform=place)])
    world = SimpleNamespace(get_actors=lambda: SimpleNamespace(filter=lambda kind: [north] * ("light" in kind)))
    road = path([(0.0, 2.0 * number) for number in range(60)])
    assert stand(Signals(road, world, Style()), 45.0) < 60.0


def test_yellow_counts_where_one_can_still_stop():
    found = signals([light(60.0, YELLOW)])
    assert stand(found, 42.0, 8.0) < 60.0
    assert stand(found, 54.0, 8.0) == math.inf
    red = signals([light(60.0, RED)])
    assert [stand(red, s, 8.0) < 60.0 for s in (36.0, 38.0, 54.0, 55.0)] == [False, True, True, False], (
        "as soon as it brakes for it, and as long as brakes can"
    )


def test_a_light_that_is_not_green_explains_a_queue():
    found = signals([light(60.0, RED)])
    assert found.waits_at_light(10.0, 80.0)
    assert not found.waits_at_light(61.0, 80.0)
    assert not signals([light(60.0, GREEN)]).waits_at_light(10.0, 80.0)
    assert signals([light(50.0, GREEN), light(60.0, RED, number=2)]).waits_at_light(10.0, 80.0)
    heedless = Style(obeys_lights=False)
    assert signals([light(60.0, RED)], style=heedless).waits_at_light(10.0, 80.0), "it passes others"
    assert not signals([light(60.0, RED)], style=replace(heedless, overtakes=False)).waits_at_light(10.0, 80.0)


def test_it_stops_at_a_sign_once_for_its_time_and_goes_on():
    found = signals(signs=[stop_sign(60.0)], style=Style(stop_s=1.0))
    goal = stand(found, 40.0)
    assert 56.0 < goal < 60.0, "inside the four metres in which a stop counts"
    waits = [stand(found, goal, 0.0) for _ in range(40)]
    stood = waits.index(math.inf)
    assert stood * 0.05 == pytest.approx(1.0, abs=0.1)
    assert set(waits[stood:]) == {math.inf}


def test_slowing_down_is_no_stop():
    found = signals(signs=[stop_sign(60.0)])
    assert all(stand(found, 59.0, 0.5) < math.inf for _ in range(200))


def test_signs_beside_the_road_and_signs_of_nobody():
    """A zone is 1.5 m to either side, and counts a fifth larger."""
    for right, counts in ((1.7, True), (1.9, False), (-1.7, True), (-1.9, False), (4.0, False)):
        assert (stand(signals(signs=[stop_sign(60.0, right=right)]), 50.0) < math.inf) is counts, right
    assert stand(signals(signs=[stop_sign(60.0)], style=Style(obeys_stops=False)), 50.0) == math.inf


def test_a_second_sign_follows_the_first():
    found = signals(signs=[stop_sign(60.0), stop_sign(100.0)])
    assert stand(found, 50.0) < 60.0
    assert 96.0 < stand(found, 70.0) < 100.0
