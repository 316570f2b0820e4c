"""Rays against oriented boxes: the slab test, on few pairs of ray and box.

A spinning lidar's rays form a grid of channels (elevations) and steps (azimuths). Each box covers a window of that
grid; only the rays inside are tested.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.sensors.pose import Array
from bestrand_drive.headless.sensors.scene import Ground, SceneBoxes

_CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
_TURN = 2.0 * np.pi
_SLACK_RAD = 1e-6  # rays that graze a window's edge are tested rather than lost to rounding


@dataclass(frozen=True)
class RayGrid:
    """Rays of one measurement, in the sensor's frame.

    Attributes:
        elevations: [channels] radians, upwards.
        azimuths: [steps] radians, clockwise seen from above, any turn.
        alive: [channels, steps] rays that are cast at all.
    """

    elevations: Array
    azimuths: Array
    alive: NDArray[np.bool_]

    def directions(self) -> Array:
        """Unit vectors [channels, steps, 3] in the sensor's frame."""
        flat = np.cos(self.elevations)[:, None]
        rays = np.empty((len(self.elevations), len(self.azimuths), 3))
        rays[..., 0] = flat * np.cos(self.azimuths)
        rays[..., 1] = flat * np.sin(self.azimuths)
        rays[..., 2] = np.sin(self.elevations)[:, None]
        return rays


@dataclass(frozen=True)
class Hits:
    """Nearest hit of each ray.

    Attributes:
        distances: [rays] metres; infinite where nothing is hit.
        owners: [rays] index of the box, -1 for the ground (or nothing).
        cosines: [rays] of the angle of incidence, 0 where nothing is hit.
    """

    distances: Array
    owners: NDArray[np.int64]
    cosines: Array


def cast(grid: RayGrid, rays: Array, origin: Array, axes: Array, boxes: SceneBoxes, ground: Ground | None) -> Hits:
    """Nearest hits of all rays of a grid.

    A box that holds the sensor is transparent: a sensor inside its own vehicle sees the world.

    Args:
        grid: The rays; those not alive hit nothing.
        rays: [channels, steps, 3] the grid's directions in the sensor's frame.
        origin: [3] the sensor, metres, world.
        axes: [3, 3] from the sensor's frame to the world's.
        boxes: What can be hit.
        ground: What lies under, or none.

    Returns:
        Hits in the order channel by channel, step by step.
    """
    directions = rays.reshape(-1, 3)
    hits = _cast_ground(directions, grid.alive.reshape(-1), origin, axes, ground)
    ray, box = _candidates(grid, origin, axes, boxes)
    if ray.size:
        _cast_boxes(hits, directions, ray, box, origin, axes, boxes)
    return hits


def _cast_ground(rays: Array, alive: NDArray[np.bool_], origin: Array, axes: Array, ground: Ground | None) -> Hits:
    """Hits of the plane alone: distance = n.(point - origin) / n.ray."""
    distances = np.full(len(rays), np.inf)
    cosines = np.zeros(len(rays))
    if ground is not None:
        height = float(ground.normal @ (origin - ground.point))
        slopes: Array = -(rays @ (axes.T @ ground.normal))
        seen = alive & (slopes > 1e-9)
        if height > 0.0:
            distances[seen] = height / slopes[seen]
            cosines[seen] = slopes[seen]
    return Hits(distances, np.full(len(rays), -1, dtype=np.int64), cosines)


