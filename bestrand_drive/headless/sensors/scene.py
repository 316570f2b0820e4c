"""The solid things of one frame as arrays: oriented boxes of vehicles, walkers and props, and the ground."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.actor import Actor, Kind
from bestrand_drive.headless.sensors.pose import Array, rotation_matrix
from bestrand_drive.headless.sensors.world_view import SensedWorld
from bestrand_drive.headless.world.attachments import rotation_matrices
from bestrand_drive.headless.world.bodies import ATTITUDE, PLACE, Bodies

_SOLID = frozenset({Kind.VEHICLE, Kind.WALKER, Kind.PROP})


@dataclass(frozen=True)
class SceneBoxes:
    """Oriented boxes.

    Attributes:
        ids: [n] actor ids.
        tags: [n] semantic tags.
        dynamic: [n] whether it can move by itself.
        centres: [n, 3] metres, world.
        axes: [n, 3, 3] matrices from the box's frame to the world's.
        halves: [n, 3] half sizes, metres.
        radii: [n] half diagonals, metres.
    """

    ids: NDArray[np.int64]
    tags: NDArray[np.int64]
    dynamic: NDArray[np.bool_]
    centres: Array
    axes: Array
    halves: Array
    radii: Array

    def subset(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> SceneBoxes:
        """Only the chosen boxes (mask or indices), in order."""
        return SceneBoxes(
            self.ids[chosen],
            self.tags[chosen],
            self.dynamic[chosen],
            self.centres[chosen],
            self.axes[chosen],
            self.halves[chosen],
            self.radii[chosen],
        )


@dataclass(frozen=True)
class Ground:
    """A plane: what lies under a sensor, tilted as the vehicle that carries it.

    Attributes:
        point: [3] metres, world.
        normal: [3] unit vector, world, upwards.
    """

    point: Array
    normal: Array


class Scenery:
    """Where the scene of each frame comes from: the world's table of bodies, and which of its rows are solid."""

    def __init__(self, world: SensedWorld) -> None:
        self._world = world
        self._bodies: Bodies | None = None
        self._version = -1
        self._slots: NDArray[np.intp] = np.zeros(0, dtype=np.intp)
        self._tags: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._dynamic: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)

    def scene(self) -> Scene:
        """The scene of the frame that the world shows now; cheap, for nothing is computed before it is asked for."""
        return Scene(self._world, self)

    def boxes(self) -> SceneBoxes:
        """Every solid actor, now."""
        bodies = self._world.bodies
        if bodies is not self._bodies or bodies.version != self._version:
            self._notice(bodies)
        box = bodies.box[:, self._slots].T
        axes = rotation_matrices(bodies.state[ATTITUDE, self._slots])
        return SceneBoxes(
            ids=bodies.ids[self._slots],
            tags=self._tags,
            dynamic=self._dynamic,
            centres=bodies.state[PLACE, self._slots].T + np.einsum("nij,nj->ni", axes, box[:, 3:]),
            axes=axes,
            halves=box[:, :3],
            radii=np.linalg.norm(box[:, :3], axis=1),
        )

    def _notice(self, bodies: Bodies) -> None:
        """Find the rows of solid actors again, because some came or went."""
        solid = [actor for actor in self._world.actors.values() if actor.kind in _SOLID]
        self._slots = bodies.slots_of([actor.id for actor in solid])
        self._tags = np.array([actor.semantic_tag for actor in solid], dtype=np.int64)
        self._dynamic = np.array([actor.kind is not Kind.PROP for actor in solid], dtype=np.bool_)
        self._bodies, self._version = bodies, bodies.version


class Scene:
    """The world at one frame; the boxes are made when first asked for."""

    def __init__(self, world: SensedWorld, scenery: Scenery) -> None:
        self._world = world
        self._scenery = scenery

    @cached_property
    def boxes(self) -> SceneBoxes:
        """Every solid actor."""
        return self._scenery.boxes()

    def near(self, point: Array, reach_m: float) -> SceneBoxes:
        """The boxes that reach within ``reach_m`` of a point."""
        boxes = self.boxes
        distances: Array = np.linalg.norm(boxes.centres - point, axis=1)
        return boxes.subset(distances - boxes.radii < reach_m)

    def ground(self, point: Array, parent: Actor | None) -> Ground | None:
        """The ground around a point, or none where the map has no ground there.

        Only the height below the point is asked of the map; the slope is the parent's, because a query for every ray
        would cost a thousand times more.
        """
        height = self._world.ground_height(float(point[0]), float(point[1]), float(point[2]))
        if height is None:
            if parent is None:
                return None
            height = parent.transform.location[2]
        normal = np.array([0.0, 0.0, 1.0])
        if parent is not None and parent.kind is Kind.VEHICLE:
            normal = rotation_matrix(parent.transform.rotation)[:, 2]
        return Ground(np.array([point[0], point[1], height]), normal)
