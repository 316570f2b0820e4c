"""Keeps vehicles on the road: height and pitch from the map, and the speed limit that goes with the place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.maps.road_map import CELL_HEIGHT_M, CELL_M, RoadMap
from bestrand_drive.headless.world.bodies import PITCH, ROLL, VX, VY, VZ, YAW, X, Y, Z
from bestrand_drive.headless.world.dynamics import GRAVITY
from bestrand_drive.headless.world.fleet import GX, GY, GZ, RISE_X, RISE_Y, Fleet

Floats = NDArray[np.float64]

_CELL = np.array([[CELL_M], [CELL_M], [CELL_HEIGHT_M]])
_CELL_SHIFT = np.array([[0.0], [0.0], [0.5]])
_CATCH_M = 0.3  # a vehicle on its wheels stays on them over such a crest in one tick
DEEPEST_M = 3.0  # what lies deeper under a road is not lifted onto it


def find_surfaces(state: Floats, fleet: Fleet, road_map: RoadMap) -> None:
    """Look up the road under the vehicles that came into another cell of the map, in the order of their ids."""
    cells = np.floor(state[X : Z + 1] / _CELL + _CELL_SHIFT).astype(np.int64)
    changed = np.flatnonzero((cells != fleet.cell).any(axis=0))
    if not changed.size:
        return
    fleet.cell[:, changed] = cells[:, changed]
    limits = fleet.record["speed_limit"]
    for row, (kx, ky, kz) in zip(changed.tolist(), cells[:, changed].T.tolist(), strict=True):
        surface = road_map.surface_of_cell((kx, ky, kz))
        fleet.on_ground[row] = surface is not None
        if surface is not None:
            fleet.ground[:, row] = (surface.x, surface.y, surface.z, surface.rise_x, surface.rise_y)
            limits[row] = surface.limit_kmh


def settle(state: Floats, fleet: Fleet, dt_s: float) -> NDArray[np.intp]:
    """Height, pitch, roll and upward speed of every vehicle; off every road a vehicle keeps its height.

    Args:
        state: ``Bodies.state`` of the fleet's vehicles, ``[15, vehicle]``.
        fleet: Ground planes and flags.
        dt_s: Step in seconds.

    Returns:
        Rows of the vehicles whose fall ended.
    """
    ground, z = fleet.ground, state[Z]
    floor = ground[GZ] + ground[RISE_X] * (state[X] - ground[GX]) + ground[RISE_Y] * (state[Y] - ground[GY])
    above = z - floor
    held = fleet.simulated & fleet.gravity & fleet.on_ground & (above > -DEEPEST_M)
    stands = held & (above <= np.where(fleet.grounded, _CATCH_M, 0.0))
    falls = held & ~stands
    rise = ground[RISE_X] * state[VX] + ground[RISE_Y] * state[VY]
    fall_speed = np.where(falls, state[VZ] - GRAVITY * dt_s, 0.0)
    dropped = z + fall_speed * dt_s
    lands = falls & (dropped <= floor)
    stands |= lands
    floats = ~(fleet.simulated & fleet.gravity)
    drift = np.where(floats, state[VZ], 0.0)
    state[Z] = np.where(stands, floor, np.where(falls, dropped, z + drift * dt_s))
    state[VZ] = np.where(stands, rise, np.where(falls, fall_speed, drift))
    yaw = np.radians(state[YAW])
    tilt = np.degrees(np.arctan(ground[RISE_X] * np.cos(yaw) + ground[RISE_Y] * np.sin(yaw)))
    state[PITCH] = np.where(stands, tilt, state[PITCH])
    state[ROLL] = np.where(fleet.simulated, 0.0, state[ROLL])
    fleet.grounded[:] = stands
    return np.flatnonzero(lands)
