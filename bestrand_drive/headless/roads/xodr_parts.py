"""Pieces of OpenDRIVE 1.4 text (ASAM OpenDRIVE 1.4, section 5) that all writers of towns share, as LibCarla reads it.

Lengths in metres, headings in radians, y to the north.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bestrand_drive.headless.roads.curve import Curve
from bestrand_drive.headless.roads.network import Junction, Link
from bestrand_drive.headless.signal_types import LIGHT_TYPE

END = "</OpenDRIVE>\n"
_HEADER = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<OpenDRIVE>\n'
    '<header revMajor="1" revMinor="4" name="{name}" version="1" north="0" south="0" east="0" west="0">'
    "<geoReference><![CDATA[+proj=tmerc +lat_0=0 +lon_0=0 +k=1 +x_0=0 +y_0=0 +datum=WGS84 +units=m]]>"
    "</geoReference></header>\n"
)


def header(name: str) -> str:
    """The beginning of a town's file."""
    return _HEADER.format(name=name)


def road_length(metres: float) -> float:
    """A length a little above a number that float32 can hold, and below the geometry's own.

    LibCarla keeps the end of a lane as float32; where that is greater than the road's length, ``get_topology`` leaves
    lanes out without a word. A quarter of float32's step above such a number is rounded down to it.
    """
    below = np.nextafter(np.float32(metres - 2e-4), np.float32(0))
    return float(below) + float(np.spacing(below)) / 4


def links(before: Link | None, after: Link | None) -> str:
    """What a road's beginning and end meet."""
    return f"<link>{_link('predecessor', before)}{_link('successor', after)}</link>"


def _link(name: str, link: Link | None) -> str:
    if link is None:
        return ""
    contact = f' contactPoint="{link.contact}"' if link.contact else ""
    return f'<{name} elementType="{link.kind}" elementId="{link.id}"{contact}/>'


def plan_view(curve: Curve) -> str:
    """The lines and arcs of a road."""
    return f"<planView>{''.join(_geometry(curve))}</planView>"


def _geometry(curve: Curve) -> Iterator[str]:
    s = 0.0
    for (x, y, _, heading), length, curvature in (piece for span in curve.spans for piece in span):
        shape = f'<arc curvature="{curvature:.10f}"/>' if curvature else "<line/>"
        place = f's="{s:.6f}" x="{x:.6f}" y="{y:.6f}" hdg="{heading:.10f}" length="{length:.6f}"'
        yield f"<geometry {place}>{shape}</geometry>"
        s += length


def mark(kind: str) -> str:
    """The line on a lane's outer edge: "solid", or "broken" where lanes may be changed."""
    change = "both" if kind == "broken" else "none"
    return f'<roadMark sOffset="0" type="{kind}" weight="standard" color="white" width="0.12" laneChange="{change}"/>'


def centre() -> str:
    """The dividing line."""
    return f'<center><lane id="0" type="none" level="false">{mark("solid")}</lane></center>'


def signal(id_: int, kind: str, place: tuple[float, float], lanes: tuple[int, int], *, along: bool, value: int) -> str:
    """A light or sign.

    Args:
        id_: Unique in the file.
        kind: One of ``signal_types``.
        place: Metres along the road, and to its left.
        lanes: First and last lane that it rules.
        along: It is for the lanes that run along the road.
        value: The number on it, -1 for none.
    """
    dynamic = "yes" if kind == LIGHT_TYPE else "no"
    return (
        f'<signal name="{id_}" id="{id_}" s="{place[0]:.4f}" t="{place[1]:.4f}" zOffset="0" hOffset="0" '
        f'roll="0" pitch="0" orientation="{"+" if along else "-"}" dynamic="{dynamic}" country="OpenDRIVE" '
        f'type="{kind}" subtype="{value}" value="{value}" text="" height="1" width="1">'
        f'<validity fromLane="{lanes[0]}" toLane="{lanes[1]}"/></signal>'
    )


def controllers(junction: Junction) -> Iterator[str]:
    """A controller for each phase of a junction's lights."""
    for index, phase in enumerate(junction.phases):
        controls = "".join(f'<control signalId="{number}" type=""/>' for number in phase)
        name = f'name="{junction.id}-{index}" id="{_controller_id(junction, index)}" sequence="{index}"'
        yield f"<controller {name}>{controls}</controller>"


def _controller_id(junction: Junction, index: int) -> int:
    return junction.id * 10 + index


def junction_lines(junction: Junction) -> Iterator[str]:
    """A junction: its ways, all over lane -1 of their roads, and its controllers."""
    yield f'<junction id="{junction.id}" name="{junction.id}">'
    for index, way in enumerate(junction.connections):
        yield (
            f'<connection id="{index}" incomingRoad="{way.incoming}" connectingRoad="{way.connecting}" '
            f'contactPoint="start"><laneLink from="{way.lane}" to="-1"/></connection>'
        )
    for index in range(len(junction.phases)):
        yield f'<controller id="{_controller_id(junction, index)}" type="" sequence="{index}"/>'
    yield "</junction>"
