"""A client program: one probe's driver on a road of its own, with something on it; prints what happened.

python -m tests.probes.drive_program PORT STYLE OBSTACLE TICKS: a configuration of ``Style``, a blueprint 100 m down the
road or "", and for how long.
"""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import carla

from tests.probes.conftest import PROBES

sys.path.insert(0, str(PROBES))
from probe_driving.driver import Driver
from probe_driving.style import Style, with_changes

BEFORE_M, OBSTACLE_M, LENGTH_M = 15.0, 100.0, 190.0


def main(port: str, style: str, obstacle: str, ticks: str) -> None:
    client = carla.Client("127.0.0.1", int(port), worker_threads=8)
    client.set_timeout(20.0)
    world = client.load_world("Town01")
    world.apply_settings(carla.WorldSettings(synchronous_mode=True, fixed_delta_seconds=0.05))
    road_map, library = world.get_map(), world.get_blueprint_library()

    def at(distance: float) -> carla.Waypoint:
        return road_map.get_waypoint_xodr(0, -1, distance)

    def spawn(blueprint: str, distance: float) -> carla.Actor:
        place = at(distance).transform
        place.location.z += 0.3
        return world.spawn_actor(library.find(blueprint), place)

    hero, hits = spawn("vehicle.lincoln.mkz_2020", BEFORE_M), []
    sensor = world.spawn_actor(library.find("sensor.other.collision"), carla.Transform(), attach_to=hero)
    sensor.listen(lambda event: hits.append(event.other_actor.type_id))
    if obstacle:
        spawn(obstacle, OBSTACLE_M)
    world.tick()
    follow = SimpleNamespace(name="LANEFOLLOW")
    plan = [(at(distance).transform, follow) for distance in (BEFORE_M, 60.0, 110.0, LENGTH_M)]
    driver, rows = Driver(world, road_map, hero, plan, with_changes(Style(), style)), []
    for _ in range(int(ticks)):
        control = driver.step()
        hero.apply_control(control)
        world.tick()
        place = hero.get_location()
        rows.append((place.x, place.y, hero.get_velocity().length(), control.throttle, control.steer, control.brake))
    sensor.destroy()
    print(json.dumps({"rows": rows, "hits": sorted(set(hits))}))


if __name__ == "__main__":
    main(*sys.argv[1:])
