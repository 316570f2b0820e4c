"""Start a server from its options, say what it is, and end it cleanly."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from types import FrameType

from bestrand_drive.errors import ExitCode
from bestrand_drive.headless.blueprints.catalog import load_catalog
from bestrand_drive.headless.maps.library import MapLibrary
from bestrand_drive.headless.options import LOOPBACK, ServeOptions
from bestrand_drive.headless.sensors.suite import SensorSuite
from bestrand_drive.headless.server import HeadlessServer
from bestrand_drive.headless.versions import load_version
from bestrand_drive.headless.wire.budget import raise_limit
from bestrand_drive.headless.world.world import World

HONESTY = "kinematic, nothing is rendered, scores from it are not CARLA's"


def serve(options: ServeOptions) -> int:
    """Serve until a signal or the parent's end; the exit code.

    Raises:
        EnvironmentFault: A port is taken.
        DataRefused: The town is not there.
        UsageError: The CARLA version is not known.
    """
    raise_limit()
    version = load_version(options.carla_version)
    maps = MapLibrary(options.maps)
    maps.load(options.map_name)
    world = World(maps, load_catalog(), options.seed)
    world.load_map(options.map_name, True)
    world.settings.synchronous_mode = world.starts_synchronous = options.synchronous
    lifetime = Lifetime(options.die_with_parent)
    server = HeadlessServer(
        world, version, SensorSuite, host=options.host, port=options.port, streaming_port=options.streaming_port
    )
    print(_first_line(server, world, options), flush=True)
    try:
        server.run(lifetime.lasts)
    finally:
        server.close()
        _print_unknown(server.dispatcher.unknown)
    return lifetime.exit_code


def _first_line(server: HeadlessServer, world: World, options: ServeOptions) -> str:
    """What it is and where."""
    reach = "" if options.host == LOOPBACK else " (open to other machines, without any authentication)"
    return (
        f"headless CARLA server ({HONESTY}): {options.host}:{server.port}{reach}, streams on {server.streaming_port}, "
        f"CARLA {options.carla_version}, map {world.map_name}, seed {options.seed}"
    )


def _print_unknown(unknown: Counter[str]) -> None:
    """At the end, how often clients called what this server does not know."""
    if unknown:
        calls = ", ".join(f"{name} {count}" for name, count in unknown.most_common(20))
        print(f"headless server: unknown calls: {calls}", file=sys.stderr)


class Lifetime:
    """Ends on SIGTERM (code 0), on SIGINT (130), or with the parent process (0)."""

    def __init__(self, die_with_parent: bool) -> None:
        self._parent = os.getppid() if die_with_parent else None
        self._ended = False
        self.exit_code: int = ExitCode.OK
        signal.signal(signal.SIGTERM, self._end)
        signal.signal(signal.SIGINT, self._end)

    def _end(self, number: int, _frame: FrameType | None) -> None:
        self._ended = True
        if number == signal.SIGINT:
            self.exit_code = ExitCode.INTERRUPTED

    def lasts(self) -> bool:
        """Whether to go on."""
        return not self._ended and (self._parent is None or os.getppid() == self._parent)
