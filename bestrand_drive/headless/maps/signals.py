"""Traffic lights and signs of a town: where they stand, which lanes they stop, and their trigger volumes.

CARLA's convention for trigger volumes (its client samples stop waypoints along the actor's forward vector, over 0.9 of
the volume's x extent): the actor's yaw is the stopped lane's yaw + 90 degrees, so x runs across the lanes, and the
volume is given in the actor's frame. The actor stands at its pole.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from bestrand_drive.headless.actor import Transform, Vector
from bestrand_drive.headless.signal_types import SPEED_TYPE

_BOX_DEPTH_M = 2.0  # half length of a trigger volume along the lane
_BOX_HEIGHT_M = 1.0
_SAME_WAY_DEG = 45.0
_STEPS_BACK = 200


@dataclass(frozen=True)
class StopLane:
    """Where one lane meets its signal: the last place before the junction, or the sign's own place.

    Attributes:
        road_id: OpenDRIVE road.
        lane_id: OpenDRIVE lane.
        location: Centre of the lane, metres.
        yaw: Direction of travel, degrees.
        width: Of the lane, metres.
    """

    road_id: int
    lane_id: int
    location: Vector
    yaw: float
    width: float


@dataclass(frozen=True)
class SignalSite:
    """One light or sign.

    Attributes:
        sign_id: OpenDRIVE signal id, by which the client finds the lanes it governs.
        type: OpenDRIVE signal type.
        value: Number on a speed sign.
        transform: Of the actor.
        extent: Half sizes of the trigger volume, metres.
        box_centre: Centre of the volume in the actor's frame.
        lanes: The lanes it stops.
    """

    sign_id: str
    type: str
    value: float
    transform: Transform
    extent: Vector
    box_centre: Vector
    lanes: tuple[StopLane, ...]


def find_signals(carla_map: Any, signal_type: str) -> tuple[SignalSite, ...]:  # noqa: ANN401  carla has no types
    """All lights or signs of a type, in the order of their ids; those that govern no driving lane are left out."""
    by_id: dict[str, list[Any]] = {}
    for landmark in carla_map.get_all_landmarks_of_type(signal_type):
        by_id.setdefault(landmark.id, []).append(landmark)
    sites = (_site(carla_map, signal_type, by_id[name]) for name in sorted(by_id, key=_number_first))
    return tuple(site for site in sites if site is not None)


def _number_first(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isdecimal() else (2**31, name)


def _site(carla_map: Any, signal_type: str, landmarks: list[Any]) -> SignalSite | None:  # noqa: ANN401  carla has no types
    lanes = _one_way(_stop_lanes(carla_map, landmarks, before_junction=signal_type != SPEED_TYPE))
    if not lanes:
        return None
    pole = landmarks[0].transform.location
    place = Transform((pole.x, pole.y, lanes[0].location[2]), (0.0, _wrap(lanes[0].yaw + 90.0), 0.0))
    centre, extent = _volume(lanes)
    return SignalSite(
        sign_id=landmarks[0].id,
        type=signal_type,
        value=float(landmarks[0].value),
        transform=place,
        extent=extent,
        box_centre=_into_frame(place, centre),
        lanes=tuple(lanes),
    )


def _stop_lanes(carla_map: Any, landmarks: Iterable[Any], *, before_junction: bool) -> list[StopLane]:  # noqa: ANN401  carla has no types
    """The lanes that a signal and all references to it are valid for, each once, in a fixed order."""
    found: dict[tuple[int, int], StopLane] = {}
    for landmark in landmarks:
        for lane_id in _valid_lanes(landmark):
            waypoint = _driving_waypoint(carla_map, landmark.road_id, lane_id, landmark.s)
            if waypoint is not None and before_junction:
                waypoint = _leave_junction(waypoint)
            if waypoint is not None:
                found.setdefault((waypoint.road_id, waypoint.lane_id), _as_lane(waypoint))
    return [found[key] for key in sorted(found)]


def _valid_lanes(landmark: Any) -> Iterator[int]:  # noqa: ANN401  carla has no types
    for first, last in landmark.get_lane_validities():
        yield from (lane for lane in range(min(first, last), max(first, last) + 1) if lane != 0)


def _driving_waypoint(carla_map: Any, road_id: int, lane_id: int, s: float) -> Any | None:  # noqa: ANN401  carla has no types
    """The place on the lane; a signal at the very start of a road is moved in by a millimetre."""
    for place in (s, max(s, 1e-3), s - 1e-3):
        waypoint = carla_map.get_waypoint_xodr(road_id, lane_id, place)
        if waypoint is not None:
            return waypoint if str(waypoint.lane_type) == "Driving" else None
    return None


def _leave_junction(waypoint: Any) -> Any | None:  # noqa: ANN401  carla has no types
    """Follow the lane backwards to its last place before the junction."""
    for _ in range(_STEPS_BACK):
        if not waypoint.is_junction:
            return waypoint
        before = waypoint.previous(0.5)
        if not before:
            return None
        waypoint = before[0]
    return None


def _as_lane(waypoint: Any) -> StopLane:  # noqa: ANN401  carla has no types
    place = waypoint.transform
    location = (place.location.x, place.location.y, place.location.z)
    return StopLane(waypoint.road_id, waypoint.lane_id, location, _wrap(place.rotation.yaw), waypoint.lane_width)


def _one_way(lanes: list[StopLane]) -> list[StopLane]:
    """Those that run the way the first does: one trigger volume cannot lie across two directions."""
    return [lane for lane in lanes if abs(_wrap(lane.yaw - lanes[0].yaw)) < _SAME_WAY_DEG]


def _volume(lanes: list[StopLane]) -> tuple[Vector, Vector]:
    """World centre and half sizes of a box across all lanes, its far face at the stop line."""
    heading = math.radians(lanes[0].yaw)
    forward, right = (math.cos(heading), math.sin(heading)), (-math.sin(heading), math.cos(heading))
    across = [lane.location[0] * right[0] + lane.location[1] * right[1] for lane in lanes]
    along = [lane.location[0] * forward[0] + lane.location[1] * forward[1] for lane in lanes]
    low = min(place - lane.width / 2 for place, lane in zip(across, lanes, strict=True))
    high = max(place + lane.width / 2 for place, lane in zip(across, lanes, strict=True))
    middle, line = (low + high) / 2, sum(along) / len(along) - _BOX_DEPTH_M
    height = sum(lane.location[2] for lane in lanes) / len(lanes) + _BOX_HEIGHT_M
    centre = (middle * right[0] + line * forward[0], middle * right[1] + line * forward[1], height)
    return centre, (max(0.9 * (high - low) / 2, 0.1), _BOX_DEPTH_M, _BOX_HEIGHT_M)


def _into_frame(place: Transform, point: Vector) -> Vector:
    """A world point in the frame of an actor that only yaws."""
    yaw = math.radians(place.rotation[1])
    dx, dy = point[0] - place.location[0], point[1] - place.location[1]
    return (
        dx * math.cos(yaw) + dy * math.sin(yaw),
        -dx * math.sin(yaw) + dy * math.cos(yaw),
        point[2] - place.location[2],
    )


def _wrap(degrees: float) -> float:
    """Into [-180, 180)."""
    return (degrees + 180.0) % 360.0 - 180.0
