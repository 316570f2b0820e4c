"""Lidars: a spinning grid of rays against boxes and ground (``RayCastLidar.cpp``, ``RayCastSemanticLidar.cpp``).

Body: horizontal angle (f32, radians), channels (u32), points of each channel (u32), then the points channel by channel
in the sensor's frame: x y z intensity (4 x f32), or x y z cosine (4 x f32) actor id, semantic tag (2 x u32).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.actor import Actor
from bestrand_drive.headless.sensors.limits import number, whole
from bestrand_drive.headless.sensors.noise import generator
from bestrand_drive.headless.sensors.pose import Array, place
from bestrand_drive.headless.sensors.raycast import Hits, RayGrid, cast
from bestrand_drive.headless.sensors.reading import Body, Moment
from bestrand_drive.headless.sensors.scene import SceneBoxes
from bestrand_drive.headless.sensors.schedule import Span
from bestrand_drive.headless.world.actor_calls import ROADS_LABEL

_HEAD = Struct("<fI")
_SEMANTIC = np.dtype([("point", "<f4", 3), ("cosine", "<f4"), ("id", "<u4"), ("tag", "<u4")])
_MAX_RAYS = 1_000_000


@dataclass(frozen=True)
class Spin:
    """What the attributes say of the rays: angles in degrees, metres, hertz."""

    elevations: Array
    reach_m: float
    points_per_second: float
    rotation_hz: float
    horizontal_fov: float

    @classmethod
    def of(cls, sensor: Actor) -> Spin:
        """Read a lidar's attributes."""
        values = sensor.attributes
        channels = whole(values, "channels")
        upper, lower = number(values, "upper_fov"), number(values, "lower_fov")
        step = (upper - lower) / (channels - 1) if channels > 1 else 0.0
        return cls(
            elevations=np.radians(upper - step * np.arange(channels)),
            reach_m=number(values, "range"),
            points_per_second=number(values, "points_per_second"),
            rotation_hz=number(values, "rotation_frequency"),
            horizontal_fov=max(number(values, "horizontal_fov"), 1e-3),
        )


@dataclass(frozen=True)
class Sweep:
    """One measurement: hits of the rays, and what they hit.

    Attributes:
        rays: [n, 3] directions in the sensor's frame.
        hits: [n] of them.
        found: [n] rays that hit something in reach.
        boxes: What ``hits.owners`` counts.
    """

    rays: Array
    hits: Hits
    found: NDArray[np.bool_]
    boxes: SceneBoxes


