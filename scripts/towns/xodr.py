"""OpenDRIVE 1.4 text of a town (ASAM OpenDRIVE 1.4, section 5), as CARLA reads it."""

from __future__ import annotations

from collections.abc import Iterator

from bestrand_drive.headless.roads import xodr_parts as parts
from towns.network import DRIVING, Crosswalk, Cut, Lane, Road, Signal, Town

_ZEBRA_M = 1.5
"""Half the width of a zebra, along the road."""


def write(town: Town) -> str:
    """The whole text; the same town gives the same text."""
    lines = [line for road in town.roads.values() for line in _road(road)]
    lines += [line for junction in town.junctions for line in parts.controllers(junction)]
    lines += [line for junction in town.junctions for line in parts.junction_lines(junction)]
    return parts.header(town.name) + "\n".join([*filter(None, lines), parts.END])


def _number(value: float) -> str:
    """At most six digits after the point."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _road(road: Road) -> Iterator[str]:
    length = parts.road_length(road.length)
    yield f'<road name="{road.name}" length="{length!r}" id="{road.id}" junction="{road.junction}">'
    yield parts.links(road.before, road.after)
    yield f'<type s="0" type="{road.kind}"><speed max="{road.kmh}" unit="km/h"/></type>'
    yield parts.plan_view(road.curve)
    yield '<elevationProfile><elevation s="0" a="0" b="0" c="0" d="0"/></elevationProfile><lateralProfile/>'
    yield f'<lanes><laneOffset s="0" a="{_number(road.offset)}" b="0" c="0" d="0"/>'
    for index, cut in enumerate(road.cuts):
        yield from _section(road, index, cut)
    yield "</lanes>"
    yield f"<objects>{''.join(map(_crosswalk, road.crosswalks))}</objects>" if road.crosswalks else ""
    yield f"<signals>{''.join(map(_signal, road.signals))}</signals>" if road.signals else ""
    yield "</road>"


def _section(road: Road, index: int, cut: Cut) -> Iterator[str]:
    yield f'<laneSection s="{_number(cut.s)}">'
    left = [_lane(road, index, number, lane) for number, lane in enumerate(cut.left, 1)]
    yield f"<left>{''.join(reversed(left))}</left>" if left else ""
    yield parts.centre()
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
        f"{parts.mark('broken' if lane.kind == outer == DRIVING else 'solid')}</lane>"
    )


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
    value = signal.value or -1
    return parts.signal(signal.id, signal.type, (signal.s, signal.t), signal.lanes, along=signal.along, value=value)
