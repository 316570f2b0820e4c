"""The real client and actors: spawning, batches."""

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


def test_chained_commands_are_run_on_the_new_actor(client):
    found = client("chained")
    assert found["pedals"]["moved_m"] > 1
    assert found["velocity"]["moved_m"] > 3
    assert found["none"]["moved_m"] < 0.1
    assert found["lamps"]["moved_m"] < 0.1  # of several controls the last is in force
    assert found["lights"] != 0
    assert [found[name]["lights"] for name in ("pedals", "velocity", "lamps", "none")] == [0, 0, found["lights"], 0]
