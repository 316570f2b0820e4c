"""Faults of OpenDRIVE text that make the carla library end the whole process instead of raising."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain
from xml.etree.ElementTree import Element

from bestrand_drive.errors import DataRefused

FARTHEST_M = 1e6
"""Places and lengths beyond are refused; the world holds none, and carla walks along every road in small steps."""
MOST_LANES = 1000
"""On each side of a road."""
_POSITIONS = {"s", "sOffset", "x", "y", "hdg", "a", "b", "c", "d", "t"}
"""Attributes that hold plain numbers wherever they stand inside a road."""
_LENGTHS = {"s", "sOffset", "x", "y", "t"}
"""Those of them that are metres."""
_SHAPES = {"line", "arc", "spiral", "poly3", "paramPoly3"}
_CURVED = ("arc", "spiral", "paramPoly3")
"""Shapes that carla divides by; zeros give it no place at all."""
_STARTS = ("planView/geometry", "lanes/laneOffset")
"""What must be there from the road's beginning on, if it is there at all."""


def check_road(road: Element) -> None:
    """Refuse a road that carla's own parser does not survive.

    Raises:
        DataRefused: The road is named, and the first thing in it that cannot be.
    """
    for fault in chain(_planned_badly(road), _no_numbers(road), _no_lanes(road)):
        raise DataRefused(f"OpenDRIVE road {road.get('id', '?')[:40]!r}: {fault}.")


def _planned_badly(road: Element) -> Iterator[str]:
    """Faults of the road's line."""
    geometries = road.findall("planView/geometry")
    if not geometries:
        yield "it has no geometry"
    for element in (road, *geometries):
        length, may_be_zero = _number(element.get("length")), element is not road
        if not (0 < length <= FARTHEST_M or (may_be_zero and length == 0)):
            text = (element.get("length") or "")[:40]
            yield f"length {text!r} of <{element.tag}> is not a positive number up to {FARTHEST_M:g}"
    if any(_SHAPES.isdisjoint(part.tag for part in geometry) for geometry in geometries):
        yield f"a <geometry> is none of {', '.join(sorted(_SHAPES))}"
    for geometry in geometries:
        for name in _CURVED:
            for shape in geometry.findall(name):
                yield from _not_curved(shape)
    for path in _STARTS:
        first = min((_number(element.get("s")) for element in road.findall(path)), default=0.0)
        if first > 0:
            yield f"its first <{path.rpartition('/')[2]}> begins at s={first:g}, not at 0"


def _not_curved(shape: Element) -> Iterator[str]:
    """Parameters of a curve that describe none."""
    values = {name: _number(text) for name, text in shape.items() if name != "pRange"}
    for name, value in values.items():
        if not math.isfinite(value):
            yield f"{name}={shape.attrib[name][:40]!r} of <{shape.tag}> is not a finite number"
    if not any(values.values()):
        yield f"an <{shape.tag}> has no parameter but zeros"


def _no_numbers(road: Element) -> Iterator[str]:
    """Attributes that are no numbers, or too large ones."""
    for element in road.iter():
        for name in _POSITIONS & element.attrib.keys():
            value, where = _number(element.attrib[name]), f"{name}={element.attrib[name][:40]!r} of <{element.tag}>"
            if not math.isfinite(value):
                yield f"{where} is not a finite number"
            if name in _LENGTHS and abs(value) > FARTHEST_M:
                yield f"{where} is beyond {FARTHEST_M:g} m"


def _no_lanes(road: Element) -> Iterator[str]:
    """Numbers of lanes that are none, or too large ones."""
    for lane in road.iter("lane"):
        text = lane.get("id", "")
        if not (text.lstrip("-").isdecimal() and abs(_number(text)) <= MOST_LANES):
            yield f"lane id {text[:40]!r} is not a whole number up to {MOST_LANES}"
    for validity in road.iter("validity"):
        for name in ("fromLane", "toLane"):
            if abs(_number(validity.get(name))) > MOST_LANES:
                yield f"{name}={validity.attrib[name][:40]!r} is beyond {MOST_LANES} lanes"


def _number(text: str | None) -> float:
    """A number; NaN when it is none."""
    try:
        value = float(text or "nan")
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan
