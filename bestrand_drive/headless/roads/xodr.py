"""OpenDRIVE 1.4 text of a road network (ASAM OpenDRIVE 1.4, section 5), as LibCarla reads it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bestrand_drive.headless.roads.network import Junction, Network, Road, Signal
from bestrand_drive.headless.roads.sections import Kind, Lane
from bestrand_drive.headless.signal_types import LIGHT_TYPE

_HEADER = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<OpenDRIVE>\n'
    '<header revMajor="1" revMinor="4" name="{name}" version="1" north="0" south="0" east="0" west="0">'
    "<geoReference><![CDATA[+proj=tmerc +lat_0=0 +lon_0=0 +k=1 +x_0=0 +y_0=0 +datum=WGS84 +units=m]]>"
    "</geoReference></header>\n"
)
_STREET = '<type s="0" type="town"><speed max="50" unit="km/h"/></type>'
_OPEN_ROAD = '<type s="0" type="rural"><speed max="90" unit="km/h"/></type>'


def write(network: Network, name: str) -> str:
    """The whole text; the same network gives the same text."""
    parts = [_HEADER.format(name=name)]
    parts += [line + "\n" for road in network.roads for line in _road(road)]
    parts += [line + "\n" for junction in network.junctions for line in _controllers(junction)]
    parts += [line + "\n" for junction in network.junctions for line in _junction(junction)]
    return "".join([*parts, "</OpenDRIVE>\n"])


def road_length(metres: float) -> float:
    """A length a little above a number that float32 can hold, and below the geometry's own.

    LibCarla keeps the end of a lane as float32; where that is greater than the road's length, ``get_topology`` leaves
    lanes out without a word. A quarter of float32's step above such a number is rounded down to it.
    """
    below = np.nextafter(np.float32(metres - 2e-4), np.float32(0))
    return float(below) + float(np.spacing(below)) / 4


def _road(road: Road) -> Iterator[str]:
    length = road_length(road.curve.length)
    yield f'<road name="{road.id}" length="{length!r}" id="{road.id}" junction="{road.junction}">'
    yield f"<link>{_link('predecessor', road)}{_link('successor', road)}</link>"
    yield _OPEN_ROAD if road.fast else _STREET
    yield f"<planView>{''.join(_geometry(road))}</planView>"
    yield f"<elevationProfile>{''.join(_elevation(road))}</elevationProfile><lateralProfile/>"
    yield f'<lanes><laneOffset s="0" a="{road.section.offset:.4f}" b="0" c="0" d="0"/><laneSection s="0">'
    left = [_lane(road, index, lane) for index, lane in enumerate(road.section.left, 1)]
    yield f"<left>{''.join(reversed(left))}</left>" if left else ""
    yield f'<center><lane id="0" type="none" level="false">{_mark("solid")}</lane></center>'
    yield f"<right>{''.join(_lane(road, -i, lane) for i, lane in enumerate(road.section.right, 1))}</right>"
    yield "</laneSection></lanes>"
    yield f"<signals>{''.join(map(_signal, road.signals))}</signals></road>"


def _link(name: str, road: Road) -> str:
    link = road.before if name == "predecessor" else road.after
    if link is None:
        return ""
    contact = f' contactPoint="{link.contact}"' if link.contact else ""
    return f'<{name} elementType="{link.kind}" elementId="{link.id}"{contact}/>'


def _geometry(road: Road) -> Iterator[str]:
    s = 0.0
    for (x, y, _, heading), length, curvature in (piece for span in road.curve.spans for piece in span):
        shape = f'<arc curvature="{curvature:.10f}"/>' if curvature else "<line/>"
        place = f's="{s:.6f}" x="{x:.6f}" y="{y:.6f}" hdg="{heading:.10f}" length="{length:.6f}"'
        yield f"<geometry {place}>{shape}</geometry>"
        s += length


def _elevation(road: Road) -> Iterator[str]:
    s = 0.0
    for here, there, span in zip(road.curve.poses, road.curve.poses[1:], road.curve.spans, strict=False):
        length = sum(piece.length for piece in span)
        rise = (there.z - here.z) / length if length else 0.0
        yield f'<elevation s="{s:.6f}" a="{here.z:.5f}" b="{rise:.8f}" c="0" d="0"/>'
        s += length


def _lane(road: Road, lane_id: int, lane: Lane) -> str:
    side = road.section.left if lane_id > 0 else road.section.right
    outer = side[abs(lane_id)] if abs(lane_id) < len(side) else None
    crossable = not road.kept and lane.kind is Kind.DRIVING and outer is not None and outer.kind is Kind.DRIVING
    links = ""
    if road.lane_links is not None:
        links = f'<predecessor id="{road.lane_links[0]}"/><successor id="{road.lane_links[1]}"/>'
    elif road.after is not None and road.after.kind == "road" and lane_id == -1:
        links = '<successor id="-1"/>'
    return (
        f'<lane id="{lane_id}" type="{lane.kind.value}" level="false"><link>{links}</link>'
        f'<width sOffset="0" a="{lane.width:.4f}" b="0" c="0" d="0"/>{_mark("broken" if crossable else "solid")}</lane>'
    )


def _mark(kind: str) -> str:
    change = "both" if kind == "broken" else "none"
    return f'<roadMark sOffset="0" type="{kind}" weight="standard" color="white" width="0.12" laneChange="{change}"/>'


def _signal(signal: Signal) -> str:
    dynamic = "yes" if signal.type == LIGHT_TYPE else "no"
    return (
        f'<signal name="{signal.id}" id="{signal.id}" s="{signal.s:.4f}" t="{signal.t:.4f}" zOffset="0" hOffset="0" '
        f'roll="0" pitch="0" orientation="{"+" if signal.along else "-"}" dynamic="{dynamic}" country="OpenDRIVE" '
        f'type="{signal.type}" subtype="-1" value="-1" text="" height="1" width="1">'
        f'<validity fromLane="{signal.lanes[0]}" toLane="{signal.lanes[1]}"/></signal>'
    )


def _controllers(junction: Junction) -> Iterator[str]:
    for index, phase in enumerate(junction.phases):
        controls = "".join(f'<control signalId="{signal}" type=""/>' for signal in phase)
        name = f'name="{junction.id}-{index}" id="{_controller_id(junction, index)}" sequence="{index}"'
        yield f"<controller {name}>{controls}</controller>"


def _controller_id(junction: Junction, index: int) -> int:
    return junction.id * 10 + index


def _junction(junction: Junction) -> Iterator[str]:
    yield f'<junction id="{junction.id}" name="{junction.id}">'
    for index, way in enumerate(junction.connections):
        yield (
            f'<connection id="{index}" incomingRoad="{way.incoming}" connectingRoad="{way.connecting}" '
            f'contactPoint="start"><laneLink from="{way.lane}" to="-1"/></connection>'
        )
    for index in range(len(junction.phases)):
        yield f'<controller id="{_controller_id(junction, index)}" type="" sequence="{index}"/>'
    yield "</junction>"
