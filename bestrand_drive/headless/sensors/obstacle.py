"""Obstacle sensor: a sphere swept forward (``ObstacleDetectionSensor.cpp``). Body: msgpack [actor, other, distance]."""

from __future__ import annotations

import numpy as np

from bestrand_drive.headless.actor import Actor
from bestrand_drive.headless.sensors.limits import number, switched_on
from bestrand_drive.headless.sensors.pose import Array, place
from bestrand_drive.headless.sensors.raycast import slabs
from bestrand_drive.headless.sensors.reading import Body, Moment
from bestrand_drive.headless.sensors.scene import SceneBoxes
from bestrand_drive.headless.versions import ProtocolVersion
from bestrand_drive.headless.wire.descriptions import actor_value, pack


class Obstacle:
    """``sensor.other.obstacle``: the nearest actor ahead, if any; the parent itself is ignored.

    The sphere against a box is a ray against the box grown by the radius: exact on its sides, up to
    (sqrt(3) - 1) x radius too early at its edges and corners.
    """

    def __init__(self, sensor: Actor, version: ProtocolVersion) -> None:
        self._version = version
        self._reach_m = number(sensor.attributes, "distance")
        self._radius_m = number(sensor.attributes, "hit_radius")
        self._only_dynamics = switched_on(sensor.attributes, "only_dynamics")

    def measure(self, moment: Moment) -> list[Body]:
        """A frame if something is ahead."""
        start, axes = place(moment.sensor.transform)
        found = self._nearest(moment, start, axes[:, 0])
        if found is None:
            return []
        other, distance = found
        itself = actor_value(moment.parent or moment.sensor, self._version)
        return [(pack([itself, actor_value(moment.world.actors[other], self._version), distance]),)]

    def _nearest(self, moment: Moment, start: Array, forward: Array) -> tuple[int, float] | None:
        """Id and distance (metres of the sphere's way) of the first actor on the way."""
        boxes = self._relevant(moment, start)
        if not len(boxes.ids):
            return None
        back = boxes.axes.transpose(0, 2, 1)
        enter, leave, _ = slabs(_local(back, start, boxes), back @ forward, boxes.halves + self._radius_m)
        distances = np.where((enter <= leave) & (leave >= 0.0), np.maximum(enter, 0.0), np.inf)
        first = int(distances.argmin())
        return (int(boxes.ids[first]), float(distances[first])) if distances[first] <= self._reach_m else None

    def _relevant(self, moment: Moment, start: Array) -> SceneBoxes:
        """The boxes that the sphere may meet."""
        boxes = moment.scene.near(start, self._reach_m + self._radius_m)
        wanted = boxes.ids != (moment.parent.id if moment.parent else 0)
        return boxes.subset(wanted & boxes.dynamic if self._only_dynamics else wanted)


def _local(back: Array, start: Array, boxes: SceneBoxes) -> Array:
    """The start [n, 3] in each box's frame."""
    local: Array = np.einsum("nij,nj->ni", back, start - boxes.centres)
    return local
