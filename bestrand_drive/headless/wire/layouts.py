"""The packed little-endian structs of the sensor streams, in the field order of the version spoken.

Sources: LibCarla's ``sensor/s11n/SensorHeaderSerializer.h``, ``sensor/s11n/EpisodeStateSerializer.h`` and
``sensor/data/ActorDynamicState.h``, checked against the debug information of the official wheels.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.actor import Vector
from bestrand_drive.headless.records import ACTOR_FIELDS, MOTION, UNION_BYTES
from bestrand_drive.headless.versions import Layout, ProtocolVersion

LENGTH = struct.Struct("<I")
"""4 bytes in front of every message of a stream."""

MAP_CHANGED = 1
"""Bit of the simulation state: the client must fetch the map anew."""

_SENSOR = {"sensor_type": "Q", "frame": "Q", "elapsed_s": "d", "location": "3f", "rotation": "3f"}
_EPISODE = {"episode": "Q", "platform_s": "d", "step_s": "f", "map_origin": "3i", "simulation_state": "I"}
_NOWHERE = (0.0, 0.0, 0.0)


class Headers:
    """Packs what precedes the body of every frame of a stream."""

    def __init__(self, version: ProtocolVersion) -> None:
        self._observer = version.world_observer
        self._sensor = _packer(version.packed["SensorHeader"], _SENSOR)
        self._episode = _packer(version.packed["EpisodeHeader"], _EPISODE)

    def sensor(self, sensor_type: int, frame: int, elapsed_s: float, location: Vector, rotation: Vector) -> bytes:
        """The header of every frame of a stream.

        Args:
            sensor_type: Index of the sensor's class in the version's registry.
            frame: Number of the frame.
            elapsed_s: Simulated time since the episode began.
            location: x, y, z of the sensor in the world, metres.
            rotation: pitch, yaw, roll, degrees.
        """
        return self._sensor(
            {
                "sensor_type": (sensor_type,),
                "frame": (frame,),
                "elapsed_s": (elapsed_s,),
                "location": location,
                "rotation": rotation,
            }
        )

    def snapshot(self, frame: int, elapsed_s: float, episode: int, step_s: float, state: int) -> bytes:
        """What precedes the actors of a world snapshot.

        The platform time is the simulated time, so that equal runs give equal bytes.
        """
        return self.sensor(self._observer, frame, elapsed_s, _NOWHERE, _NOWHERE) + self._episode(
            {
                "episode": (episode,),
                "platform_s": (elapsed_s,),
                "step_s": (step_s,),
                "map_origin": (0, 0, 0),
                "simulation_state": (state,),
            }
        )


def _packer(layout: Layout, formats: Mapping[str, str]) -> Callable[[Mapping[str, Sequence[float]]], bytes]:
    """Packs values by field; fields that the server does not know become zeros."""
    compiled = struct.Struct("<" + "".join(_formats(layout, formats).values()))
    known = [name for name in layout.names if name not in layout.fillers]
    return lambda values: compiled.pack(*chain.from_iterable(map(values.__getitem__, known)))


def _formats(layout: Layout, formats: Mapping[str, str]) -> dict[str, str]:
    """Format of each field in order; of an unknown one so many zeros."""
    return {
        name: f"{struct.calcsize('<' + layout.fillers[name])}x" if name in layout.fillers else formats[name]
        for name in layout.names
    }


def actor_rows(version: ProtocolVersion) -> Callable[[NDArray[Any]], bytes]:
    """Turns a table of ``records.ACTOR_RECORD`` into the rows of a snapshot, in the version's order of fields."""
    layout = version.packed["ActorState"]
    if layout.names == tuple(ACTOR_FIELDS):
        return lambda rows: rows.tobytes()
    record = _record(layout)
    motion = {name: slice(3 * k, 3 * k + 3) for k, name in enumerate(MOTION)}

    def rearranged(rows: NDArray[Any]) -> bytes:
        found = np.zeros(len(rows), dtype=record)
        found["id"], found["active"], found["by_kind"] = rows["id"], rows["active"], rows["union"]
        for name, part in motion.items():
            found[name] = rows["state"][:, part]
        return found.tobytes()

    return rearranged


def _record(layout: Layout) -> np.dtype[np.void]:
    """The layout of one actor's row; bytes of unknown fields lie between the named ones and stay zero."""
    formats = _formats(layout, ACTOR_FIELDS)
    sizes = [struct.calcsize(f"<{form}") for form in formats.values()]
    offsets = dict(zip(formats, np.cumsum([0, *sizes]).tolist(), strict=False))
    kinds = {"id": "<u4", "active": "u1", "by_kind": f"V{UNION_BYTES}"} | dict.fromkeys(MOTION, ("<f4", 3))
    return np.dtype(
        {
            "names": list(kinds),
            "formats": list(kinds.values()),
            "offsets": [offsets[name] for name in kinds],
            "itemsize": sum(sizes),
        }
    )
