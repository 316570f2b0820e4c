"""Elements of an OpenDRIVE text that name others which are not there: the usual reason why carla dies of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from xml.etree.ElementTree import Element

from bestrand_drive.headless.maps.elements import take_elements

_SIDES = ("predecessor", "successor")


@dataclass
class _Named:
    """What a text holds and what it names.

    Attributes:
        lanes: Road -> the lanes of each of its sections.
        signals: Ids of all signals.
        signal_uses: (who, id of a signal).
        lane_uses: (who, road, section or none for any, lane).
    """

    lanes: dict[str, list[set[str]]] = field(default_factory=dict)
    signals: set[str] = field(default_factory=set)
    signal_uses: list[tuple[str, str]] = field(default_factory=list)
    lane_uses: list[tuple[str, str, int | None, str]] = field(default_factory=list)

    def take(self, element: Element) -> None:
        """Read one child of the root."""
        name = element.get("id", "?")
        if element.tag == "road":
            self._road(name, element)
        elif element.tag == "controller":
            self.signal_uses += ((f"controller {name!r}", use.get("signalId", "")) for use in element.iter("control"))
        elif element.tag == "junction":
            self.lane_uses += _connections(name, element)

    def _road(self, name: str, road: Element) -> None:
        sections = road.findall("lanes/laneSection")
        self.lanes[name] = [{lane.get("id", "") for lane in section.iter("lane")} for section in sections]
        self.signals |= {signal.get("id", "") for signal in road.iter("signal")}
        self.signal_uses += ((f"road {name!r}", use.get("id", "")) for use in road.iter("signalReference"))
        for index, section in enumerate(sections):
            for lane in section.iter("lane"):
                self.lane_uses += _links(road, index, len(sections), lane)

    def missing(self) -> Iterator[str]:
        """What is named and not there."""
        yield from (f"{who} names signal {name!r}" for who, name in self.signal_uses if name not in self.signals)
        for who, road, index, lane in self.lane_uses:
            sections = self.lanes.get(road)
            if sections is not None and lane not in chain(
                *(sections if index is None else sections[index : index + 1])
            ):
                yield f"{who} goes on as lane {lane!r} of road {road!r}"


def _links(road: Element, index: int, count: int, lane: Element) -> Iterator[tuple[str, str, int | None, str]]:
    """Where a lane goes on: in the section beside its own or, at the road's ends, on the road beside it."""
    name, who = road.get("id", "?"), f"lane {lane.get('id')!r} of road {road.get('id')!r}"
    for side, step in zip(_SIDES, (-1, 1), strict=True):
        link, beyond = lane.find(f"link/{side}"), road.find(f"link/{side}")
        if link is None:
            continue
        if 0 <= index + step < count:
            yield who, name, index + step, link.get("id", "")
        elif beyond is not None and beyond.get("elementType") == "road":
            yield who, beyond.get("elementId", ""), None, link.get("id", "")


def _connections(name: str, junction: Element) -> Iterator[tuple[str, str, int | None, str]]:
    """The lanes that a junction joins."""
    for connection in junction.iter("connection"):
        for link in connection.iter("laneLink"):
            for road, lane in (("incomingRoad", "from"), ("connectingRoad", "to")):
                yield f"junction {name!r}", connection.get(road, ""), None, link.get(lane, "")


def missing_reference(xodr: str) -> str | None:
    """The first element that a text names and that is not in it, in words, or none.

    Raises:
        DataRefused: It cannot be read.
    """
    named = _Named()
    take_elements(xodr, named.take)
    found = next(named.missing(), None)
    return None if found is None else f"{found}, which is not there"