def _candidates(
    grid: RayGrid, origin: Array, axes: Array, boxes: SceneBoxes
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of ray and box that may meet: indices [pairs] of rays and of boxes."""
    if not len(boxes.ids):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    azimuth, width, low, high = _windows(origin, axes, boxes)
    turned = np.abs((grid.azimuths - azimuth[:, None] + np.pi) % _TURN - np.pi)
    box, step = np.nonzero(turned <= width[:, None])
    rows = (grid.elevations >= low[:, None]) & (grid.elevations <= high[:, None])
    pair, channel = np.divmod(np.flatnonzero(rows[box] & grid.alive[:, step].T), len(grid.elevations))
    return channel * len(grid.azimuths) + step[pair], box[pair]


def _windows(origin: Array, axes: Array, boxes: SceneBoxes) -> tuple[Array, Array, Array, Array]:
    """The window of each box in the sensor's frame: azimuth of its middle, half width, lowest and highest elevation.

    Azimuths are exact, elevations a bound from outside. A box above, below or around the sensor gets every ray.
    """
    corners = boxes.centres[:, None] + np.einsum("nij,kj->nki", boxes.axes * boxes.halves[:, None], _CORNERS) - origin
    corners = corners @ axes
    middle = corners.mean(axis=1)
    flat = np.hypot(corners[..., 0], corners[..., 1])
    spread = np.hypot(corners[..., 0] - middle[:, None, 0], corners[..., 1] - middle[:, None, 1]).max(axis=1)
    nearest = np.hypot(middle[:, 0], middle[:, 1]) - spread
    farthest = flat.max(axis=1)
    azimuth = np.arctan2(middle[:, 1], middle[:, 0])
    bearing = np.arctan2(corners[..., 1], corners[..., 0]) - azimuth[:, None]
    bearing = (bearing + np.pi) % _TURN - np.pi
    around = nearest <= 0.0
    width = np.where(around, np.pi, np.abs(bearing).max(axis=1))
    bottom, top = corners[..., 2].min(axis=1), corners[..., 2].max(axis=1)
    low = np.arctan2(bottom, np.where(bottom < 0.0, nearest, farthest))
    high = np.arctan2(top, np.where(top > 0.0, nearest, farthest))
    low, high = np.where(around, -np.pi, low), np.where(around, np.pi, high)
    return azimuth, width + _SLACK_RAD, low - _SLACK_RAD, high + _SLACK_RAD


def _cast_boxes(
    hits: Hits,
    rays: Array,
    ray: NDArray[np.int64],
    box: NDArray[np.int64],
    origin: Array,
    axes: Array,
    boxes: SceneBoxes,
) -> None:
    """Let nearer boxes replace what ``hits`` holds; arguments as in ``cast``, ``ray`` and ``box`` [pairs]."""
    turn = boxes.axes.transpose(0, 2, 1) @ axes
    start = np.einsum("nji,nj->ni", boxes.axes, origin - boxes.centres)
    local = np.einsum("pij,pj->pi", turn[box], rays[ray])
    enter, leave, planes = slabs(start[box], local, boxes.halves[box])
    met = (enter <= leave) & (enter >= 0.0) & (enter < hits.distances[ray])
    ray, box, enter = ray[met], box[met], enter[met]
    np.minimum.at(hits.distances, ray, enter)
    first = hits.distances[ray] == enter
    hits.owners[ray[first]] = box[first]
    side = planes[met][first].argmax(axis=1)
    hits.cosines[ray[first]] = np.abs(local[met][first, side])


def slabs(start: Array, direction: Array, halves: Array) -> tuple[Array, Array, Array]:
    """Where lines enter and leave axis-aligned boxes centred at zero (Kay and Kajiya 1986).

    Args:
        start: [n, 3] origin in the box's frame, metres.
        direction: [n, 3] unit vectors in the box's frame.
        halves: [n, 3] half sizes, metres.

    Returns:
        Distances [n] of entry and exit (entry > exit: no hit; negative: behind), and the distances [n, 3] at which each
        pair of planes is entered, the largest of which is the entry.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = 1.0 / direction
        one = (-halves - start) * inverse
        two = (halves - start) * inverse
    near, far = np.minimum(one, two), np.maximum(one, two)
    # column by column: a reduction over an axis of three is several times slower
    enter: Array = np.maximum(np.maximum(near[:, 0], near[:, 1]), near[:, 2])
    leave: Array = np.minimum(np.minimum(far[:, 0], far[:, 1]), far[:, 2])
    return enter, leave, near
