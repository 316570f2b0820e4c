"""Actors that ride on others: sensors on vehicles above all.

Every attachment is rigid. CARLA's spring arms lag behind their parent and keep out of walls; here they do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.actor import Transform
from bestrand_drive.headless.world.bodies import ACCELERATION, ATTITUDE, PLACE, SPIN, VELOCITY

Floats = NDArray[np.float64]


def rotation_matrices(attitude: Floats) -> Floats:
    """Matrices that turn own-frame vectors into the world's, ``[actor, 3, 3]``.

    Unreal's convention: left-handed, nose up at positive pitch, right side down at positive roll.

    Args:
        attitude: Pitch, yaw, roll in degrees, ``[3, actor]``.
    """
    (cp, cy, cr), (sp, sy, sr) = np.cos(np.radians(attitude)), np.sin(np.radians(attitude))
    rows = [
        [cp * cy, cy * sp * sr - sy * cr, -cy * sp * cr - sy * sr],
        [cp * sy, sy * sp * sr + cy * cr, -sy * sp * cr + cy * sr],
        [sp, -cp * sr, cp * cr],
    ]
    matrices: Floats = np.moveaxis(np.array(rows), -1, 0)
    return matrices


def attitudes(matrices: Floats) -> Floats:
    """Pitch, yaw, roll in degrees, ``[3, actor]``, of rotation matrices ``[actor, 3, 3]``."""
    pitch = np.arcsin(np.clip(matrices[:, 2, 0], -1.0, 1.0))
    yaw = np.arctan2(matrices[:, 1, 0], matrices[:, 0, 0])
    roll = np.arctan2(-matrices[:, 2, 1], matrices[:, 2, 2])
    degrees: Floats = np.degrees(np.stack([pitch, yaw, roll]))
    return degrees


@dataclass(frozen=True)
class _Level:
    """Attachments whose parents are placed before them; indices are slots."""

    children: NDArray[np.intp]
    parents: NDArray[np.intp]
    offsets: Floats
    turns: Floats


class Attachments:
    """Places children relative to their parents, level by level so that chains work."""

    def __init__(self) -> None:
        self._entries: dict[int, tuple[int, int, int, Transform]] = {}
        self._children: dict[int, set[int]] = {}
        self._levels: list[_Level] | None = None

    def add(self, child_id: int, child_slot: int, parent_id: int, parent_slot: int, relative: Transform) -> None:
        """Attach a child."""
        self._entries[child_id] = (child_slot, parent_id, parent_slot, relative)
        self._children.setdefault(parent_id, set()).add(child_id)
        self._levels = None

    def remove(self, child_id: int) -> None:
        """Detach, if attached."""
        entry = self._entries.pop(child_id, None)
        if entry is None:
            return
        siblings = self._children[entry[1]]
        siblings.remove(child_id)
        if not siblings:
            del self._children[entry[1]]
        self._levels = None

    def below(self, actor_id: int) -> list[int]:
        """Everything that is attached to an actor, directly or by others, in no order."""
        found: list[int] = []
        waiting = [actor_id]
        while waiting:
            children = self._children.get(waiting.pop(), ())
            found += children
            waiting += children
        return found

    def move(self, child_id: int, relative: Transform) -> None:
        """Change the place relative to the parent."""
        child_slot, parent_id, parent_slot, _ = self._entries[child_id]
        self.add(child_id, child_slot, parent_id, parent_slot, relative)

    def place(self, state: Floats) -> None:
        """Put every child where its parent is; it moves as its parent does.

        Args:
            state: ``Bodies.state``.
        """
        if not self._entries:
            return
        if self._levels is None:
            self._levels = self._sorted()
        for level in self._levels:
            turn = rotation_matrices(state[ATTITUDE, level.parents])
            offset = np.einsum("aij,aj->ia", turn, level.offsets)
            state[PLACE, level.children] = state[PLACE, level.parents] + offset
            state[ATTITUDE, level.children] = attitudes(turn @ level.turns)
            for rows in (VELOCITY, SPIN, ACCELERATION):
                state[rows, level.children] = state[rows, level.parents]

    def _sorted(self) -> list[_Level]:
        """Group by depth; a parent's id is below its children's."""
        depth: dict[int, int] = {}
        levels: list[list[tuple[int, int, Transform]]] = []
        for child_id in sorted(self._entries):
            child_slot, parent_id, parent_slot, relative = self._entries[child_id]
            depth[child_id] = depth.get(parent_id, -1) + 1
            while len(levels) <= depth[child_id]:
                levels.append([])
            levels[depth[child_id]].append((child_slot, parent_slot, relative))
        return [_as_level(entries) for entries in levels]


def _as_level(entries: list[tuple[int, int, Transform]]) -> _Level:
    children, parents, relatives = zip(*entries, strict=True)
    attitude = np.array([relative.rotation for relative in relatives]).T
    return _Level(
        np.array(children, dtype=np.intp),
        np.array(parents, dtype=np.intp),
        np.array([relative.location for relative in relatives]),
        rotation_matrices(attitude),
    )
