"""OpenDRIVE 1.4 text of a road network (ASAM OpenDRIVE 1.4, section 5), as LibCarla reads it."""

from __future__ import annotations

from collections.abc import Iterator

from bestrand_drive.headless.roads import xodr_parts as parts
from bestrand_drive.headless.roads.network import Network, Road, Signal
from bestrand_drive.headless.roads.sections import Kind, Lane

_STREET = '<type s="0" type="town"><speed max="50" unit="km/h"/></type>'
_OPEN_ROAD = '<type s="0" type="rural"><speed max="90" unit="km/h"/></type>'


def write(network: Network, name: str) -> str:
    """The whole text; the same network gives the same text."""
    lines = [line for road in network.roads for line in _road(road)]
    lines += [line for junction in network.junctions for line in parts.controllers(junction)]
    lines += [line for junction in network.junctions for line in parts.junction_lines(junction)]
    return parts.header(name) + "\n".join([*lines, parts.END])


def _road(road: Road) -> Iterator[str]:
    length = parts.road_length(road.curve.length)
    yield f'<road name="{road.id}" length="{length!r}" id="{road.id}" junction="{road.junction}">'
    yield parts.links(road.before, road.after)
    yield _OPEN_ROAD if road.fast else _STREET
    yield parts.plan_view(road.curve)
    yield f"<elevationProfile>{''.join(_elevation(road))}</elevationProfile><lateralProfile/>"
    yield f'<lanes><laneOffset s="0" a="{road.section.offset:.4f}" b="0" c="0" d="0"/><laneSection s="0">'
    left = [_lane(road, index, lane) for index, lane in enumerate(road.section.left, 1)]
    yield f"<left>{''.join(reversed(left))}</left>" if left else ""
    yield parts.centre()
    yield f"<right>{''.join(_lane(road, -i, lane) for i, lane in enumerate(road.section.right, 1))}</right>"
    yield "</laneSection></lanes>"
    yield f"<signals>{''.join(map(_signal, road.signals))}</signals></road>"


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
    mark = parts.mark("broken" if crossable else "solid")
    links = ""
    if road.lane_links is not None:
        links = f'<predecessor id="{road.lane_links[0]}"/><successor id="{road.lane_links[1]}"/>'
    elif road.after is not None and road.after.kind == "road" and lane_id == -1:
        links = '<successor id="-1"/>'
    return (
        f'<lane id="{lane_id}" type="{lane.kind.value}" level="false"><link>{links}</link>'
        f'<width sOffset="0" a="{lane.width:.4f}" b="0" c="0" d="0"/>{mark}</lane>'
    )


def _signal(signal: Signal) -> str:
    return parts.signal(signal.id, signal.type, (signal.s, signal.t), signal.lanes, along=signal.along, value=-1)
