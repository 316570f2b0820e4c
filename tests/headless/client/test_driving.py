"""The test that matters: a driver of our own, half a kilometre through a town with traffic and sensors, twice."""

import math

import pytest

pytestmark = pytest.mark.client

METRES, START, VEHICLES, SEED = 500, 60, 15, 1


def test_a_driver_of_our_own_drives_half_a_kilometre_twice_alike(fresh_client):
    first, again = (fresh_client("drive", METRES, START, VEHICLES, SEED) for _ in range(2))
    _is_a_proper_drive(first)
    differing = [
        n for n, pair in enumerate(zip(first["trajectory"], again["trajectory"], strict=False)) if pair[0] != pair[1]
    ]
    assert differing == []
    assert first == again  # whatever the client saw: others, lights, readings of every sensor


def _is_a_proper_drive(found):
    path = [row[:2] for row in found["trajectory"]]
    assert sum(map(math.dist, path, path[1:])) >= METRES - 1
    assert found["collisions"] == []
    assert "vehicle.tesla.model3" in found["bumped"]  # so its sensor was not deaf
    assert found["aside_m"] < 1.5  # of the middle of its lane
    assert found["junctions"] >= 4
    assert found["forks"] >= 4
    assert len(found["stopped_at"]) >= 1
    assert len(found["crossed"]) >= 4
    assert "Red" not in found["crossed"]
    assert found["at_light_ticks"] > 20
    assert len(found["others"]) == VEHICLES
    assert sum(metres > 20 for metres in found["others_m"]) >= VEHICLES // 2
    ticks = len(found["trajectory"]) + 1
    readings = found["readings"]
    assert (readings["gnss"], readings["imu"]) == (ticks, ticks)
    assert readings["lidar"] == (ticks + 1) // 2
