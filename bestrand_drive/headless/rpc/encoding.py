"""The world's types into wire values: arrays of fields in CARLA's order."""

from __future__ import annotations

from typing import Any

from bestrand_drive.headless.actor import Actor, Transform
from bestrand_drive.headless.blueprints.blueprint import AttributeSpec, Blueprint
from bestrand_drive.headless.rpc.context import Context
from bestrand_drive.headless.version_table import WEATHER_FIELDS
from bestrand_drive.headless.versions import ProtocolVersion
from bestrand_drive.headless.wire import descriptions
from bestrand_drive.headless.world.controls import AckermannSettings, PhysicsControl
from bestrand_drive.headless.world.settings import EpisodeSettings


def optional(value: Any) -> list[Any]:  # noqa: ANN401  anything MessagePack can hold
    """``boost::optional``."""
    return [False] if value is None else [True, value]


def transform(value: Transform) -> list[Any]:
    """Transform."""
    return [value.location, value.rotation]


def actor_box(context: Context, actor: Actor) -> list[Any]:
    """Bounding box of an actor."""
    return descriptions.actor_box(actor, context.version)


def actor(context: Context, value: Actor) -> list[Any]:
    """Actor, with the token of its stream."""
    return descriptions.actor_value(value, context.version, context.token(value.stream_id))


def definition(blueprint: Blueprint, type_base: int) -> list[Any]:
    """ActorDefinition: uid, id, tags joined by commas, attributes."""
    described = [_attribute(spec, type_base) for spec in blueprint.attributes]
    return [blueprint.uid, blueprint.id, ",".join(blueprint.tags), described]


def _attribute(spec: AttributeSpec, type_base: int) -> list[Any]:
    """ActorAttribute."""
    return [spec.id, spec.type + type_base, spec.default, list(spec.recommended), spec.modifiable, spec.restrict]


def episode_settings(version: ProtocolVersion, value: EpisodeSettings) -> list[Any]:
    """EpisodeSettings."""
    return version.pack("EpisodeSettings", vars(value) | {"fixed_delta_seconds": optional(value.fixed_delta_seconds)})


def ackermann_settings(version: ProtocolVersion, value: AckermannSettings) -> list[Any]:
    """AckermannControllerSettings: six gains."""
    return version.pack("AckermannControllerSettings", vars(value))


def weather(version: ProtocolVersion, value: list[float]) -> list[Any]:
    """WeatherParameters, from numbers in the order of ``WEATHER_FIELDS``."""
    return version.pack("WeatherParameters", dict(zip(WEATHER_FIELDS, value, strict=True)))


def physics_control(version: ProtocolVersion, value: PhysicsControl) -> list[Any]:
    """VehiclePhysicsControl with its gears and wheels."""
    gears = [version.pack("GearPhysicsControl", vars(gear)) for gear in value.forward_gears]
    wheels = [version.pack("WheelPhysicsControl", vars(wheel)) for wheel in value.wheels]
    return version.pack("VehiclePhysicsControl", vars(value) | {"forward_gears": gears, "wheels": wheels})
