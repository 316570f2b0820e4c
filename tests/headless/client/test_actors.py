"""The real client and actors: spawning, batches, controls, settings, lights."""

import pytest

pytestmark = pytest.mark.client

OVERLAP = "Spawn failed because of collision at spawn position"


def test_actors_come_and_go(client):
    found = client("population")
    assert found["attributes"] == ["hero", "255,0,0", "vehicle.tesla.model3"]
    assert all(2.6 > half > 0.5 for half in found["extent"])
    assert found["off_by_m"] < 0.5
    assert found["overlap"] == OVERLAP
    assert found["tried"]
    assert found["parent"]
    assert found["listed"] == [True, True]
    assert found["destroyed"]
    assert found["left"] == [False, False]  # its sensor went with it
    assert found["new_id"]


def test_a_batch_spawns_vehicles_that_drive_by_themselves(client):
    found = client("batch")
    assert found["errors"] == [""] * 10 + [OVERLAP]
    assert sum(metres > 3 for metres in found["driven_m"]) >= 7  # others may wait at a light
    assert found["destroyed"][:10] == [""] * 10
    assert "not found" in found["destroyed"][10]
    assert found["left"] == 0


def test_a_batch_that_ticks_while_sensors_listen(client):
    found = client("batch_with_tick")
    assert found["frames"] == 21
    assert found["heard"] == [21, 21]
    assert found["vehicles"] == 21


def test_a_vehicle_obeys_its_pedals(client):
    found = client("driving_by_hand")
    assert found["throttle"]["ahead_m"] > 5
    assert found["throttle"]["speed"] > 3
    assert found["brake"]["speed"] == pytest.approx(0, abs=0.01)
    assert 0 < found["brake"]["ahead_m"] < found["throttle"]["ahead_m"]
    assert found["reverse"]["ahead_m"] < -2
    assert found["reverse"]["speed"] < -1
    assert found["hand brake"]["speed"] == pytest.approx(0, abs=0.01)
    assert found["right"]["turned_deg"] > 5  # yaw grows to the right
    assert abs(found["throttle"]["turned_deg"]) < 0.01
    assert found["throttle"]["shown"] == [pytest.approx(0.6), 0, False, False]
    assert found["reverse"]["shown"] == [pytest.approx(0.4), 0, True, False]
    assert found["hand brake"]["shown"] == [0, 0, False, True]
    assert 20 < found["speed_limit"] < 100


def test_walkers_walk_as_told(client):
    found = client("walking")
    assert found["along x"] == pytest.approx([3.0, 0.0, 1.5, 1.5], abs=0.05)
    assert found["along -y"] == pytest.approx([0.0, -6.0, 3.0, 3.0], abs=0.05)
    assert found["stand"] == pytest.approx([0.0, 0.0, 0.0, 0.0], abs=0.01)


def test_weather_lights_doors_and_physics_are_accepted(client):
    found = client("settings_of_the_world")
    assert found["weather"]
    assert found["lights"]
    assert found["listed"]
    assert found["wheels"] == 4
    assert found["mass"] == pytest.approx(2500)
    assert found["spectator"] < 0.01
    assert found["scenery"] == [0, 0]


def test_traffic_lights_take_turns_and_can_be_set_and_frozen(client):
    found = client("traffic_lights")
    assert found["lights"] == 36
    assert found["grouped"]
    assert found["times"] == [1.0, 0.5, 0.25]
    shown = [tuple(states) for states in found["cycle"]]
    assert all(states.count("Red") >= len(states) - 1 for states in shown)  # never two at once
    runs = [(states, count) for states, count in _runs(shown) if set(states) != {"Red"}]
    assert {states for states, _ in runs} == {  # each is green, then yellow
        tuple(colour if n == turn else "Red" for n in range(3)) for turn in range(3) for colour in ("Green", "Yellow")
    }
    assert {count for states, count in runs[1:-1] if "Green" in states} == {20}
    assert {count for states, count in runs[1:-1] if "Yellow" in states} == {10}
    assert {count for states, count in list(_runs(shown))[1:-1] if set(states) == {"Red"}} == {5}
    assert found["frozen"] == ["Green", True, 1]
    assert found["again"][0] is False


def _runs(shown):
    """Consecutive equal states and how long they last."""
    found = []
    for states in shown:
        if found and found[-1][0] == states:
            found[-1][1] += 1
        else:
            found.append([states, 1])
    return [(states, count) for states, count in found]


def test_every_light_stops_the_lane_before_its_junction(client):
    found = client("stop_lines")
    assert len({entry["light"] for entry in found}) == 36
    for entry in found:
        assert entry["inside"], entry
        assert entry["before_junction"], entry
        assert entry["at"], entry
        assert entry["state"], entry
        assert not entry["early"], entry
        assert entry.get("affected", True), entry
