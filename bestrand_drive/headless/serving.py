"""Start a server from its options, say what it is, and end it cleanly."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter

from bestrand_drive.headless.blueprints.catalog import load_catalog
from bestrand_drive.headless.faults.deeds import Ended
from bestrand_drive.headless.faults.draw import drawn
from bestrand_drive.headless.faults.hooks import FaultHooks
from bestrand_drive.headless.faults.world import FaultyWorld
from bestrand_drive.headless.lifetime import Lifetime
from bestrand_drive.headless.maps.library import MapLibrary
from bestrand_drive.headless.options import LOOPBACK, ServeOptions, check_maps, check_ports
from bestrand_drive.headless.sensors.suite import SensorSuite
from bestrand_drive.headless.server import HeadlessServer
from bestrand_drive.headless.versions import load_version
from bestrand_drive.headless.wire.budget import raise_limit

HONESTY = "kinematic, nothing is rendered, scores from it are not CARLA's"


def serve(options: ServeOptions) -> int:
    """Serve until a signal or the parent's end; the exit code.

    Raises:
        EnvironmentFault: A port is taken.
        DataRefused: The town is not there.
        UsageError: The CARLA version is not known, a folder is not there, or the ports cannot be.
    """
    raise_limit()
    check_ports(options)
    check_maps(options.maps)
    lifetime = Lifetime(options.die_with_parent)
    faults = drawn(options.faults, options.seed)
    if options.faults:
        print(_ordered(options, len(faults), " ".join(fault.text for fault in faults)), file=sys.stderr, flush=True)
    with contextlib.suppress(Ended):
        _serve(options, lifetime, FaultHooks(faults, lifetime.lasts))
    return lifetime.exit_code


def _serve(options: ServeOptions, lifetime: Lifetime, hooks: FaultHooks) -> None:
    """Load, listen, serve."""
    version = hooks.announced(load_version(options.carla_version))
    world = _first_world(options, lifetime)
    world.hooks = hooks
    hooks.before_listening()
    server = HeadlessServer(
        world, version, SensorSuite, host=options.host, port=options.port, streaming_port=options.streaming_port
    )
    hooks.drop_streams = server.hub.hang_up
    lifetime.end_gently()
    print(_first_line(server, world.map_name, version.name, options), flush=True)
    try:
        server.run(hooks.goes_on)
    finally:
        server.close()
        _print_unknown(server.dispatcher.unknown)


def _first_world(options: ServeOptions, lifetime: Lifetime) -> FaultyWorld:
    """A world in the town that was asked for; who is told to end waits for no map that is tried."""

    def look() -> None:
        if not lifetime.lasts():
            raise Ended

    maps = MapLibrary(options.maps, look)
    maps.load(options.map_name)
    world = FaultyWorld(maps, load_catalog(), options.seed)
    world.load_map(options.map_name, True)
    world.settings.synchronous_mode = world.starts_synchronous = options.synchronous
    return world


def _ordered(options: ServeOptions, count: int, texts: str) -> str:
    """Which faults this server will have."""
    return f"headless server: {count} of {len(options.faults)} ordered faults drawn: {texts or 'none'}"


def _first_line(server: HeadlessServer, map_name: str, version: str, options: ServeOptions) -> str:
    """What it is and where."""
    reach = "" if options.host == LOOPBACK else " (open to other machines, without any authentication)"
    return (
        f"headless CARLA server ({HONESTY}): {options.host}:{server.port}{reach}, streams on {server.streaming_port}, "
        f"CARLA {version}, map {map_name}, seed {options.seed}"
    )


def _print_unknown(unknown: Counter[str]) -> None:
    """At the end, how often clients called what this server does not know; a name is whatever they sent."""
    if unknown:
        calls = ", ".join(f"{ascii(name)[1:-1]} {count}" for name, count in unknown.most_common(20))
        print(f"headless server: unknown calls: {calls}", file=sys.stderr)
