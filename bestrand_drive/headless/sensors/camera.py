"""Cameras: well-formed images that say that nothing is rendered.

Body: width, height (u32), field of view (f32, degrees), then pixels row by row: BGRA bytes; for optical flow two f32;
for the event camera a list of events (u16 x, u16 y, i64 nanoseconds, bool polarity), here the lit dots of the words.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct

import numpy as np

from bestrand_drive.headless.sensors.banner import banner
from bestrand_drive.headless.sensors.reading import Moment, number, whole
from bestrand_drive.headless.world.actor import Actor

_HEAD = Struct("<IIf")
_EVENT = np.dtype([("x", "<u2"), ("y", "<u2"), ("t", "<i8"), ("polarity", "?")])
_MAX_SIDE = 8192
_DARK = (16, 16, 16, 255)
_LIGHT = (200, 200, 200, 255)
_LABELS = frozenset({"sensor.camera.semantic_segmentation", "sensor.camera.instance_segmentation"})
_NO_LABEL = (0, 0, 0, 255)
_OTHER_LABEL = (0, 0, 22, 255)  # red holds the tag: CityObjectLabel::Other


class Camera:
    """Any ``sensor.camera.*`` whose pixels do not depend on time: one image, built once a size."""

    def __init__(self, sensor: Actor) -> None:
        width = whole(sensor, "image_size_x", 800, low=1, high=_MAX_SIDE)
        height = whole(sensor, "image_size_y", 600, low=1, high=_MAX_SIDE)
        pixels = _pixels(sensor.type_id, width, height)
        self._frames = [_HEAD.pack(width, height, number(sensor, "fov", 90.0)) + pixels]

    def measure(self, moment: Moment) -> list[bytes]:
        """The one image."""
        return self._frames


class EventCamera:
    """``sensor.camera.dvs``: the dots of the words, lit at every measurement."""

    def __init__(self, sensor: Actor) -> None:
        width = whole(sensor, "image_size_x", 800, low=1, high=_MAX_SIDE)
        height = whole(sensor, "image_size_y", 600, low=1, high=_MAX_SIDE)
        self._head = _HEAD.pack(width, height, number(sensor, "fov", 90.0))
        rows, columns = np.nonzero(banner(width, height))
        self._events = np.zeros(len(rows), dtype=_EVENT)
        self._events["x"], self._events["y"], self._events["polarity"] = columns, rows, True

    def measure(self, moment: Moment) -> list[bytes]:
        """The words as events of now."""
        self._events["t"] = round(moment.world.elapsed_s * 1e9)
        return [self._head + self._events.tobytes()]


@lru_cache(maxsize=8)
def _pixels(type_id: str, width: int, height: int) -> bytes:
    """The pixels of one kind of camera and size, shared by all cameras of that kind."""
    lit = banner(width, height)
    if type_id == "sensor.camera.optical_flow":
        return np.repeat(lit.astype("<f4")[..., None], 2, axis=2).tobytes()
    dark, light = (_NO_LABEL, _OTHER_LABEL) if type_id in _LABELS else (_DARK, _LIGHT)
    return np.where(lit[..., None], np.array(light, dtype=np.uint8), np.array(dark, dtype=np.uint8)).tobytes()
