"""Programs about towns: changed, loaded again, refused, made, probed."""

from __future__ import annotations

from typing import Any

import carla

from tests.headless.client.programs.session import CAR, Session, moved, numbers, straight_road


def towns(session: Session, road: str) -> dict[str, Any]:
    """Another town, none, one of our own, back."""
    found: dict[str, Any] = {}
    world = session.empty_town("Town02")
    car = session.spawn(CAR, world.get_map().get_spawn_points()[0])
    session.tick()
    found["second"] = [world.get_map().name, len(world.get_actors().filter("vehicle.*")), world.id]
    try:
        session.client.load_world("Atlantis")
    except RuntimeError as error:
        found["unknown"] = str(error)
    session.tick()
    found["still"] = world.get_actors().find(car.id) is not None
    session.step()
    session.world = world = session.client.generate_opendrive_world(road, carla.OpendriveGenerationParameters())
    session.synchronous()
    town = world.get_map()
    start = town.get_waypoint(carla.Location(20.0, 1.75, 0.0))
    car = session.spawn(CAR, moved(start.transform, up=0.3))
    session.tick()
    car.apply_control(carla.VehicleControl(throttle=0.7))
    session.tick(60)
    found["own"] = [town.name, len(town.get_topology()), len(world.get_actors().filter("vehicle.*")), world.id]
    found["own_moved"] = numbers(car.get_location() - start.transform.location)
    session.step()
    world = session.empty_town("Town01")
    session.tick()
    found["back"] = [world.get_map().name, len(world.get_actors().filter("vehicle.*")), world.id]
    return found


def reloading(session: Session) -> list[list[Any]]:
    """Map, settings, vehicles and episode: of a town with a vehicle, loaded again with and without its settings."""
    world = session.empty_town("Town02")
    found = []
    for reset in (None, False, True):
        if reset is not None:
            session.world = world = session.client.reload_world(reset)
            session.step()
        if not world.get_settings().synchronous_mode:
            world.wait_for_tick()
        vehicles = len(world.get_actors().filter("vehicle.*"))
        found.append([world.get_map().name, world.get_settings().synchronous_mode, vehicles, world.id])
        session.spawn(CAR, world.get_map().get_spawn_points()[0])
    return found


def probing(session: Session) -> dict[str, Any]:
    """Rays at the road, beside it and past it; the ground under a place in the air."""
    world = session.empty_town()
    place = straight_road(world)
    above = moved(place, up=6.0).location
    deep, aside = moved(place, up=-6.0).location, moved(place, aside=400.0, up=6.0).location
    down = carla.Vector3D(0.0, 0.0, -1.0)
    ahead = place.get_forward_vector()
    slanting = carla.Vector3D(ahead.x, ahead.y, ahead.z - 0.5)
    return {
        "road": numbers(world.get_map().get_waypoint(place.location).transform.location),
        "place": numbers(above),
        "ahead": numbers(ahead),
        "cast": [[numbers(hit.location), str(hit.label)] for hit in world.cast_ray(above, deep)],
        "cast_aside": len(world.cast_ray(aside, moved(place, aside=400.0, up=-6.0).location)),
        "cast_short": len(world.cast_ray(above, moved(place, up=5.0).location)),
        "projected": _point(world.project_point(above, down, 20.0)),
        "slanting": _point(world.project_point(above, slanting, 40.0)),
        "upwards": _point(world.project_point(above, carla.Vector3D(0.0, 0.0, 1.0), 20.0)),
        "too_short": _point(world.project_point(above, down, 2.0)),
        "ground": _point(world.ground_projection(above, 20.0)),
        "ground_aside": _point(world.ground_projection(aside, 20.0)),
    }


def _point(found: Any) -> Any:
    """Where, and what is there."""
    return None if found is None else [numbers(found.location), str(found.label)]


PROGRAMS = (towns, reloading, probing)
