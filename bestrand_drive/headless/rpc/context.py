"""What every handler works on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bestrand_drive.headless.versions import ProtocolVersion
from bestrand_drive.headless.wire.tokens import WORLD_STREAM, pack_token

if TYPE_CHECKING:
    from bestrand_drive.headless.world.world import World


class Refused(Exception):
    """A call cannot be served; the client gets the message."""


@dataclass
class TrafficManager:
    """A TrafficManager that runs inside some client.

    Attributes:
        address: Where it listens, as it said.
        caller: Connection that announced it.
    """

    address: str
    caller: int


@dataclass
class Context:
    """The world and what surrounds it.

    Attributes:
        world: The simulated world.
        version: The protocol spoken.
        streaming_port: Where sensor streams are served.
        tick: Advances the world, sends snapshot and sensor frames, returns the frame's number. Told whether to hold the
            sensor frames back for a moment.
        announce: Sends a snapshot of the world as it is, after a new episode began.
        release: Sends sensor frames that were held back.
        caller: Number of the connection whose call is being answered.
        asked: How often clients asked for the episode.
        batch_by: Connection that spawned or destroyed in a batch since the last tick; 0 for none.
        traffic_managers: Port -> the TrafficManager there.
        pending_opendrive: Road network sent ahead of loading the map "OpenDriveMap".
    """

    world: World
    version: ProtocolVersion
    streaming_port: int
    tick: Callable[[bool], int]
    announce: Callable[[], None]
    release: Callable[[], None]
    caller: int = 0
    asked: int = 0
    batch_by: int = 0
    traffic_managers: dict[int, TrafficManager] = field(default_factory=dict)
    pending_opendrive: str | None = None

    def has_stream(self, stream_id: int) -> bool:
        """Whether a stream is that of the snapshots, or its sensor is in the world."""
        return stream_id == WORLD_STREAM or any(
            actor.stream_id == stream_id for actor in self.world.actors.values() if actor.stream_id
        )

    def token(self, stream_id: int) -> bytes:
        """The token of a stream; an actor without one has an empty token."""
        return pack_token(stream_id, self.streaming_port) if stream_id else b""
