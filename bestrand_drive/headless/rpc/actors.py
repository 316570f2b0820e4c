"""Actors of every kind: listing, spawning, destroying, placing, pushing."""

from __future__ import annotations

from typing import Any

from bestrand_drive.headless.actor import Transform
from bestrand_drive.headless.rpc import decoding, encoding
from bestrand_drive.headless.rpc.context import Context, Refused
from bestrand_drive.headless.sensors.limits import check_attributes


def get_actor_definitions(context: Context) -> list[Any]:
    """The blueprint library."""
    base = context.version.attribute_type_base
    return [encoding.definition(blueprint, base) for blueprint in context.world.catalog.listed()]


def get_spectator(context: Context) -> list[Any]:
    """The spectator's Actor."""
    return encoding.actor(context, context.world.spectator)


def get_actors_by_id(context: Context, ids: list[int]) -> list[Any]:
    """Those of the actors that exist, each once: a short request must not ask for an endless answer."""
    known = context.world.actors
    return [encoding.actor(context, known[actor_id]) for actor_id in dict.fromkeys(ids) if actor_id in known]


def spawn_actor(context: Context, description: Any, transform: Any) -> list[Any]:  # noqa: ANN401  whatever a client sent
    """A new actor, free in the world."""
    return encoding.actor(context, context.world.actor(spawn(context, description, decoding.transform(transform))))


def spawn_actor_with_parent(
    context: Context,
    description: Any,  # noqa: ANN401  whatever a client sent
    transform: Any,  # noqa: ANN401  whatever a client sent
    parent: int,
    _attachment_type: int = 0,
    _socket_name: str = "",
) -> list[Any]:
    """A new actor fixed to another; every attachment is rigid here."""
    spawned = spawn_attached(context, description, decoding.transform(transform), parent)
    return encoding.actor(context, context.world.actor(spawned))


def spawn_attached(context: Context, description: Any, transform: Transform, parent: Any) -> int:  # noqa: ANN401  whatever a client sent
    """Spawn from an ActorDescription, fixed to another actor; the new actor's id."""
    if decoding.whole(parent) not in context.world.actors:
        raise Refused("unable to attach actor: parent actor not found")
    return spawn(context, description, transform, parent)


def spawn(context: Context, description: Any, transform: Transform, parent: int = 0) -> int:  # noqa: ANN401  whatever a client sent
    """Spawn from an ActorDescription; the new actor's id."""
    type_id = decoding.text(description[1])
    attributes = decoding.attributes(description[2], context.version.attribute_type_base)
    if type_id.startswith("sensor."):
        check_attributes(attributes)
    return context.world.spawn(type_id, attributes, transform, parent).id


def destroy_actor(context: Context, actor_id: int) -> bool:
    """Remove an actor and those fixed to it."""
    if not context.world.destroy(actor_id):
        raise Refused("unable to destroy actor: not found")
    return True


def get_actor_bounding_box(context: Context, actor_id: int) -> list[Any]:
    """The box in the actor's frame; a light's or sign's is its trigger volume."""
    return encoding.actor_box(context, context.world.actor(actor_id))


def set_actor_location(context: Context, actor_id: int, location: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Move it there."""
    context.world.set_location(actor_id, decoding.vector(location))


def set_actor_transform(context: Context, actor_id: int, transform: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Place it there."""
    context.world.set_transform(actor_id, decoding.transform(transform))


def set_actor_target_velocity(context: Context, actor_id: int, velocity: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Give it a velocity, m/s in the world."""
    context.world.set_target_velocity(actor_id, decoding.vector(velocity))


def set_actor_target_angular_velocity(context: Context, actor_id: int, velocity: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Give it an angular velocity, deg/s."""
    context.world.set_target_angular_velocity(actor_id, decoding.vector(velocity))


def enable_actor_constant_velocity(context: Context, actor_id: int, velocity: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Keep it at a velocity, m/s in its own frame."""
    context.world.enable_constant_velocity(actor_id, decoding.vector(velocity))


def disable_actor_constant_velocity(context: Context, actor_id: int) -> None:
    """End that."""
    context.world.disable_constant_velocity(actor_id)


def add_actor_impulse(context: Context, actor_id: int, impulse: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Push it once, N s."""
    context.world.add_impulse(actor_id, decoding.vector(impulse))


def add_actor_impulse_at_location(context: Context, actor_id: int, impulse: Any, location: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Push it once at a place of the world, N s."""
    context.world.add_impulse_at_location(actor_id, decoding.vector(impulse), decoding.vector(location))


def add_actor_force(context: Context, actor_id: int, force: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Push it for one step, N."""
    context.world.add_force(actor_id, decoding.vector(force))


def add_actor_force_at_location(context: Context, actor_id: int, force: Any, location: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Push it for one step at a place of the world, N."""
    context.world.add_force_at_location(actor_id, decoding.vector(force), decoding.vector(location))


def add_actor_angular_impulse(context: Context, actor_id: int, impulse: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Turn it once, N m s."""
    context.world.add_angular_impulse(actor_id, decoding.vector(impulse))


def add_actor_torque(context: Context, actor_id: int, torque: Any) -> None:  # noqa: ANN401  whatever a client sent
    """Turn it for one step, N m."""
    context.world.add_torque(actor_id, decoding.vector(torque))


def set_actor_simulate_physics(context: Context, actor_id: int, enabled: bool) -> None:
    """Let it move by itself, or only where it is put."""
    context.world.set_simulate_physics(actor_id, bool(enabled))


def set_actor_enable_gravity(context: Context, actor_id: int, enabled: bool) -> None:
    """Let it stand on the ground, or stay at its height."""
    context.world.set_enable_gravity(actor_id, bool(enabled))


def set_actor_collisions(context: Context, actor_id: int, enabled: bool) -> None:
    """Let it collide, or pass through everything."""
    context.world.set_collisions(actor_id, bool(enabled))


HANDLERS = {
    handler.__name__: handler
    for handler in (
        get_actor_definitions,
        get_spectator,
        get_actors_by_id,
        spawn_actor,
        spawn_actor_with_parent,
        destroy_actor,
        get_actor_bounding_box,
        set_actor_location,
        set_actor_transform,
        set_actor_target_velocity,
        set_actor_target_angular_velocity,
        enable_actor_constant_velocity,
        disable_actor_constant_velocity,
        add_actor_impulse,
        add_actor_impulse_at_location,
        add_actor_force,
        add_actor_force_at_location,
        add_actor_angular_impulse,
        add_actor_torque,
        set_actor_simulate_physics,
        set_actor_enable_gravity,
        set_actor_collisions,
    )
}
