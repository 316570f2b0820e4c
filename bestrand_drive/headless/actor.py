"""One actor of the world, as the protocol and the sensors see it.

Units and axes are CARLA's: metres, seconds, degrees; x forward, y right, z up; yaw clockwise seen from above.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Transform:
    """Place and attitude.

    Attributes:
        location: x, y, z in metres.
        rotation: pitch, yaw, roll in degrees.
    """

    location: Vector = (0.0, 0.0, 0.0)
    rotation: Vector = (0.0, 0.0, 0.0)


class Kind(Enum):
    """What an actor is, which decides how it moves and what a snapshot says about it."""

    VEHICLE = "vehicle"
    WALKER = "walker"
    TRAFFIC_LIGHT = "traffic_light"
    SIGN = "sign"
    PROP = "prop"
    SENSOR = "sensor"
    CONTROLLER = "controller"
    SPECTATOR = "spectator"
    OTHER = "other"


@dataclass
class Actor:
    """One actor.

    Attributes:
        id: Never reused within a server's life.
        kind: What it is.
        type_id: Blueprint name, such as ``vehicle.tesla.model3``.
        blueprint_uid: Number of the blueprint in the catalogue.
        attributes: Attribute id -> (type code: 0 bool, 1 int, 2 float, 3 string, 4 colour; value as text).
        transform: In the world.
        velocity: m/s in the world.
        angular_velocity: deg/s about x, y, z.
        acceleration: m/s^2 in the world.
        extent: Half sizes of the bounding box in metres (a light's or sign's: of its trigger volume).
        box_centre: Centre of the bounding box in the actor's frame, metres.
        semantic_tag: CARLA's semantic class.
        parent: Id of the actor it is attached to; 0 for none.
        attachment: Place relative to the parent.
        stream_id: Stream of a sensor; 0 for none.
    """

    id: int
    kind: Kind
    type_id: str
    blueprint_uid: int
    attributes: dict[str, tuple[int, str]]
    transform: Transform
    velocity: Vector
    angular_velocity: Vector
    acceleration: Vector
    extent: Vector
    box_centre: Vector
    semantic_tag: int
    parent: int
    attachment: Transform | None
    stream_id: int
