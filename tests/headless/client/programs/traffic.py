"""The program whose every snapshot is compared between runs."""

from __future__ import annotations

from typing import Any

import carla

from tests.headless.client.programs.session import Session, fingerprint, moved, numbers


def traffic(session: Session, seed: int, ticks: int, town: str = "") -> dict[str, Any]:
    """Vehicles under the TrafficManager, walkers and lights; what the client sees.

    Args:
        session: The client.
        seed: Of the TrafficManager.
        ticks: How many.
        town: Loaded first; empty for the server's first episode.
    """
    if town:
        session.world = session.client.load_world(town)
    world = session.world
    assert world.get_settings().synchronous_mode, "start the server in synchronous mode"
    session.synchronous()
    manager = session.traffic_manager(seed)
    places = world.get_map().get_spawn_points()
    ids = session.traffic(places[:: len(places) // 20][:16], manager)
    walkers = [session.spawn("walker.pedestrian.0001", moved(place, aside=5.0, up=0.5)) for place in places[5::60]]
    for number, walker in enumerate(walkers):
        walker.apply_control(carla.WalkerControl(carla.Vector3D(1.0, 0.25 * number, 0.0), 1.4))
    session.tick()
    starts = [world.get_actor(one).get_location() for one in ids]
    seen = []
    for _ in range(ticks):
        session.tick()
        seen.append(fingerprint(world.get_snapshot()))
    return {
        "seen": seen,
        "frame": world.get_snapshot().frame,
        "actors": len(list(world.get_snapshot())),
        "walkers": len(walkers),
        "driven_m": [world.get_actor(one).get_location().distance(start) for one, start in zip(ids, starts)],
        "places": [numbers(world.get_actor(one).get_location()) for one in ids],
    }


PROGRAMS = (traffic,)
