"""Where every actor is and how it moves: one table for all of them.

An actor keeps its slot for life; ``order`` lists the slots by actor id. ``state[row, slot]`` holds, in the order of a
snapshot's record: x, y, z (m), pitch, yaw, roll (deg), velocity (m/s), angular velocity (deg/s), acceleration (m/s^2).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.actor import Actor, Transform, Vector

X, Y, Z, PITCH, YAW, ROLL, VX, VY, VZ, WX, WY, WZ, AX, AY, AZ = range(15)
STATE_ROWS = 15
PLACE, ATTITUDE, VELOCITY, SPIN, ACCELERATION = (slice(3 * k, 3 * k + 3) for k in range(5))
_FIRST_CAPACITY = 64


class Bodies:
    """The table.

    Attributes:
        state: See above.
        last: ``state`` as the last tick left it.
        box: Half sizes (rows 0 to 2) and centre in the actor's frame (3 to 5) of the bounding boxes, metres.
        ids: Actor id of every slot in use.
        version: Grows whenever an actor comes or goes.
    """

    def __init__(self) -> None:
        self.state: NDArray[np.float64] = np.zeros((STATE_ROWS, _FIRST_CAPACITY))
        self.last: NDArray[np.float64] = np.zeros((STATE_ROWS, _FIRST_CAPACITY))
        self.box: NDArray[np.float64] = np.zeros((6, _FIRST_CAPACITY))
        self.ids: NDArray[np.int64] = np.zeros(_FIRST_CAPACITY, dtype=np.int64)
        self.version = 0
        self._free = list(range(_FIRST_CAPACITY - 1, -1, -1))
        self._slots: dict[int, int] = {}
        self._order: NDArray[np.intp] | None = None
        self._placed: set[int] = set()

    def add(self, actor_id: int, transform: Transform, extent: Vector, box_centre: Vector) -> int:
        """Take a slot for an actor and return it."""
        if not self._free:
            self._grow()
        slot = self._free.pop()
        self.state[:, slot] = 0.0
        self.state[PLACE, slot] = transform.location
        self.state[ATTITUDE, slot] = transform.rotation
        self.last[:, slot] = self.state[:, slot]
        self.box[:, slot] = (*extent, *box_centre)
        self.ids[slot] = actor_id
        self._slots[actor_id] = slot
        self._placed.discard(slot)
        self._changed()
        return slot

    def remove(self, actor_id: int) -> None:
        """Give the slot of an actor back."""
        self._free.append(self._slots.pop(actor_id))
        self._changed()

    def place(self, slot: int, transform: Transform) -> None:
        """Put an actor somewhere; whatever that does to its velocity until the next tick's end is no acceleration."""
        self.state[PLACE, slot] = transform.location
        self.state[ATTITUDE, slot] = transform.rotation
        self._placed.add(slot)

    def was_placed(self, slot: int) -> bool:
        """Whether a client put the actor somewhere since the last tick."""
        return slot in self._placed

    def land(self, slots: int | NDArray[np.intp]) -> None:
        """The ground has taken a fall's speed, which is no acceleration of the motion."""
        self.last[VZ, slots] = self.state[VZ, slots]

    def slots_of(self, actor_ids: list[int]) -> NDArray[np.intp]:
        """Slots of actors, in the given order."""
        return np.array([self._slots[actor_id] for actor_id in actor_ids], dtype=np.intp)

    @property
    def order(self) -> NDArray[np.intp]:
        """Slots of all actors by ascending id."""
        if self._order is None:
            self._order = self.slots_of(sorted(self._slots))
        return self._order

    def accelerate(self, dt_s: float) -> None:
        """Write accelerations: the change of velocity since the last tick, velocities that clients set included."""
        if self._placed:
            placed = list(self._placed)
            self.last[VELOCITY, placed] = self.state[VELOCITY, placed]
            self._placed.clear()
        self.state[ACCELERATION] = (self.state[VELOCITY] - self.last[VELOCITY]) / dt_s

    def end_tick(self) -> None:
        """Remember this tick."""
        self.last[:] = self.state

    def _changed(self) -> None:
        self.version += 1
        self._order = None

    def _grow(self) -> None:
        """Double the capacity."""
        old = self.ids.size
        self.state = np.concatenate([self.state, np.zeros_like(self.state)], axis=1)
        self.last = np.concatenate([self.last, np.zeros_like(self.last)], axis=1)
        self.box = np.concatenate([self.box, np.zeros_like(self.box)], axis=1)
        self.ids = np.concatenate([self.ids, np.zeros_like(self.ids)])
        self._free = list(range(2 * old - 1, old - 1, -1))


class TableActor(Actor):
    """An actor whose place and motion live in the table: reading one is a look-up, a tick makes no objects."""

    def __init__(self, actor: Actor, bodies: Bodies) -> None:
        """Move ``actor`` into the table."""
        self._slot = bodies.add(actor.id, actor.transform, actor.extent, actor.box_centre)
        self._bodies = bodies
        for name, value in vars(actor).items():
            setattr(self, name, value)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return self.id

    def _read(self, rows: slice) -> Vector:
        x, y, z = self._bodies.state[rows, self._slot].tolist()
        return (x, y, z)

    def _write(self, rows: slice, value: Vector) -> None:
        self._bodies.state[rows, self._slot] = value

    @property
    def slot(self) -> int:
        """Column of the table."""
        return self._slot

    @property
    def transform(self) -> Transform:
        """Place and attitude in the world."""
        return Transform(self._read(PLACE), self._read(ATTITUDE))

    @transform.setter
    def transform(self, value: Transform) -> None:
        self._write(PLACE, value.location)
        self._write(ATTITUDE, value.rotation)

    @property
    def velocity(self) -> Vector:
        """m/s in the world."""
        return self._read(VELOCITY)

    @velocity.setter
    def velocity(self, value: Vector) -> None:
        self._write(VELOCITY, value)

    @property
    def angular_velocity(self) -> Vector:
        """deg/s."""
        return self._read(SPIN)

    @angular_velocity.setter
    def angular_velocity(self, value: Vector) -> None:
        self._write(SPIN, value)

    @property
    def acceleration(self) -> Vector:
        """m/s^2 in the world."""
        return self._read(ACCELERATION)

    @acceleration.setter
    def acceleration(self, value: Vector) -> None:
        self._write(ACCELERATION, value)

    def leave(self) -> None:
        """Keep the last values in a table of its own: the shared slot goes to another actor."""
        last = Actor(**{name: getattr(self, name) for name in Actor.__dataclass_fields__})
        bodies = Bodies()
        slot = bodies.add(last.id, last.transform, last.extent, last.box_centre)
        bodies.state[:, slot] = self._bodies.state[:, self._slot]
        self._bodies.remove(self.id)
        self._bodies, self._slot = bodies, slot
