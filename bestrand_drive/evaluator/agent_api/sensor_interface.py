"""Where sensor data arrives, as ``leaderboard.envs.sensor_interface``."""

from __future__ import annotations

from queue import Empty, SimpleQueue
from typing import Any

_WAIT_S = 30.0
_MAP = "sensor.opendrive_map"


class SensorConfigurationInvalid(Exception):
    """The sensors that an agent asks for are not allowed."""


class SensorReceivedNoData(Exception):
    """A sensor sent nothing for too long."""


class SensorInterface:
    """Collects what all sensors sent of a frame."""

    def __init__(self) -> None:
        self._sensors: dict[str, Any] = {}
        self._arrived: SimpleQueue[tuple[str, int, Any]] = SimpleQueue()
        self._map_tag: str | None = None

    def register_sensor(self, tag: str, sensor_type: str, sensor: object) -> None:
        """A sensor will send under a tag.

        Raises:
            SensorConfigurationInvalid: Another one does.
        """
        if tag in self._sensors:
            raise SensorConfigurationInvalid(f"Duplicated sensor tag [{tag}]")
        self._sensors[tag] = sensor
        if sensor_type == _MAP:
            self._map_tag = tag

    def update_sensor(self, tag: str, data: object, frame: int) -> None:
        """A sensor sent something."""
        self._arrived.put((tag, frame, data))

    def get_data(self, frame: int) -> dict[str, tuple[int, Any]]:
        """What all sensors sent of a frame; the map only when it came with it.

        Raises:
            SensorReceivedNoData: None sent anything for 30 s.
        """
        data: dict[str, tuple[int, Any]] = {}
        waited = self._sensors.keys() - {self._map_tag}
        while not waited <= data.keys():
            try:
                tag, when, value = self._arrived.get(timeout=_WAIT_S)
            except Empty:
                raise SensorReceivedNoData("A sensor took too long to send their data") from None
            if when == frame:
                data[tag] = (when, value)
        return data
