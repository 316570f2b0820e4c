"""Cameras: well-formed images that say that nothing is rendered.

Body: width, height (u32), field of view (f32, degrees), then pixels row by row: BGRA bytes; for optical flow two f32;
for the event camera a list of events (u16 x, u16 y, i64 nanoseconds, bool polarity), here the lit dots of the words.

An image has few different rows, so it is kept and sent as a few blocks of rows, each many times: one of 4096 x 4096
takes 2 MB, not 64, and all cameras of one size share it.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct, pack
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.actor import Actor
from bestrand_drive.headless.sensors.banner import banner
from bestrand_drive.headless.sensors.limits import number, whole
from bestrand_drive.headless.sensors.reading import Body, Moment

_HEAD = Struct("<IIf")
_EVENT = np.dtype([("x", "<u2"), ("y", "<u2"), ("t", "<i8"), ("polarity", "?")])
_BLOCK_BYTES = 1 << 17


class Look(NamedTuple):
    """A dark and a lit pixel."""

    dark: bytes
    lit: bytes


_PICTURE = Look(bytes([16, 16, 16, 255]), bytes([200, 200, 200, 255]))
_LABELS = Look(bytes([0, 0, 0, 255]), bytes([0, 0, 22, 255]))  # red holds the tag: CityObjectLabel::Other
_FLOW = Look(pack("<2f", 0.0, 0.0), pack("<2f", 1.0, 1.0))
_LOOKS = {
    "sensor.camera.semantic_segmentation": _LABELS,
    "sensor.camera.instance_segmentation": _LABELS,
    "sensor.camera.optical_flow": _FLOW,
}


class Camera:
    """Any ``sensor.camera.*`` whose pixels do not depend on time."""

    def __init__(self, sensor: Actor) -> None:
        self._look = _LOOKS.get(sensor.type_id, _PICTURE)
        self._size, self._head = _size_and_head(sensor)

    def measure(self, moment: Moment) -> list[Body]:
        """The image of its size."""
        return [(self._head, *_picture(self._look, *self._size))]


class EventCamera:
    """``sensor.camera.dvs``: the dots of the words, lit at every measurement."""

    def __init__(self, sensor: Actor) -> None:
        self._size, self._head = _size_and_head(sensor)

    def measure(self, moment: Moment) -> list[Body]:
        """The words as events of now."""
        events = _events(*self._size).copy()
        events["t"] = round(moment.world.elapsed_s * 1e9)
        return [(self._head, events.tobytes())]


def _size_and_head(sensor: Actor) -> tuple[tuple[int, int], bytes]:
    """Width and height in pixels, and what stands before the pixels."""
    size = (whole(sensor.attributes, "image_size_x"), whole(sensor.attributes, "image_size_y"))
    return size, _HEAD.pack(*size, number(sensor.attributes, "fov"))


@lru_cache(maxsize=16)
def _picture(look: Look, width: int, height: int) -> tuple[bytes, ...]:
    """The pixels of one kind and size in blocks of rows, equal ones being one object."""
    pixels = np.frombuffer(look.dark + look.lit, dtype=np.uint8).reshape(2, -1)
    blocks: list[bytes] = []
    for row, count in banner(width, height):
        line = pixels[row.astype(np.intp)].tobytes()
        lines = max(1, min(count, _BLOCK_BYTES // len(line)))
        whole_blocks, rest = divmod(count, lines)
        blocks += [line * lines] * whole_blocks + [line * rest] * (rest > 0)
    return tuple(blocks)


@lru_cache(maxsize=2)
def _events(width: int, height: int) -> NDArray[np.void]:
    """The lit dots of one size, without their time."""
    rows, counts = zip(*banner(width, height), strict=True)
    y, x = np.nonzero(np.repeat(rows, counts, axis=0))
    events = np.zeros(len(x), dtype=_EVENT)
    events["x"], events["y"], events["polarity"] = x, y, True
    return events
