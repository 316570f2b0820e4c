"""What a server is started with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

DEFAULT_PORT = 2000
DEFAULT_MAP = "Town01"
DEFAULT_VERSION = "0.9.16"
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class ServeOptions:
    """How to serve.

    Attributes:
        maps: Folders of OpenDRIVE files, one a town.
        map_name: Town of the first episode.
        host: Address to listen on; only this machine unless told otherwise.
        port: Of remote calls.
        streaming_port: Of sensor streams; 0 for the one after ``port``.
        carla_version: Protocol to speak.
        seed: Of the traffic lights' first phases.
        synchronous: Begin in synchronous mode, so that nothing moves before the first tick.
        die_with_parent: End when the process that started this one has ended.
    """

    maps: tuple[Path, ...]
    map_name: str = DEFAULT_MAP
    host: str = LOOPBACK
    port: int = DEFAULT_PORT
    streaming_port: int = 0
    carla_version: str = DEFAULT_VERSION
    seed: int = 0
    synchronous: bool = False
    die_with_parent: bool = False
