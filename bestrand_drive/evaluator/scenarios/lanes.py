"""Places along and beside lanes: all that scenarios ask of the map, in metres and degrees of CARLA's axes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import carla

STEP_M = 1.0
_ROAD = carla.LaneType.Driving | carla.LaneType.Parking | carla.LaneType.Shoulder | carla.LaneType.Biking


def turn_deg(start: float, end: float) -> float:
    """From one yaw to another, in (-180, 180]; positive is to the right (CARLA's y axis points right)."""
    return -((start - end + 180.0) % 360.0 - 180.0)


def straightest(waypoint: carla.Waypoint, options: Sequence[carla.Waypoint]) -> carla.Waypoint:
    """The option whose heading differs least from the waypoint's."""
    yaw = waypoint.transform.rotation.yaw
    return min(options, key=lambda option: abs(turn_deg(yaw, option.transform.rotation.yaw)))


def walk(
    waypoint: carla.Waypoint, distance_m: float, *, ahead: bool = True, through: bool = True, step_m: float = STEP_M
) -> Iterator[carla.Waypoint]:
    """Waypoints along the lane after (or before) one, straight on at forks, until the distance or the map's end.

    Args:
        waypoint: Where to begin; it is not given itself.
        distance_m: How far.
        ahead: With the lane's direction, else against it.
        through: Goes on into junctions; otherwise it ends before the next one.
        step_m: Distance between two.
    """
    for _ in range(round(distance_m / step_m)):
        options = waypoint.next(step_m) if ahead else waypoint.previous(step_m)
        if not options:
            return
        following = straightest(waypoint, options)
        if not through and following.is_junction:
            return
        waypoint = following
        yield waypoint


def ahead(waypoint: carla.Waypoint, distance_m: float, *, through: bool = False) -> carla.Waypoint:
    """The waypoint so far along its lane, or the last one before the next junction."""
    return [waypoint, *walk(waypoint, distance_m, through=through)][-1]


def behind(waypoint: carla.Waypoint, distance_m: float, *, through: bool = False) -> carla.Waypoint:
    """The waypoint so far back, or the first one after the junction before it."""
    return [waypoint, *walk(waypoint, distance_m, ahead=False, through=through)][-1]


def aside(
    transform: carla.Transform, right_m: float, forward_m: float = 0.0, *, turned_deg: float = 0.0
) -> carla.Transform:
    """A transform moved in its own plane axes and turned; only its yaw counts."""
    yaw = math.radians(transform.rotation.yaw)
    here = transform.location
    moved = carla.Location(
        here.x + forward_m * math.cos(yaw) - right_m * math.sin(yaw),
        here.y + forward_m * math.sin(yaw) + right_m * math.cos(yaw),
        here.z,
    )
    return carla.Transform(moved, carla.Rotation(yaw=transform.rotation.yaw + turned_deg))


def neighbour(waypoint: carla.Waypoint, side: str) -> carla.Waypoint | None:
    """The lane on a side as one who drives there sees it: on the left of a one-lane road it runs the other way."""
    return waypoint.get_left_lane() if side == "left" else waypoint.get_right_lane()


def driving_neighbour(waypoint: carla.Waypoint, side: str) -> carla.Waypoint | None:
    """The neighbouring lane for vehicles that runs the same way, if there is one."""
    beside = neighbour(waypoint, side)
    if beside is None or beside.lane_type != carla.LaneType.Driving:
        return None
    return beside if same_way(waypoint, beside) else None


def oncoming(waypoint: carla.Waypoint) -> carla.Waypoint | None:
    """The nearest lane on the left that runs the other way."""
    beside: carla.Waypoint | None = waypoint
    while beside is not None and same_way(waypoint, beside):
        beside = beside.get_left_lane()
    return beside if beside is not None and beside.lane_type == carla.LaneType.Driving else None


def same_way(one: carla.Waypoint, other: carla.Waypoint) -> bool:
    """Whether two lanes of one road run the same way."""
    return bool((one.lane_id > 0) == (other.lane_id > 0))


def abreast(waypoint: carla.Waypoint) -> list[carla.Waypoint]:
    """All lanes for vehicles that run the same way here, from the rightmost to the leftmost."""
    right = waypoint
    while (beside := driving_neighbour(right, "right")) is not None:
        right = beside
    lanes = [right]
    while (beside := driving_neighbour(lanes[-1], "left")) is not None:
        lanes.append(beside)
    return lanes


def kerb_m(waypoint: carla.Waypoint, side: str) -> float:
    """From a lane's centre to the outer edge of all that wheels may use on a side: other lanes, parking, shoulder."""
    edge = float(waypoint.lane_width) / 2
    at: carla.Waypoint | None = waypoint
    turned = False
    while at is not None:
        beside = at.get_left_lane() if (side == "left") != turned else at.get_right_lane()
        if beside is None or not beside.lane_type & _ROAD:
            break
        turned ^= not same_way(at, beside)
        edge += float(beside.lane_width)
        at = beside
    return edge
