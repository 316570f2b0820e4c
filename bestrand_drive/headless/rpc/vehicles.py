"""Vehicles and walkers: controls, physics, lights."""

from __future__ import annotations

from typing import Any

from bestrand_drive.headless.rpc import decoding, encoding
from bestrand_drive.headless.rpc.context import Context


def apply_control_to_vehicle(context: Context, actor_id: int, control: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Pedals and wheel."""
    context.world.apply_vehicle_control(actor_id, decoding.vehicle_control(context.version, control))


def apply_ackermann_control_to_vehicle(context: Context, actor_id: int, control: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Targets of the Ackermann controller."""
    context.world.apply_ackermann(actor_id, decoding.ackermann_control(context.version, control))


def get_ackermann_controller_settings(context: Context, actor_id: int) -> list[Any]:
    """AckermannControllerSettings: six gains."""
    return encoding.ackermann_settings(context.version, context.world.ackermann_settings(actor_id))


def apply_ackermann_controller_settings(context: Context, actor_id: int, settings: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Gains of the Ackermann controller."""
    context.world.apply_ackermann_settings(actor_id, decoding.ackermann_settings(context.version, settings))


def get_physics_control(context: Context, actor_id: int) -> list[Any]:
    """VehiclePhysicsControl."""
    return encoding.physics_control(context.version, context.world.physics_control(actor_id))


def apply_physics_control(context: Context, actor_id: int, control: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Change a vehicle's physics."""
    context.world.apply_physics_control(actor_id, decoding.physics_control(context.version, control))


def get_vehicle_light_state(context: Context, actor_id: int) -> list[int]:
    """VehicleLightState: flags."""
    return [context.world.light_state(actor_id)]


def set_vehicle_light_state(context: Context, actor_id: int, state: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Switch a vehicle's lamps: flags, bare in a batch or inside a struct."""
    context.world.set_light_state(actor_id, decoding.whole(state if isinstance(state, int) else state[0]))


def get_vehicle_light_states(context: Context) -> list[tuple[int, int]]:
    """Id and flags of every vehicle."""
    return context.world.light_states()


def get_wheel_steer_angle(context: Context, actor_id: int, wheel: int) -> float:
    """Angle of one wheel, degrees; only those in front turn."""
    return context.world.wheel_steer_angle(actor_id, int(wheel))


def apply_control_to_walker(context: Context, actor_id: int, control: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Direction, speed, jump."""
    found = decoding.walker_control(context.version, control)
    context.world.apply_walker_control(actor_id, found.direction, found.speed, found.jump)


def set_walker_state(context: Context, actor_id: int, transform: Any, speed: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Place a walker and give it a speed along its heading."""
    context.world.apply_walker_state(actor_id, decoding.transform(transform), decoding.number(speed))


HANDLERS = {
    handler.__name__: handler
    for handler in (
        apply_control_to_vehicle,
        apply_ackermann_control_to_vehicle,
        get_ackermann_controller_settings,
        apply_ackermann_controller_settings,
        get_physics_control,
        apply_physics_control,
        get_vehicle_light_state,
        set_vehicle_light_state,
        get_vehicle_light_states,
        get_wheel_steer_angle,
        apply_control_to_walker,
        set_walker_state,
    )
}
