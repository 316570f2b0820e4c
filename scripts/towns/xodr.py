"""OpenDRIVE 1.4 text of a town (ASAM OpenDRIVE 1.4, section 5), as CARLA reads it."""

from __future__ import annotations

from collections.abc import Iterator

from bestrand_drive.headless.roads.xodr import road_length
from bestrand_drive.headless.signal_types import LIGHT_TYPE
from towns.network import DRIVING, Crosswalk, Cut, Junction, Lane, Link, Road, Signal, Town

_HEADER = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<OpenDRIVE>\n'
    '<header revMajor="1" revMinor="4" name="{name}" version="1" north="0" south="0" east="0" west="0">'
    "<geoReference><![CDATA[+proj=tmerc +lat_0=0 +lon_0=0 +k=1 +x_0=0 +y_0=0 +datum=WGS84 +units=m]]>"
    "</geoReference></header>\n"
)
_ZEBRA_M = 1.5
"""Half the width of a zebra, along the road."""


def write(town: Town) -> str:
    """The whole text; the same town gives the same text."""
    lines = [line for road in town.roads.values() for line in _road(road)]
    lines += [line for junction in town.junctions for line in _controllers(junction)]
    lines += [line for junction in town.junctions for line in _junction(junction)]
    return _HEADER.format(name=town.name) + "\n".join([*filter(None, lines), "</OpenDRIVE>\n"])


def _number(value: float) -> str:
    """At most six digits after the point."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _road(road: Road) -> Iterator[str]:
    length = road_length(road.length)
    yield f'<road name="{road.name}" length="{length!r}" id="{road.id}" junction="{road.junction}">'
    yield f"<link>{_link('predecessor', road.before)}{_link('successor', road.after)}</link>"
    yield f'<type s="0" type="{road.kind}"><speed max="{road.kmh}" unit="km/h"/></type>'
    yield f"<planView>{''.join(_geometry(road))}</planView>"
    yield '<elevationProfile><elevation s="0" a="0" b="0" c="0" d="0"/></elevationProfile><lateralProfile/>'
    yield f'<lanes><laneOffset s="0" a="{_number(road.offset)}" b="0" c="0" d="0"/>'
    for index, cut in enumerate(road.cuts):
        yield from _section(road, index, cut)
    yield "</lanes>"
    yield f"<objects>{''.join(map(_crosswalk, road.crosswalks))}</objects>" if road.crosswalks else ""
    yield f"<signals>{''.join(map(_signal, road.signals))}</signals>" if road.signals else ""
    yield "</road>"


def _link(name: str, link: Link | None) -> str:
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


def _section(road: Road, index: int, cut: Cut) -> Iterator[str]:
    yield f'<laneSection s="{_number(cut.s)}">'
    left = [_lane(road, index, number, lane) for number, lane in enumerate(cut.left, 1)]
    yield f"<left>{''.join(reversed(left))}</left>" if left else ""
    yield f'<center><lane id="0" type="none" level="false">{_mark("solid")}</lane></center>'
    yield f"<right>{''.join(_lane(road, index, -number, lane) for number, lane in enumerate(cut.right, 1))}</right>"
    yield "</laneSection>"


def _lane(road: Road, index: int, lane_id: int, lane: Lane) -> str:
    side = road.cuts[index].left if lane_id > 0 else road.cuts[index].right
    outer = side[abs(lane_id)].kind if abs(lane_id) < len(side) else ""
    before, after = road.ends.get(lane_id, (0, 0))
    before = before if index == 0 else lane_id
    after = after if index == len(road.cuts) - 1 else lane_id
    links = (f'<predecessor id="{before}"/>' if before else "") + (f'<successor id="{after}"/>' if after else "")
    return (
        f'<lane id="{lane_id}" type="{lane.kind}" level="false"><link>{links}</link>'
        f'<width sOffset="0" a="{_number(lane.width)}" b="{lane.slope:.8g}" c="0" d="0"/>'
        f"{_mark('broken' if lane.kind == outer == DRIVING else 'solid')}</lane>"
    )


def _mark(kind: str) -> str:
    change = "both" if kind == "broken" else "none"
    return f'<roadMark sOffset="0" type="{kind}" weight="standard" color="white" width="0.12" laneChange="{change}"/>'


def _crosswalk(zebra: Crosswalk) -> str:
    near, far = zebra.ahead - _ZEBRA_M, zebra.ahead + _ZEBRA_M
    corners = ((near, zebra.right), (far, zebra.right), (far, zebra.left), (near, zebra.left), (near, zebra.right))
    outline = "".join(f'<cornerLocal u="{_number(u)}" v="{_number(v)}" z="0"/>' for u, v in corners)
    return (
        f'<object id="{zebra.id}" name="SimpleCrosswalk" type="crosswalk" s="{_number(zebra.s)}" t="0" zOffset="0" '
        f'hdg="0" roll="0" pitch="0" orientation="none" width="{2 * _ZEBRA_M:g}" '
        f'length="{_number(zebra.left - zebra.right)}"><outline>{outline}</outline></object>'
    )


def _signal(signal: Signal) -> str:
    dynamic, value = "yes" if signal.type == LIGHT_TYPE else "no", signal.value or -1
    return (
        f'<signal name="{signal.id}" id="{signal.id}" s="{signal.s:.4f}" t="{signal.t:.4f}" zOffset="0" hOffset="0" '
        f'roll="0" pitch="0" orientation="{"+" if signal.along else "-"}" dynamic="{dynamic}" country="OpenDRIVE" '
        f'type="{signal.type}" subtype="{value}" value="{value}" text="" height="1" width="1">'
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
