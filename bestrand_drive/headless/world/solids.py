"""The actors that can collide: one table that follows each as it comes, goes and changes."""

from __future__ import annotations

import math
from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.actor import Actor, Kind, Vector

_ARRAYS = ("slots", "inverse_mass", "vehicle", "walker", "prop", "yields", "reach")


class Solids:
    """The table, by ascending id; every array is ``[solid]``.

    Attributes:
        actors: The actors.
        slots: Their slots.
        inverse_mass: 1/kg; 0 for what nothing moves.
        vehicle: It is a vehicle.
        walker: It is a walker.
        prop: It is a prop.
        yields: It may be pushed out of the way (physics is on).
        reach: See ``reach``.
    """

    def __init__(self) -> None:
        self.actors: list[Actor] = []
        self._ids: list[int] = []
        self.slots: NDArray[np.intp] = np.zeros(0, dtype=np.intp)
        self.inverse_mass: NDArray[np.float64] = np.zeros(0)
        self.reach: NDArray[np.float64] = np.zeros(0)
        self.vehicle, self.walker, self.prop, self.yields = (np.zeros(0, dtype=np.bool_) for _ in range(4))

    def put(self, actor: Actor, slot: int, inverse_mass: float, yields: bool) -> None:
        """Take an actor in, or what has changed about it.

        Args:
            actor: The actor, of a kind that collides.
            slot: Its slot.
            inverse_mass: 1/kg.
            yields: It may be pushed out of the way.
        """
        row = bisect_left(self._ids, actor.id)
        if not self._holds(actor.id, row):
            self._ids.insert(row, actor.id)
            self.actors.insert(row, actor)
            self._insert(row)
        kind = actor.kind
        self.slots[row], self.inverse_mass[row], self.yields[row] = slot, inverse_mass, yields
        self.vehicle[row], self.walker[row] = kind is Kind.VEHICLE, kind is Kind.WALKER
        self.prop[row], self.reach[row] = kind is Kind.PROP, reach(actor.extent, actor.box_centre)

    def drop(self, actor_id: int) -> None:
        """Leave an actor out, if it is there."""
        row = bisect_left(self._ids, actor_id)
        if self._holds(actor_id, row):
            del self._ids[row], self.actors[row]
            for name in _ARRAYS:
                table = getattr(self, name)
                setattr(self, name, np.concatenate([table[:row], table[row + 1 :]]))

    def _holds(self, actor_id: int, row: int) -> bool:
        return row < len(self._ids) and self._ids[row] == actor_id

    def _insert(self, row: int) -> None:
        """An empty row in every array."""
        for name in _ARRAYS:
            table = getattr(self, name)
            setattr(self, name, np.concatenate([table[:row], np.zeros(1, dtype=table.dtype), table[row:]]))


def reach(extent: Vector, centre: Vector) -> float:
    """How far from an actor's place the circle around its box may extend, however it is turned or tilted, metres.

    No half side of the rectangle that a tilted box becomes is longer than the box's half diagonal.

    Args:
        extent: Half sizes.
        centre: Of the box, in the actor's frame.
    """
    return 1.5 * math.hypot(*extent) + math.hypot(*centre)
