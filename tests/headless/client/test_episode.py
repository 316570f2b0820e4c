"""The real client and the episode: versions, towns, ticks, free running, other clients."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from tests.headless.client.facts import BENCHMARK_BLUEPRINTS, own_road

pytestmark = pytest.mark.client


def test_the_server_says_what_it_is(server):
    for part in ("headless", "not CARLA's", "127.0.0.1", str(server.port), "0.9.16", "Town01"):
        assert part in server.first_line


def test_versions_towns_blueprints_and_spawn_points(client):
    found = client("identity")
    assert found["versions"] == ["0.9.16", "0.9.16"]
    assert "/Game/Carla/Maps/Town01" in found["maps"]
    assert found["map"] == "Carla/Maps/Town01"
    assert found["road_bytes"] > 900_000
    assert len(found["blueprints"]) == len(set(found["blueprints"])) > 200
    assert set(found["blueprints"]) >= BENCHMARK_BLUEPRINTS
    assert found["on_road"] == found["spawn_points"] > 100
    assert found["spectator"] == "spectator"


def test_a_tick_is_one_frame_and_exactly_one_step(client):
    stamps = client("ticking")
    assert all(answered == shown for answered, shown, _, _ in stamps)
    for before, after in pairwise(stamps):
        assert after[0] - before[0] == 1
        assert after[2] - before[2] == pytest.approx(0.05, abs=1e-9)
        assert after[3] == pytest.approx(0.05, abs=1e-8)


def test_asynchronous_mode_runs_by_itself(client):
    found = client("free_running")
    steps = {after - before for before, after in pairwise(found["frames"])}
    assert steps
    assert min(steps) >= 1
    assert 0.5 < found["simulated_s"] < 4.0  # two seconds of the wall's clock, on a busy machine fewer
    assert found["driven_m"] > 0.5


def test_towns_are_changed_refused_and_made(client):
    found = client("towns", own_road())
    assert found["second"][:2] == ["Carla/Maps/Town02", 1]
    assert "Atlantis" in found["unknown"]
    assert "Town01" in found["unknown"]
    assert found["still"]
    assert found["own"][0].endswith("OpenDriveMap")
    assert found["own"][1:3] == [1, 1]  # as the same text gives in an offline carla.Map
    ahead, aside, _ = found["own_moved"]
    assert ahead > 5
    assert abs(aside) < 0.1
    assert found["back"][:2] == ["Carla/Maps/Town01", 0]
    assert len({found[name][-1] for name in ("second", "own", "back")}) == 3


def test_a_client_that_died_leaves_its_world_to_the_next(client):
    car = client("crash_while_listening", code=-9)
    found = client("after_the_crash", car)
    assert (found["role"], found["synchronous"], found["frames"]) == ("left behind", True, 40)
    assert found["driven_m"] > 2


def test_two_clients_see_the_same_actors(client):
    with ThreadPoolExecutor(2) as both:
        one, other = (both.submit(client, name) for name in ("first_of_two", "second_of_two"))
        first, second = one.result(), other.result()
    assert sorted(first["cars"]) == sorted(second["cars"])
    assert first["walkers"] == second["walkers"]
    assert first["places"].keys() == second["places"].keys()
    for car, place in first["places"].items():
        assert place == pytest.approx(second["places"][car], abs=0.01)
