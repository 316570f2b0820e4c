"""One town: roads, heights, limits, signals and spawn points; everything about it that does not change."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import carla

from bestrand_drive.errors import DataRefused
from bestrand_drive.headless.maps.opendrive import parse_opendrive
from bestrand_drive.headless.maps.proof import Look, prove
from bestrand_drive.headless.maps.signals import SignalSite, find_signals
from bestrand_drive.headless.maps.spawn_points import find_spawn_points
from bestrand_drive.headless.maps.speed_limits import SpeedLimits
from bestrand_drive.headless.signal_types import LIGHT_TYPE, SPEED_TYPE, STOP_TYPE, YIELD_TYPE

CELL_M = 2.0
CELL_HEIGHT_M = 4.0
KEPT_CELLS = 50_000
"""Cells remembered, the youngest ones: some 20 MB. Towns have fewer on their roads, clients may ask for any."""
_VERGE_M = 3.0


@dataclass(frozen=True, slots=True)
class Surface:
    """The road near a place, as a plane that rises along the lane only.

    Attributes:
        x: Point on the plane, metres.
        y: Point on the plane, metres.
        z: Point on the plane, metres.
        rise_x: Metres of height a metre of x.
        rise_y: Metres of height a metre of y.
        limit_kmh: Speed limit.
    """

    x: float
    y: float
    z: float
    rise_x: float
    rise_y: float
    limit_kmh: float

    def height(self, x: float, y: float) -> float:
        """Height of the plane at a place, metres."""
        return self.z + self.rise_x * (x - self.x) + self.rise_y * (y - self.y)


class RoadMap:
    """A loaded town.

    Attributes:
        name: Of the town.
        xodr: Its text.
        carla_map: ``carla.Map`` of it.
        spawn_points: Where vehicles may be spawned.
        limits: Speed limits.
        junctions: Signal ids of each junction's phases.

    Surfaces are asked for by cells of 2 x 2 x 4 m and remembered: ``carla.Map.get_waypoint`` costs 10 to 50 us. A cell
    is always evaluated at its centre, so that the answer depends neither on who asked first nor on what was forgotten.
    """

    def __init__(self, name: str, xodr: str, look: Look = lambda: None) -> None:
        """Build from OpenDRIVE text, which is tried before; ``look`` as in ``proof``.

        Raises:
            DataRefused: It cannot be read or used, or holds no road.
            EnvironmentFault: It cannot be tried.
        """
        self.name = name
        self.xodr = xodr
        parsed = parse_opendrive(xodr)
        if not parsed.roads:
            raise DataRefused(f"The OpenDRIVE text of {name} holds no road.")
        prove(name, xodr, look)
        self.carla_map: Any = carla.Map(name, xodr)
        self.spawn_points = find_spawn_points(self.carla_map)
        self.limits = SpeedLimits(parsed.roads)
        self.junctions = parsed.junctions
        self._cells: OrderedDict[tuple[int, int, int], Surface | None] = OrderedDict()

    @cached_property
    def lights(self) -> tuple[SignalSite, ...]:
        """Traffic lights in the order of their signal ids."""
        return find_signals(self.carla_map, LIGHT_TYPE)

    @cached_property
    def signs(self) -> tuple[SignalSite, ...]:
        """Stop, yield and speed limit signs."""
        return tuple(
            site for kind in (STOP_TYPE, YIELD_TYPE, SPEED_TYPE) for site in find_signals(self.carla_map, kind)
        )

    def surface_of_cell(self, cell: tuple[int, int, int]) -> Surface | None:
        """The road in a cell (x, y in 2 m; z in 4 m), or none where no road is near."""
        try:
            return self._cells[cell]
        except KeyError:
            surface = self._evaluate((cell[0] + 0.5) * CELL_M, (cell[1] + 0.5) * CELL_M, cell[2] * CELL_HEIGHT_M)
            self._cells[cell] = surface
            if len(self._cells) > KEPT_CELLS:
                self._cells.popitem(last=False)
            return surface

    def surface(self, x: float, y: float, z: float) -> Surface | None:
        """The road near a place, or none."""
        cell = (math.floor(x / CELL_M), math.floor(y / CELL_M), math.floor(z / CELL_HEIGHT_M + 0.5))
        return self.surface_of_cell(cell)

    def _evaluate(self, x: float, y: float, z: float) -> Surface | None:
        waypoint = self.carla_map.get_waypoint(
            carla.Location(x, y, z), project_to_road=True, lane_type=carla.LaneType.Any
        )
        if waypoint is None:
            return None
        place = waypoint.transform
        centre, yaw = place.location, math.radians(place.rotation.yaw)
        if math.hypot(centre.x - x, centre.y - y) > waypoint.lane_width / 2 + _VERGE_M:
            return None
        grade = math.tan(math.radians(place.rotation.pitch))
        rise = (grade * math.cos(yaw), grade * math.sin(yaw))
        limit_kmh = self.limits.at(waypoint.road_id, waypoint.lane_id, waypoint.s)
        return Surface(centre.x, centre.y, centre.z, *rise, limit_kmh)
