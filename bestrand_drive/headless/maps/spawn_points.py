"""Places where vehicles may be spawned; CARLA's own are drawn by hand and are not in the OpenDRIVE file."""

from __future__ import annotations

import math
from typing import Any

from bestrand_drive.headless.actor import Transform

MOST = 400
_SPACING_M = 10.0
_LIFT_M = 0.5
_NARROWEST_M = 2.5
_AHEAD_M, _ASIDE_M = 15.0, 2.5  # nearer than both is too near
_ROOM_M = 4.0  # to the next junction
_CELL_M = 15.0


def find_spawn_points(carla_map: Any) -> tuple[Transform, ...]:  # noqa: ANN401  carla has no types
    """Lane centres outside junctions, half a metre above the road, thinned evenly to at most ``MOST``.

    The order is that of ``carla.Map.generate_waypoints`` (road, section, lane), which is fixed for a file. All of them
    can be used at once: no two are so near that vehicles on them would overlap.
    """
    taken: dict[tuple[int, int], list[Transform]] = {}
    points = []
    for waypoint in carla_map.generate_waypoints(_SPACING_M):
        if waypoint.lane_width < _NARROWEST_M or not _has_room(waypoint):
            continue
        point = _as_transform(waypoint.transform)
        column, row = (math.floor(place / _CELL_M) for place in point.location[:2])
        around = ((column + dx, row + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1))
        if any(_conflict(point, other) for cell in around for other in taken.get(cell, ())):
            continue
        taken.setdefault((column, row), []).append(point)
        points.append(point)
    return tuple(_thin(points))


def _has_room(waypoint: Any) -> bool:  # noqa: ANN401  carla has no types
    """Neither here nor a vehicle's length before or after it lies a junction or the end of the road."""
    around = (*waypoint.previous(_ROOM_M), waypoint, *waypoint.next(_ROOM_M))
    return len(around) >= 3 and not any(place.is_junction for place in around)


def _conflict(point: Transform, other: Transform) -> bool:
    """The two are too near each other, in the frame of the first."""
    yaw = math.radians(point.rotation[1])
    dx, dy = other.location[0] - point.location[0], other.location[1] - point.location[1]
    ahead, aside = dx * math.cos(yaw) + dy * math.sin(yaw), dy * math.cos(yaw) - dx * math.sin(yaw)
    return abs(ahead) < _AHEAD_M and abs(aside) < _ASIDE_M


def _as_transform(place: Any) -> Transform:  # noqa: ANN401  carla has no types
    location = (place.location.x, place.location.y, place.location.z + _LIFT_M)
    pitch = (place.rotation.pitch + 180.0) % 360.0 - 180.0
    return Transform(location, (pitch, (place.rotation.yaw + 180.0) % 360.0 - 180.0, 0.0))


def _thin(points: list[Transform]) -> list[Transform]:
    """At most ``MOST`` of them, evenly spread over the list."""
    if len(points) <= MOST:
        return points
    return [points[index * len(points) // MOST] for index in range(MOST)]
