"""What a server is started with, and what can be said of it before anything is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.headless.faults.order import Fault

DEFAULT_PORT = 2000
DEFAULT_MAP = "Town01"
DEFAULT_VERSION = "0.9.16"
LOOPBACK = "127.0.0.1"
_LAST_PORT = 65535


@dataclass(frozen=True)
class ServeOptions:
    """How to serve.

    Attributes:
        maps: Folders of OpenDRIVE files, one a town.
        map_name: Town of the first episode.
        host: Address to listen on; only this machine unless told otherwise.
        port: Of remote calls; 0 for any free one.
        streaming_port: Of sensor streams; 0 for any free one, none for the one after ``port``.
        carla_version: Protocol to speak.
        seed: Of the traffic lights' first phases and of the draw of faults.
        synchronous: Begin in synchronous mode, so that nothing moves before the first tick.
        die_with_parent: End when the process that started this one has ended.
        faults: What shall go wrong.
    """

    maps: tuple[Path, ...]
    map_name: str = DEFAULT_MAP
    host: str = LOOPBACK
    port: int = DEFAULT_PORT
    streaming_port: int | None = None
    carla_version: str = DEFAULT_VERSION
    seed: int = 0
    synchronous: bool = False
    die_with_parent: bool = False
    faults: tuple[Fault, ...] = ()


def check_ports(options: ServeOptions) -> None:
    """Refuse ports that no machine could give.

    Raises:
        UsageError: One port for both, or none behind the last.
    """
    if options.port == _LAST_PORT and options.streaming_port is None:
        raise UsageError(
            f"port {_LAST_PORT} is the last one, and sensor streams use the port after that of remote calls; "
            "choose a lower port or say --streaming-port (-carla-streaming-port)."
        )
    if options.port and options.port == options.streaming_port:
        raise UsageError(
            f"port {options.port} is asked for twice; remote calls and sensor streams need a port each "
            "(without --streaming-port, streams use the port after that of remote calls)."
        )


def check_maps(folders: Sequence[Path]) -> None:
    """Refuse folders without towns.

    Raises:
        UsageError: One is not there.
        DataRefused: One holds no OpenDRIVE file.
    """
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"--maps {folder}: there is no such folder; give one with OpenDRIVE files (Town01.xodr).")
        if not any(folder.glob("*.xodr")):
            raise DataRefused(f"--maps {folder}: no *.xodr file in it; OpenDRIVE files are named like towns.")
