"""Speed limits of a town in km/h, per road, lane and place along the road.

The rule, in order: the lane's own record; the road's record; for a road inside a junction the limit of a road that it
joins; and without any record 30, 50 or 90 km/h by the road's type.
"""

from __future__ import annotations

from collections.abc import Sequence

from bestrand_drive.headless.maps.opendrive import Road, SpeedRecord

_SLOW_TYPES = frozenset({"lowSpeed", "townPlayStreet", "townPrivate", "pedestrian", "bicycle"})
_FAST_TYPES = frozenset({"rural", "motorway", "townArterial", "townExpressway"})
SLOW_KMH, TOWN_KMH, FAST_KMH = 30.0, 50.0, 90.0


class SpeedLimits:
    """Answers what the limit is at a place of a road."""

    def __init__(self, roads: dict[int, Road]) -> None:
        self._roads = roads

    def at(self, road_id: int, lane_id: int, s: float) -> float:
        """Limit in km/h of a lane, ``s`` metres along its road."""
        road = self._roads.get(road_id)
        if road is None:
            return TOWN_KMH
        found = _written(road, lane_id, s)
        if found is None and road.junction >= 0:
            found = self._of_neighbours(road)
        return _by_type(road, s) if found is None else found

    def _of_neighbours(self, road: Road) -> float | None:
        """First limit written for a road that ``road`` joins."""
        for neighbour_id in road.neighbours:
            neighbour = self._roads.get(neighbour_id)
            if neighbour is not None and neighbour.speeds:
                return neighbour.speeds[0].limit_kmh
        return None


def _written(road: Road, lane_id: int, s: float) -> float | None:
    """The limit that the file writes for the lane or for the road, if any."""
    lane = _latest(road.lane_speeds.get(lane_id, ()), s)
    return _latest(road.speeds, s) if lane is None else lane


def _latest(records: Sequence[SpeedRecord], s: float) -> float | None:
    """The last record that starts at or before ``s``."""
    found = None
    for record in records:
        if record.start_s <= s + 1e-6:
            found = record.limit_kmh
    return found


def _by_type(road: Road, s: float) -> float:
    """30, 50 or 90 km/h, by the type of the road at ``s``."""
    kinds = [kind for start, kind in road.types if start <= s + 1e-6]
    kind = kinds[-1] if kinds else ""
    if kind in _SLOW_TYPES:
        return SLOW_KMH
    return FAST_KMH if kind in _FAST_TYPES else TOWN_KMH
