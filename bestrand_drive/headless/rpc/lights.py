"""Traffic lights."""

from __future__ import annotations

from typing import Any

from bestrand_drive.headless.rpc import decoding
from bestrand_drive.headless.rpc.context import Context, Refused

_STATES = range(5)


def set_traffic_light_state(context: Context, actor_id: int, state: int) -> None:
    """Show a colour now: 0 red, 1 yellow, 2 green, 3 off, 4 unknown."""
    if state not in _STATES:
        raise Refused(f"{state!r:.40} is no state of a traffic light")
    context.world.lights.set_state(actor_id, state)


def set_traffic_light_green_time(context: Context, actor_id: int, seconds: Any) -> None:  # noqa: ANN401  whatever a client sent
    """How long it stays green."""
    context.world.lights.set_times(actor_id, green=decoding.number(seconds))


def set_traffic_light_yellow_time(context: Context, actor_id: int, seconds: Any) -> None:  # noqa: ANN401  whatever a client sent
    """How long it stays yellow."""
    context.world.lights.set_times(actor_id, yellow=decoding.number(seconds))


def set_traffic_light_red_time(context: Context, actor_id: int, seconds: Any) -> None:  # noqa: ANN401  whatever a client sent
    """How long its whole group stays red before the next turn."""
    context.world.lights.set_times(actor_id, red=decoding.number(seconds))


def freeze_traffic_light(context: Context, actor_id: int, frozen: bool) -> None:
    """Stop or start the clock of the light's group."""
    context.world.lights.freeze(actor_id, bool(frozen))


def freeze_all_traffic_lights(context: Context, frozen: bool) -> None:
    """Stop or start every clock."""
    context.world.lights.freeze_all(bool(frozen))


def reset_traffic_light_group(context: Context, actor_id: int) -> None:
    """Begin the cycle of the light's group anew."""
    context.world.lights.reset_group(actor_id)


def reset_all_traffic_lights(context: Context) -> None:
    """Begin every cycle anew."""
    context.world.lights.reset_all()


def get_group_traffic_lights(context: Context, actor_id: int) -> list[int]:
    """Ids of all lights of the junction that this one belongs to, whatever their controller, itself included."""
    return list(context.world.lights.group(actor_id))


def get_light_boxes(context: Context, actor_id: int) -> list[Any]:
    """Boxes of the lamps, of a traffic light only: none, for nothing is built at the poles."""
    context.world.lights.index(actor_id)
    return []


HANDLERS = {
    handler.__name__: handler
    for handler in (
        set_traffic_light_state,
        set_traffic_light_green_time,
        set_traffic_light_yellow_time,
        set_traffic_light_red_time,
        freeze_traffic_light,
        freeze_all_traffic_lights,
        reset_traffic_light_group,
        reset_all_traffic_lights,
        get_group_traffic_lights,
        get_light_boxes,
    )
}
