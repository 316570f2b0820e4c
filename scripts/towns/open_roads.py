"""Routes on the motorway: exits, merges and cut-ins from on-ramps."""

from __future__ import annotations

from collections.abc import Iterator

from towns import highway
from towns.drafts import Draft, Parameters, draw, interval, place
from towns.network import Town
from towns.paths import Change, spot

_SIDES = ("outer1", "inner2", "outer2", "inner1")


def drafts(towns: dict[str, Town]) -> Iterator[Draft]:
    """All routes of these types."""
    town = towns[highway.NAME]
    for number, side in enumerate(_SIDES):
        yield _cut_in(town, number, side)
    for number, side in enumerate(_SIDES):
        yield _exit(town, number, side)
    for number, side in enumerate(_SIDES):
        yield _merge(town, number, side)


def _cut_in(town: Town, number: int, side: str) -> Draft:
    """On the right lane past an on-ramp."""
    before = (44.0, 40.0, 70.0, 90.0)[number]
    parameters = place("other_actor_location", spot(town, f"{side}.slow", -1, -(20.0 + 5 * number)))
    parameters |= place("end_location", spot(town, f"{side}.merging", -3, 60.0))
    start = spot(town, f"{side}.between", -3, -before)
    return Draft(town.name, "HighwayCutIn", start, 114.0 + 30 * (number // 2), 10.0, parameters)


def _exit(town: Town, number: int, side: str) -> Draft:
    """From the middle lane across the right one to the exit."""
    begin = (60.0, 56.0, 50.0, 64.0)[number]
    start = spot(town, f"{side}.leaving", -2, begin)
    parameters = place("start_actor_flow", spot(town, f"{side}.leaving", -3, begin - 10.0))
    parameters |= place("end_actor_flow", spot(town, f"{side}.between", -3, 100.0))
    parameters |= _traffic("HighwayExit", number, (12.0, 19.0), (15, 21), (30, 42))
    return Draft(town.name, "HighwayExit", start, 220.0, 6.0, parameters, ("straight",), (Change(24.0, -2, 50.0),))


def _merge(town: Town, number: int, side: str) -> Draft:
    """From an on-ramp by the merge lane into slow traffic."""
    before = (50.0, 40.0, 60.0, 46.0)[number]
    start = spot(town, f"{side}.slow", -1, -before)
    parameters = place("start_actor_flow", spot(town, f"{side}.between", -3, -60.0))
    parameters |= place("end_actor_flow", spot(town, f"{side}.merging", -3, 190.0))
    parameters |= _traffic("MergerIntoSlowTraffic", number, (7.0, 10.0), (10, 16), (22, 34))
    change = Change(before + 70.0, 1, 40.0)
    return Draft(town.name, "MergerIntoSlowTraffic", start, before + 180.0, 6.0, parameters, (), (change,))


def _traffic(
    name: str, number: int, speeds: tuple[float, float], least: tuple[int, int], most: tuple[int, int]
) -> Parameters:
    gaps = interval(name, number, "source_dist_interval", least, most)
    return draw(name, number, {"flow_speed": speeds}) | gaps
