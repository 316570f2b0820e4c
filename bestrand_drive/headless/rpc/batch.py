"""``apply_batch``: many commands in one call, each with its own outcome (``rpc/Command.h``, ``CarlaServer.cpp``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bestrand_drive.headless.rpc import actors, decoding, lights, vehicles
from bestrand_drive.headless.rpc.context import Context, Refused
from bestrand_drive.headless.rpc.explanations import explain
from bestrand_drive.headless.wire.responses import failure, success

MOST_COMMANDS = 10_000
"""In one call, chained ones included: while they run, nobody else is served."""
_SPAWN, _DESTROY, _CONSOLE = 0, 1, 20

_Act = Callable[..., Any]


def _nothing(context: Context, actor_id: int, *_fields: object) -> None:
    """Accepted without effect on an actor that exists."""
    context.world.actor(actor_id)


COMMANDS: tuple[tuple[str, _Act | None], ...] = (
    ("SpawnActor", None),
    ("DestroyActor", actors.destroy_actor),
    ("ApplyVehicleControl", vehicles.apply_control_to_vehicle),
    ("ApplyVehicleAckermannControl", vehicles.apply_ackermann_control_to_vehicle),
    ("ApplyWalkerControl", vehicles.apply_control_to_walker),
    ("ApplyVehiclePhysicsControl", vehicles.apply_physics_control),
    ("ApplyTransform", actors.set_actor_transform),
    ("ApplyWalkerState", vehicles.set_walker_state),
    ("ApplyTargetVelocity", actors.set_actor_target_velocity),
    ("ApplyTargetAngularVelocity", actors.set_actor_target_angular_velocity),
    ("ApplyImpulse", actors.add_actor_impulse),
    ("ApplyForce", actors.add_actor_force),
    ("ApplyAngularImpulse", actors.add_actor_angular_impulse),
    ("ApplyTorque", actors.add_actor_torque),
    ("SetSimulatePhysics", actors.set_actor_simulate_physics),
    ("SetEnableGravity", actors.set_actor_enable_gravity),
    ("SetAutopilot", _nothing),
    ("ShowDebugTelemetry", _nothing),
    ("SetVehicleLightState", vehicles.set_vehicle_light_state),
    ("ApplyLocation", actors.set_actor_location),
    ("ConsoleCommand", None),
    ("SetTrafficLightState", lights.set_traffic_light_state),
)
"""Index of a command in the variant -> its name and what it does; the first field is the actor's id."""


def apply_batch(context: Context, commands: list[Any], do_tick: bool = False) -> list[Any]:
    """Run commands in order; one Response<ActorId> each, not wrapped in a Response itself.

    Raises:
        Refused: There are too many; none is run.
    """
    _check_number(context, commands)
    outcomes = [_outcome(context, command) for command in commands]
    if do_tick and context.world.settings.synchronous_mode:
        context.tick(True)
    return outcomes


def _check_number(context: Context, commands: list[Any]) -> None:
    """Refuse too many commands, those chained to others included."""
    count, waiting = 0, [commands]
    while waiting:
        found = waiting.pop()
        count += len(found)
        if count > MOST_COMMANDS:
            raise Refused(f"apply_batch: more than {MOST_COMMANDS:,} commands in one batch, chained ones included")
        waiting += [chained for command in found if (chained := _chained(context, command))]


def _chained(context: Context, command: Any) -> list[Any]:  # noqa: ANN401  whatever a client sent
    """The commands chained to one, if it spawns and can be read."""
    try:
        index, fields = command[0]
        found = decoding.fields(context.version, "SpawnActor", fields)["do_after"] if index == _SPAWN else []
    except (TypeError, ValueError, LookupError):
        return []
    return found if isinstance(found, list) else []


def _outcome(context: Context, command: Any) -> list[Any]:  # noqa: ANN401  whatever a client sent
    """Run one command; success with the actor's id, or the error."""
    try:
        index, fields = command[0]
        return success(_run(context, index, fields))
    except Exception as error:
        return failure(explain("apply_batch", error))


def _run(context: Context, index: int, fields: list[Any]) -> int:
    """Run one command; the id of its actor."""
    if index in (_SPAWN, _DESTROY):
        context.batch_by = context.caller
    if index == _SPAWN:
        return _spawn(context, fields)
    if index == _CONSOLE:
        return 0
    if not 0 < index < len(COMMANDS):
        raise Refused(f"apply_batch: there is no command {index}")
    act = COMMANDS[index][1]
    assert act is not None  # noqa: S101  only the two above have none
    actor_id = decoding.whole(fields[0])
    act(context, *fields)
    return actor_id


def _spawn(context: Context, fields: list[Any]) -> int:
    """Spawn an actor, then run the commands chained to it, whose actor it becomes; their outcomes are not reported."""
    named = decoding.fields(context.version, "SpawnActor", fields)
    after = _read_chained(named["do_after"])
    parent, place = decoding.optional(named["parent"]), decoding.transform(named["transform"])
    if parent is None:
        spawned = actors.spawn(context, named["description"], place)
    else:
        spawned = actors.spawn_attached(context, named["description"], place, parent)
    for index, chained in after:
        if index not in (_SPAWN, _CONSOLE):
            chained[0] = spawned
        _outcome(context, [[index, chained]])
    return spawned


def _read_chained(commands: list[Any]) -> list[tuple[int, list[Any]]]:
    """Index and fields of chained commands; what cannot be read fails here, before anything is spawned.

    Raises:
        TypeError: One has no fields.
    """
    found = [(index, chained) for (index, chained), *_ in commands]
    for _, chained in found:
        if not isinstance(chained, list) or not chained:
            raise TypeError("a chained command has no fields")
    return found


HANDLERS = {"apply_batch": apply_batch}
