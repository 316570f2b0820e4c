"""Faults of OpenDRIVE text that make the carla library end the whole process instead of raising."""

from __future__ import annotations

import math
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from bestrand_drive.errors import DataRefused

_POSITIONS = {"s", "sOffset", "x", "y", "hdg", "a", "b", "c", "d", "t"}
"""Attributes that hold plain numbers wherever they stand inside a road."""


def check_road(road: Element) -> None:
    """Refuse a road that carla's own parser does not survive.

    Raises:
        DataRefused: No geometry, a length that is not a positive number, a number that is none, or a lane without a
            whole-number id; the road is named.
    """
    for fault in _faults(road):
        raise DataRefused(f"OpenDRIVE road {road.get('id', '?')[:40]!r}: {fault}.")


def _faults(road: Element) -> Iterator[str]:
    geometries = road.findall("planView/geometry")
    if not geometries:
        yield "it has no geometry"
    for element in (road, *geometries):
        length = _number(element.get("length"))
        if not (length > 0 or (element is not road and length == 0)):
            yield f"length {element.get('length')!r} of <{element.tag}> is not a positive number"
    for element in road.iter():
        for name in _POSITIONS & element.attrib.keys():
            if not math.isfinite(_number(element.attrib[name])):
                yield f"{name}={element.attrib[name][:40]!r} of <{element.tag}> is not a finite number"
        if element.tag == "lane" and not element.get("id", "").lstrip("-").isdecimal():
            yield f"lane id {element.get('id', '')[:40]!r} is not a whole number"


def _number(text: str | None) -> float:
    """A number; NaN when it is none."""
    try:
        value = float(text or "nan")
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan
