"""What the rules ask of the map, on made-up lanes along x."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest

carla = pytest.importorskip("carla")

from bestrand_drive.evaluator.zones import MapLooks  # noqa: E402


class ToyMap:
    """One driving lane around y = 0 and perhaps a parking lane beside it, maybe with something between."""

    def __init__(self, driving_m, parking):
        self.lanes = {carla.LaneType.Driving: (0.0, driving_m)} | ({carla.LaneType.Parking: parking} if parking else {})

    def get_waypoint(self, location, lane_type=carla.LaneType.Driving):
        if lane_type not in self.lanes:
            return None
        y, width = self.lanes[lane_type]
        place = carla.Transform(carla.Location(location.x, y, 0.0), carla.Rotation())
        return SimpleNamespace(transform=place, lane_width=width, road_id=1, lane_id=-1, is_junction=False)


def by_the_rule(lanes, y):
    """Leaderboard 2.0: the nearer of the two lanes, driving only if it is strictly nearer, holds up to 0.5 m more."""
    apart_m, width = min(
        ((abs(y - centre), width) for centre, width in reversed(lanes.values())), key=lambda one: one[0]
    )
    return apart_m > width / 2 + 0.5


@pytest.mark.parametrize("seed", range(20))
def test_off_the_road(seed):
    """Also with a pavement or a kerb between both lanes, where the parking lane may be nearer and too narrow."""
    rng, found = random.Random(seed), set()
    for _ in range(300):
        driving_m, width = rng.uniform(2.5, 4.0), rng.uniform(0.0, 2.5)
        between_m = rng.choice((0.0, rng.uniform(0.0, 2.0)))
        parking = rng.choice((None, (driving_m / 2 + between_m + width / 2, width)))
        road, y = ToyMap(driving_m, parking), rng.uniform(-4.0, 6.0)
        off = MapLooks(road).look((3.0, y, 0.0))[1]
        assert off is by_the_rule(road.lanes, y), (driving_m, parking, y)
        found.add(off)
    assert found == {True, False}