class Spinner:
    """Casts the rays of a moment. It turns from its spawn on, so that its angle follows from the time."""

    def __init__(self, sensor: Actor) -> None:
        self.spin = Spin.of(sensor)

    def shape(self, span: Span) -> tuple[int, int]:
        """Channels, and rays of each in a span, half away from zero; never more in all than the memory can bear."""
        channels = len(self.spin.elevations)
        return channels, min(int(self.spin.points_per_second * span.length_s / channels + 0.5), _MAX_RAYS // channels)

    def sweep(self, moment: Moment, alive: NDArray[np.bool_]) -> Sweep:
        """Cast the rays that are alive [channels, steps]."""
        grid = RayGrid(self.spin.elevations, self._azimuths(moment.span, alive.shape[1]), alive)
        origin, axes = place(moment.sensor.transform)
        boxes = moment.scene.near(origin, self.spin.reach_m)
        rays = grid.directions()
        hits = cast(grid, rays, origin, axes, boxes, moment.scene.ground(origin, moment.parent))
        return Sweep(rays.reshape(-1, 3), hits, hits.distances <= self.spin.reach_m, boxes)

    def _azimuths(self, span: Span, steps: int) -> Array:
        """Radians [steps] of a span's rays; the field of view is centred on the sensor's forward axis."""
        fov = self.spin.horizontal_fov
        turned = self.spin.rotation_hz * fov * span.length_s
        angles = self._angle_deg(span.start_s) + turned / max(steps, 1) * np.arange(steps)
        azimuths: Array = np.radians(angles % fov - fov / 2.0)
        return azimuths

    def _angle_deg(self, time_s: float) -> float:
        """Turned so far at a time of its life, within the field of view."""
        return math.fmod(self.spin.rotation_hz * time_s, 1.0) * self.spin.horizontal_fov

    def head(self, span: Span, kept: NDArray[np.bool_]) -> bytes:
        """The body's start: angle after the span and the points [channels, steps] that are kept of each channel."""
        counts = kept.reshape(len(self.spin.elevations), -1).sum(axis=1)
        angle = math.radians(self._angle_deg(span.start_s + span.length_s))
        return _HEAD.pack(angle, len(counts)) + bytes(counts.astype("<u4").tobytes())


class Lidar:
    """``sensor.lidar.ray_cast``: intensity falls with distance, points drop out at random.

    Intensity: exp(-attenuation x distance). A ray is not cast with probability ``dropoff_general_rate``; a point whose
    intensity is at most ``dropoff_intensity_limit`` is kept with probability 1 - zero + zero x intensity / limit.
    """

    def __init__(self, sensor: Actor) -> None:
        self._spinner = Spinner(sensor)
        self._sensor = sensor
        self._attenuation = number(sensor.attributes, "atmosphere_attenuation_rate")
        self._general = number(sensor.attributes, "dropoff_general_rate")
        self._limit = number(sensor.attributes, "dropoff_intensity_limit")
        self._zero = number(sensor.attributes, "dropoff_zero_intensity")
        self._noise_m = number(sensor.attributes, "noise_stddev")

    def measure(self, moment: Moment) -> list[Body]:
        """One frame."""
        random = generator(self._sensor, moment.age)
        shape = self._spinner.shape(moment.span)
        alive = random.random(shape) >= self._general if self._general > 0.0 else np.ones(shape, dtype=np.bool_)
        sweep = self._spinner.sweep(moment, alive)
        distances = sweep.hits.distances[sweep.found]
        intensities: Array = np.exp(-self._attenuation * distances)
        bright = self._bright(intensities, random)
        kept = sweep.found.copy()
        kept[sweep.found] = bright
        lengths = distances[bright]
        if self._noise_m > 0.0:
            lengths = lengths + random.normal(0.0, self._noise_m, lengths.shape)
        points = np.empty((len(lengths), 4), dtype="<f4")
        points[:, :3] = sweep.rays[kept] * lengths[:, None]
        points[:, 3] = intensities[bright]
        return [(self._spinner.head(moment.span, kept), points.tobytes())]

    def _bright(self, intensities: Array, random: np.random.Generator) -> NDArray[np.bool_]:
        """The points [n] that come back bright enough, by chance where they are dim."""
        if self._limit <= 0.0:
            return np.ones(len(intensities), dtype=np.bool_)
        chance = self._zero / self._limit * intensities + 1.0 - self._zero
        return (intensities > self._limit) | (random.random(len(intensities)) < chance)


class SemanticLidar:
    """``sensor.lidar.ray_cast_semantic``: every hit, with what was hit."""

    def __init__(self, sensor: Actor) -> None:
        self._spinner = Spinner(sensor)

    def measure(self, moment: Moment) -> list[Body]:
        """One frame."""
        sweep = self._spinner.sweep(moment, np.ones(self._spinner.shape(moment.span), dtype=np.bool_))
        found, owners = sweep.found, sweep.hits.owners[sweep.found]
        rows = np.empty(len(owners), dtype=_SEMANTIC)
        rows["point"] = sweep.rays[found] * sweep.hits.distances[found, None]
        rows["cosine"] = sweep.hits.cosines[found]
        # the last entry stands for the ground: owner -1
        rows["id"] = np.append(sweep.boxes.ids, 0)[owners]
        rows["tag"] = np.append(sweep.boxes.tags, ROADS_LABEL)[owners]
        return [(self._spinner.head(moment.span, found), rows.tobytes())]
