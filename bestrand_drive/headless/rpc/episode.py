"""Episode, map, settings, ticks, stream tokens."""

from __future__ import annotations

from typing import Any

from bestrand_drive.headless.rpc import decoding, encoding
from bestrand_drive.headless.rpc.context import Context, Refused
from bestrand_drive.headless.town_names import GENERATED_MAP, short_name
from bestrand_drive.headless.wire.tokens import plain_stream, world_alias


def version(context: Context) -> str:
    """The version announced."""
    return context.version.name


def tick_cue(context: Context) -> int:
    """Advance one frame in synchronous mode; else the frame that will come next, as CARLA answers."""
    if context.world.settings.synchronous_mode:
        hold, context.batch_by = context.batch_by == context.caller, 0
        return context.tick(hold)
    return context.world.frame + 1


def get_available_maps(context: Context) -> list[str]:
    """Names in CARLA's form."""
    return [f"/Game/Carla/Maps/{name}" for name in context.world.maps.names()]


def load_new_episode(context: Context, name: str, reset_settings: bool, _layers: int = 0) -> None:
    """Load a map; an empty name loads the present one again.

    A snapshot of the new episode goes out at once, so that a client waiting for it ticks equally often in every run.
    """
    world = context.world
    wanted = short_name(decoding.text(name)) or short_name(world.map_name)
    if wanted == GENERATED_MAP:
        _load_generated(context, bool(reset_settings))
    else:
        world.load_map(wanted, bool(reset_settings))
    context.announce()


def _load_generated(context: Context, reset_settings: bool) -> None:
    """Load the road network that a client sent before."""
    if context.pending_opendrive is None:
        raise Refused(f"Map '{GENERATED_MAP}' not found: no client sent an OpenDRIVE network before")
    context.world.load_opendrive(context.pending_opendrive, reset_settings)


def copy_opendrive_to_file(context: Context, opendrive: str, _parameters: Any = None) -> None:  # noqa: ANN401  whatever a client sent
    """Read a road network and keep it for the load that follows; how its mesh would look does not matter."""
    context.world.maps.from_text(GENERATED_MAP, decoding.text(opendrive))
    context.pending_opendrive = opendrive


def get_episode_info(context: Context) -> list[Any]:
    """EpisodeInfo: the episode and the token of its snapshots, another for everyone who asks."""
    context.asked += 1
    return [context.world.episode, [context.token(world_alias(context.asked))]]


def get_sensor_token(context: Context, stream_id: int) -> list[Any]:
    """streaming::Token, under the name that was asked for, of the snapshots or of a sensor that exists."""
    wanted = decoding.whole(stream_id)
    if not context.has_stream(plain_stream(wanted)):
        raise Refused(f"unable to find a sensor with stream {wanted}")
    return [context.token(wanted)]


def get_map_info(context: Context) -> list[Any]:
    """MapInfo: name and spawn points."""
    return [context.world.map_name, [encoding.transform(point) for point in context.world.spawn_points]]


def get_map_data(context: Context) -> str:
    """The OpenDRIVE text."""
    return context.world.opendrive


def get_episode_settings(context: Context) -> list[Any]:
    """EpisodeSettings."""
    return encoding.episode_settings(context.version, context.world.settings)


def set_episode_settings(context: Context, settings: Any) -> int:  # noqa: ANN401  whatever a client sent
    """Change the settings; the present frame."""
    context.world.settings = decoding.episode_settings(context.version, settings)
    return context.world.frame


HANDLERS = {
    handler.__name__: handler
    for handler in (
        version,
        tick_cue,
        get_available_maps,
        load_new_episode,
        copy_opendrive_to_file,
        get_episode_info,
        get_sensor_token,
        get_map_info,
        get_map_data,
        get_episode_settings,
        set_episode_settings,
    )
}
