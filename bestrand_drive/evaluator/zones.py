"""Where the lights and stop signs near a plan hold traffic, as the rules need it."""

from __future__ import annotations

import math
from collections.abc import Iterator

import carla

from bestrand_drive.evaluator.criteria.moment import Point
from bestrand_drive.evaluator.criteria.outside_lanes import ALLOWED_M, Lane
from bestrand_drive.evaluator.criteria.red_light import Light, StopLine
from bestrand_drive.evaluator.criteria.stop_sign import PROXIMITY_M, STEP_M, StopSign
from bestrand_drive.evaluator.plan import Plan

_NEAR_M = 60.0
"""The ego is at most 30 m off the route, and lights matter within 15 m."""
_INNER = 0.9
_ACROSS_STEP_M = 1.0
_APPROACH_STEP_M = 0.5
_MOST_STEPS = 400


def point(location: carla.Location) -> Point:
    """Plain numbers."""
    return float(location.x), float(location.y), float(location.z)


def is_near(plan: Plan, place: Point) -> bool:
    """Whether a place matters to who drives a plan."""
    near = zip(plan.xs[::5], plan.ys[::5], strict=True)
    return any(abs(x - place[0]) < _NEAR_M and abs(y - place[1]) < _NEAR_M for x, y in near)


def _centre(actor: carla.Actor) -> carla.Location:
    volume = actor.trigger_volume.location
    return actor.get_transform().transform(carla.Location(volume.x, volume.y, volume.z))


def lights_near(world: carla.World, map_: carla.Map, plan: Plan) -> dict[int, tuple[Light, carla.TrafficLight]]:
    """Lights by id, with their stop lines."""
    found = {}
    for actor in world.get_actors().filter("*traffic_light*"):
        centre = point(_centre(actor))
        if is_near(plan, centre):
            place = point(actor.get_transform().location)
            found[actor.id] = Light(actor.id, place, centre, tuple(_lines(actor, centre, map_))), actor
    return found


def _lines(light: carla.TrafficLight, centre: Point, map_: carla.Map) -> Iterator[StopLine]:
    """A stop line for each lane that the trigger volume lies across: where the lane enters the junction."""
    half_m = _INNER * light.trigger_volume.extent.x
    yaw = math.radians(light.get_transform().rotation.yaw)
    before: tuple[int, int] | None = None
    for step in range(math.ceil(2.0 * half_m / _ACROSS_STEP_M)):
        across_m = step * _ACROSS_STEP_M - half_m
        place = carla.Location(centre[0] + across_m * math.cos(yaw), centre[1] + across_m * math.sin(yaw), centre[2])
        waypoint = map_.get_waypoint(place)
        lane = (int(waypoint.road_id), int(waypoint.lane_id))
        if lane != before:
            before = lane
            yield _line(_to_junction(waypoint))


def _to_junction(waypoint: carla.Waypoint) -> carla.Waypoint:
    """The last waypoint of the lane before a junction."""
    for _ in range(_MOST_STEPS):
        after = [] if waypoint.is_junction else waypoint.next(_APPROACH_STEP_M)
        if not after or after[0].is_junction:
            break
        waypoint = after[0]
    return waypoint


def _line(waypoint: carla.Waypoint) -> StopLine:
    transform = waypoint.transform
    lane = (int(waypoint.road_id), int(waypoint.lane_id))
    return StopLine(*lane, point(transform.location), float(transform.rotation.yaw), float(waypoint.lane_width))


def stops_near(world: carla.World, plan: Plan) -> list[StopSign]:
    """The stop signs."""
    found = []
    for actor in world.get_actors().filter("*traffic.stop*"):
        centre, extent = point(_centre(actor)), actor.trigger_volume.extent
        if is_near(plan, centre):
            place = point(actor.get_transform().location)
            found.append(StopSign(actor.id, place, centre, (float(extent.x), float(extent.y))))
    return found


class MapLooks:
    """What the rules ask the map."""

    def __init__(self, map_: carla.Map) -> None:
        self._map = map_

    def lane_at(self, place: Point) -> tuple[int, int]:
        """Road and lane of the nearest driving lane."""
        waypoint = self._map.get_waypoint(carla.Location(*place))
        return int(waypoint.road_id), int(waypoint.lane_id)

    def lane_ahead(self, place: Point) -> tuple[list[Point], float]:
        """The lane's points from beside a place to 4 m ahead, and its heading."""
        waypoint = self._map.get_waypoint(carla.Location(*place))
        yaw, points = float(waypoint.transform.rotation.yaw), [point(waypoint.transform.location)]
        for _ in range(int(PROXIMITY_M / STEP_M)):
            after = waypoint.next(STEP_M)
            if not after:
                break
            waypoint = after[0]
            points.append(point(waypoint.transform.location))
        return points, yaw

    def look(self, place: Point) -> tuple[Lane, bool]:
        """The nearest driving lane, and whether the place is off driving and parking lanes."""
        location = carla.Location(*place)
        driving = self._map.get_waypoint(location)
        transform = driving.transform
        lane = Lane(
            int(driving.road_id), int(driving.lane_id), float(transform.rotation.yaw), bool(driving.is_junction)
        )
        away_m = location.distance(transform.location)
        if away_m <= ALLOWED_M:
            return lane, False  # so is a parking lane that is nearer still, however narrow
        parking = self._map.get_waypoint(location, lane_type=carla.LaneType.Parking)
        parked_m = math.inf if parking is None else location.distance(parking.transform.location)
        nearest, apart_m = (driving, away_m) if away_m < parked_m else (parking, parked_m)
        return lane, bool(apart_m > nearest.lane_width / 2.0 + ALLOWED_M)
