"""A map used once in a process of its own, under limits: what kills or hangs carla's library takes no server with it.

Run by ``proof``: the text comes on standard input, and what speaks against it goes to standard output.
"""

from __future__ import annotations

import math
import os
import resource
import sys
from collections.abc import Iterable
from typing import Any

import carla

from bestrand_drive.errors import DataRefused
from bestrand_drive.headless.maps.signals import find_signals
from bestrand_drive.headless.maps.soundness import FARTHEST_M
from bestrand_drive.headless.maps.spawn_points import find_spawn_points
from bestrand_drive.headless.signal_types import LIGHT_TYPE, SPEED_TYPE, STOP_TYPE, YIELD_TYPE

_SPACING_M = 10.0


def main(cpu_s: int, memory_bytes: int) -> None:
    """Try the text on standard input.

    Args:
        cpu_s: Seconds of processor time after which the process is killed.
        memory_bytes: Of address space; what asks for more gets ``MemoryError``.
    """
    data, answer = sys.stdin.buffer.read(), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # carla prints warnings
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    os.write(answer, verdict(data.decode()).encode("utf-8", "replace")[:4096])
    os._exit(0)


def verdict(xodr: str) -> str:
    """What speaks against a map, or nothing: everything that the server does with one is done once."""
    try:
        use(carla.Map("trial", xodr))
    except MemoryError:
        return "it needs too much memory"
    except Exception as error:
        return str(error).rstrip(".") or type(error).__name__
    return ""


def use(carla_map: Any) -> None:  # noqa: ANN401  carla has no types
    """Ask for whatever the server asks for, and for places all along the roads.

    Raises:
        DataRefused: A place is not finite, or outside the world.
    """
    for waypoint in carla_map.generate_waypoints(_SPACING_M):
        _check(waypoint)
        found = carla_map.get_waypoint(waypoint.transform.location, project_to_road=True, lane_type=carla.LaneType.Any)
        if found is not None:
            _check(found)
    for pair in carla_map.get_topology():
        for waypoint in pair:
            _check(waypoint)
    find_spawn_points(carla_map)
    for kind in (LIGHT_TYPE, STOP_TYPE, YIELD_TYPE, SPEED_TYPE):
        for site in find_signals(carla_map, kind):
            _check_place(site.transform.location, "signal", site.sign_id)
    carla_map.get_all_landmarks()
    carla_map.get_crosswalks()


def _check(waypoint: Any) -> None:  # noqa: ANN401  carla has no types
    place, turn = waypoint.transform.location, waypoint.transform.rotation
    _check_place((place.x, place.y, place.z), "road", waypoint.road_id)
    if not all(map(math.isfinite, (turn.pitch, turn.yaw, waypoint.lane_width, waypoint.s))):
        raise DataRefused(f"a place on road {waypoint.road_id} has no finite direction or width")


def _check_place(place: Iterable[float], what: str, name: object) -> None:
    """Refuse a place that no world holds."""
    if not all(abs(part) <= FARTHEST_M for part in place):
        x, y, z = place
        raise DataRefused(
            f"a place of {what} {str(name)[:40]!r} is ({x:g}, {y:g}, {z:g}) m, not within {FARTHEST_M:g} m"
        )
