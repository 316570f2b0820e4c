"""The real client and the episode: versions, ticks, free running, settings, towns."""

from itertools import pairwise

import pytest

from tests.headless.client.facts import BENCHMARK_BLUEPRINTS, own_road

pytestmark = pytest.mark.client


def test_the_server_says_what_it_is(server, release):
    for part in ("headless", "not CARLA's", "127.0.0.1", str(server.port), release.version, "Town01"):
        assert part in server.first_line


def test_versions_towns_blueprints_and_spawn_points(client, release):
    found = client("identity")
    assert found["versions"] == [release.version, release.version]
    assert "/Game/Carla/Maps/Town01" in found["maps"]
    assert found["map"] == "Carla/Maps/Town01"
    assert found["road_bytes"] > 900_000
    assert len(found["blueprints"]) == len(set(found["blueprints"])) > 200
    assert set(found["blueprints"]) >= BENCHMARK_BLUEPRINTS
    assert found["on_road"] == found["spawn_points"] > 100
    assert found["spectator"] == "spectator"


def test_a_tick_is_one_frame_and_exactly_one_step_and_nothing_happens_between(client):
    found = client("ticking")
    assert all(answered == shown for answered, shown, _, _ in found["stamps"])
    for before, after in pairwise(found["stamps"]):
        assert after[0] - before[0] == 1
        assert after[2] - before[2] == pytest.approx(0.05, abs=1e-9)
        assert after[3] == pytest.approx(0.05, abs=1e-8)
    assert (found["by_itself"], found["next"], found["mode"]) == (0, 1, [True, 0.0])


def test_asynchronous_mode_runs_by_itself(client):
    found = client("free_running")
    assert not found["synchronous"]
    assert found["frames"] >= len(found["steps"]) > 5
    assert found["steps"] == pytest.approx([0.05] * len(found["steps"]))
    assert found["simulated_s"] == pytest.approx(0.05 * found["frames"], abs=1e-6)
    assert 0.5 < found["simulated_s"] < 4.0  # two seconds of the wall's clock, on a busy machine fewer
    assert found["driven_m"] > 0.5


def test_settings_act_and_are_the_same_for_all(client):
    assert client("settings") == [
        [True, pytest.approx(0.1), True, pytest.approx(0.1)],
        [True, pytest.approx(0.02), False, pytest.approx(0.02)],
    ]


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


def test_a_town_loaded_again_is_empty_and_keeps_its_settings_if_told_so(client):
    first, kept, reset = client("reloading")
    assert [state[0] for state in (first, kept, reset)] == ["Carla/Maps/Town02"] * 3
    assert [state[1] for state in (first, kept, reset)] == [True, True, False]
    assert [state[2] for state in (first, kept, reset)] == [0, 0, 0]  # each time a vehicle was spawned after counting
    assert first[3] < kept[3] < reset[3]


def test_rays_find_the_road_and_nothing_else(client):
    found = client("probing")
    x, y, z = found["road"]
    assert found["cast"] == [[pytest.approx([x, y, z], abs=0.2), "Roads"]]
    assert (found["cast_aside"], found["cast_short"]) == (0, 0)
    for name in ("projected", "ground"):
        assert found[name] == [pytest.approx([x, y, z], abs=0.2), "Roads"]
    assert [found[name] for name in ("upwards", "too_short", "ground_aside")] == [None] * 3
    height = found["place"][2] - z
    along = [a + 2 * height * b for a, b in zip(found["place"][:2], found["ahead"][:2], strict=True)]
    assert found["slanting"][0] == pytest.approx([*along, z], abs=0.5)  # one down, two ahead
