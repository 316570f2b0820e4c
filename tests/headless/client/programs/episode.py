"""Programs about versions, settings, ticks and time."""

from __future__ import annotations

import time
from typing import Any

import carla

from tests.headless.client.programs.session import CAR, Session, straight_road


def identity(session: Session) -> dict[str, Any]:
    """Versions, maps, blueprints, spawn points."""
    world = session.empty_town()
    town = world.get_map()
    on_road = [town.get_waypoint(place.location, project_to_road=False) for place in town.get_spawn_points()]
    return {
        "versions": [session.client.get_client_version(), session.client.get_server_version()],
        "maps": session.client.get_available_maps(),
        "map": town.name,
        "road_bytes": len(town.to_opendrive()),
        "blueprints": [blueprint.id for blueprint in world.get_blueprint_library()],
        "spawn_points": len(on_road),
        "on_road": sum(waypoint is not None and not waypoint.is_junction for waypoint in on_road),
        "spectator": world.get_spectator().type_id,
    }


def ticking(session: Session) -> dict[str, Any]:
    """Frames, times and steps of ticks; how far the world went while nobody ticked."""
    world = session.empty_town()
    stamps = []
    for _ in range(200):
        frame = session.tick()
        stamp = world.get_snapshot().timestamp
        stamps.append([frame, stamp.frame, stamp.elapsed_seconds, stamp.delta_seconds])
    time.sleep(0.5)
    slept = world.get_snapshot()
    return {
        "stamps": stamps,
        "mode": [world.get_settings().synchronous_mode, slept.timestamp.elapsed_seconds - stamps[-1][2]],
        "by_itself": slept.frame - frame,
        "next": session.tick() - frame,
    }


def free_running(session: Session) -> dict[str, Any]:
    """Asynchronous mode: nobody ticks, and a vehicle drives."""
    world = session.world = session.client.load_world("Town01")
    car = session.spawn(CAR, straight_road(world))
    first = world.wait_for_tick().timestamp
    start = car.get_location()
    car.apply_control(carla.VehicleControl(throttle=1.0))
    steps, end_s = [], time.monotonic() + 2.0
    while time.monotonic() < end_s:
        steps.append(world.wait_for_tick().timestamp.delta_seconds)
        session.step()
    last = world.get_snapshot().timestamp
    return {
        "synchronous": world.get_settings().synchronous_mode,
        "steps": steps,
        "frames": last.frame - first.frame,
        "simulated_s": last.elapsed_seconds - first.elapsed_seconds,
        "driven_m": car.get_location().distance(start),
    }


def settings(session: Session) -> list[list[Any]]:
    """What was set, and what another client then reads."""
    world, told, others = session.empty_town(), [], []
    for step_s, rendering in ((0.1, True), (0.02, False)):
        wanted = world.get_settings()
        wanted.fixed_delta_seconds, wanted.no_rendering_mode = step_s, rendering
        world.apply_settings(wanted)
        session.tick()
        others.append(session.another_client())
        read = others[-1].get_world().get_settings()
        seen = world.get_snapshot().timestamp.delta_seconds
        told.append([read.synchronous_mode, read.fixed_delta_seconds, read.no_rendering_mode, seen])
    return told


PROGRAMS = (identity, ticking, free_running, settings)
