"""What one blueprint says: identity, attributes, body and limits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from bestrand_drive.headless.actor import Kind, Vector


class AttributeType(IntEnum):
    """Version-independent type of an attribute; the wire adds the base of the CARLA version."""

    BOOL = 0
    INT = 1
    FLOAT = 2
    STRING = 3
    COLOUR = 4


@dataclass(frozen=True, slots=True)
class AttributeSpec:
    """One attribute of a blueprint.

    Attributes:
        id: Name such as ``image_size_x``.
        type: Version-independent type code.
        default: Value of an actor spawned without saying otherwise.
        recommended: Values that the client proposes; empty for a fixed attribute.
        modifiable: The client may set it before it spawns.
        restrict: Only recommended values are accepted.
    """

    id: str
    type: int
    default: str
    recommended: tuple[str, ...]
    modifiable: bool
    restrict: bool


@dataclass(frozen=True, slots=True)
class Limits:
    """What a body can do; estimates by class, for kinematic motion only.

    Attributes:
        wheelbase: Distance of the axles, metres.
        max_steer_deg: Angle of the bicycle model at full steering, degrees.
        wheel_steer_deg: Angle that the physics control of a wheel reports, degrees.
        max_accel: At full throttle from standstill, m/s^2.
        max_brake: At full brake, m/s^2.
        max_speed: m/s.
        mass: kg.
    """

    wheelbase: float = 0.0
    max_steer_deg: float = 0.0
    wheel_steer_deg: float = 0.0
    max_accel: float = 0.0
    max_brake: float = 0.0
    max_speed: float = 0.0
    mass: float = 0.0


@dataclass(frozen=True, slots=True)
class Blueprint:
    """One thing that can be spawned.

    Attributes:
        uid: Number in the catalogue, from 1, stable for one version of the data file.
        id: Such as ``vehicle.tesla.model3``.
        tags: The parts of the id.
        attributes: In the order in which the client lists them.
        extent: Half sizes of the box, metres.
        box_centre: Centre of the box in the actor's frame, metres.
        semantic_tag: CARLA's CityObjectLabel.
        kind: What an actor of it is.
        limits: What it can do.
        listed: The client's blueprint library shows it (traffic signs and the spectator are not spawned by clients).
    """

    uid: int
    id: str
    tags: tuple[str, ...]
    attributes: tuple[AttributeSpec, ...]
    extent: Vector
    box_centre: Vector
    semantic_tag: int
    kind: Kind
    limits: Limits
    listed: bool = True

    def defaults(self) -> dict[str, tuple[int, str]]:
        """The attributes of an actor spawned without saying otherwise: id -> (type code, value)."""
        return {spec.id: (spec.type, spec.default) for spec in self.attributes}
