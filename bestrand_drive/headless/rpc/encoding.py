"""The world's types into wire values: arrays of fields in CARLA's order."""

from __future__ import annotations

from typing import Any

from bestrand_drive.headless.blueprints.blueprint import AttributeSpec, Blueprint
from bestrand_drive.headless.rpc.context import Context
from bestrand_drive.headless.sensors.parties import actor_value, box_value
from bestrand_drive.headless.world.actor import Actor, Transform
from bestrand_drive.headless.world.controls import PhysicsControl, Wheel
from bestrand_drive.headless.world.settings import EpisodeSettings


def optional(value: Any) -> list[Any]:  # noqa: ANN401  anything MessagePack can hold
    """``boost::optional``."""
    return [False] if value is None else [True, value]


def transform(value: Transform) -> list[Any]:
    """Transform."""
    return [value.location, value.rotation]


def actor_box(context: Context, actor: Actor) -> list[Any]:
    """Bounding box of an actor."""
    return box_value(actor, context.version)


def actor(context: Context, value: Actor) -> list[Any]:
    """Actor, with the token of its stream."""
    return actor_value(value, context.version, context.token(value.stream_id))


def definition(blueprint: Blueprint, type_base: int) -> list[Any]:
    """ActorDefinition: uid, id, tags joined by commas, attributes."""
    described = [_attribute(spec, type_base) for spec in blueprint.attributes]
    return [blueprint.uid, blueprint.id, ",".join(blueprint.tags), described]


def _attribute(spec: AttributeSpec, type_base: int) -> list[Any]:
    """ActorAttribute."""
    return [spec.id, spec.type + type_base, spec.default, list(spec.recommended), spec.modifiable, spec.restrict]


def episode_settings(value: EpisodeSettings) -> list[Any]:
    """EpisodeSettings, 11 fields."""
    return [
        value.synchronous_mode,
        value.no_rendering_mode,
        optional(value.fixed_delta_seconds),
        value.substepping,
        value.max_substep_delta_time,
        value.max_substeps,
        value.max_culling_distance,
        value.deterministic_ragdolls,
        value.tile_stream_distance,
        value.actor_active_distance,
        value.spectator_as_ego,
    ]


def physics_control(value: PhysicsControl) -> list[Any]:
    """VehiclePhysicsControl, 17 fields."""
    return [
        value.torque_curve,
        value.max_rpm,
        value.moi,
        value.damping_rate_full_throttle,
        value.damping_rate_zero_throttle_clutch_engaged,
        value.damping_rate_zero_throttle_clutch_disengaged,
        value.use_gear_autobox,
        value.gear_switch_time,
        value.clutch_strength,
        value.final_ratio,
        [[gear.ratio, gear.down_ratio, gear.up_ratio] for gear in value.forward_gears],
        value.mass,
        value.drag_coefficient,
        value.center_of_mass,
        value.steering_curve,
        [_wheel(wheel) for wheel in value.wheels],
        value.use_sweep_wheel_collision,
    ]


def _wheel(value: Wheel) -> list[Any]:
    """WheelPhysicsControl, 10 fields."""
    return [
        value.tire_friction,
        value.damping_rate,
        value.max_steer_angle,
        value.radius,
        value.max_brake_torque,
        value.max_handbrake_torque,
        value.lat_stiff_max_load,
        value.lat_stiff_value,
        value.long_stiff_value,
        value.position,
    ]
