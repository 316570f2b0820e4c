"""What the server itself reads from an OpenDRIVE file: road speeds, links, junctions and signal controllers.

Geometry is left to ``carla.Map``. Source: ASAM OpenDRIVE 1.4, sections 5.3.4 (road type and speed), 5.3.7.2.1.1.8
(lane speed), 5.5 (controllers) and 5.6 (junctions).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from bestrand_drive.headless.maps.elements import take_elements
from bestrand_drive.headless.maps.soundness import check_road

_KMH_PER_UNIT = {"mph": 1.609344, "m/s": 3.6, "km/h": 1.0}
_FASTEST_KMH = 1e4


@dataclass(frozen=True)
class SpeedRecord:
    """A limit from ``start_s`` metres along the road on, in km/h; none where the file says "no limit"."""

    start_s: float
    limit_kmh: float | None


@dataclass(frozen=True)
class Road:
    """One road: its type and limits, its neighbours, and the junction it lies in (none: -1).

    Attributes:
        id: Road id.
        junction: Junction id, or -1.
        types: (start s in metres, road type) in order.
        speeds: Limits of the whole road in order of s.
        lane_speeds: Lane id -> limits in order of s, which win over the road's.
        neighbours: Ids of the roads before and after it.
    """

    id: int
    junction: int
    types: tuple[tuple[float, str], ...]
    speeds: tuple[SpeedRecord, ...]
    lane_speeds: dict[int, tuple[SpeedRecord, ...]]
    neighbours: tuple[int, ...]


@dataclass(frozen=True)
class OpenDrive:
    """Roads by id, and for each junction its controllers' signal ids in the order of their phases."""

    roads: dict[int, Road]
    junctions: tuple[tuple[tuple[str, ...], ...], ...]


def parse_opendrive(xodr: str) -> OpenDrive:
    """Read one OpenDRIVE text.

    Raises:
        DataRefused: It is no well-formed OpenDRIVE, carries a DOCTYPE, or has a road that cannot be.
    """
    reader = _Reader()
    take_elements(xodr, reader.take)
    return OpenDrive(reader.roads, reader.phases())


class _Reader:
    """Collects the top elements of one file."""

    def __init__(self) -> None:
        self.roads: dict[int, Road] = {}
        self._controllers: dict[str, tuple[str, ...]] = {}
        self._junctions: list[list[str]] = []
        self._takers: dict[str, Callable[[Element], None]] = {
            "road": self._road,
            "controller": self._controller,
            "junction": self._junction,
        }

    def take(self, element: Element) -> None:
        """Read one child of the root, if it is of a kind that matters here."""
        taker = self._takers.get(element.tag)
        if taker is not None:
            taker(element)

    def _road(self, element: Element) -> None:
        check_road(element)
        road = Road(
            id=int(element.attrib["id"]),
            junction=int(element.get("junction", "-1")),
            types=tuple((float(kind.get("s", "0")), kind.get("type", "")) for kind in element.findall("type")),
            speeds=tuple(_road_speeds(element)),
            lane_speeds=_lane_speeds(element),
            neighbours=tuple(_neighbours(element)),
        )
        self.roads[road.id] = road

    def _controller(self, element: Element) -> None:
        signals = dict.fromkeys(control.attrib["signalId"] for control in element.findall("control"))
        self._controllers[element.attrib["id"]] = tuple(signals)

    def _junction(self, element: Element) -> None:
        found = sorted(element.findall("controller"), key=lambda control: int(control.get("sequence") or 0))
        if found:
            self._junctions.append([control.attrib["id"] for control in found])

    def phases(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        """Signal ids per junction and controller; a controller that the file does not define is left out."""
        return tuple(
            tuple(self._controllers[name] for name in junction if name in self._controllers)
            for junction in self._junctions
        )


def _speed(element: Element, start_s: float) -> SpeedRecord:
    """Read a ``speed`` element; without a unit OpenDRIVE means m/s."""
    text = element.get("max", "no limit")
    if text in ("no limit", "undefined", ""):
        return SpeedRecord(start_s, None)
    limit_kmh = float(text) * _KMH_PER_UNIT.get(element.get("unit", "m/s"), 3.6)
    if not abs(limit_kmh) <= _FASTEST_KMH:
        raise ValueError(f"{text[:40]!r} is no speed")
    return SpeedRecord(start_s, limit_kmh)


def _road_speeds(road: Element) -> Iterator[SpeedRecord]:
    for kind in road.findall("type"):
        speed = kind.find("speed")
        if speed is not None:
            yield _speed(speed, float(kind.get("s", "0")))


def _lane_speeds(road: Element) -> dict[int, tuple[SpeedRecord, ...]]:
    found: dict[int, list[SpeedRecord]] = {}
    for section in road.iterfind("lanes/laneSection"):
        start = float(section.get("s", "0"))
        for lane in section.iter("lane"):
            for speed in lane.findall("speed"):
                record = _speed(speed, start + float(speed.get("sOffset", "0")))
                found.setdefault(int(lane.attrib["id"]), []).append(record)
    return {lane: tuple(records) for lane, records in found.items()}


def _neighbours(road: Element) -> Iterator[int]:
    for name in ("predecessor", "successor"):
        link = road.find(f"link/{name}")
        if link is not None and link.get("elementType") == "road":
            yield int(link.attrib["elementId"])
