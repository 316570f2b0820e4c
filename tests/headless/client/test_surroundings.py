"""The real client and what surrounds actors: weather, lamps, doors, physics, lights, refusals."""

import pytest

pytestmark = pytest.mark.client


def test_weather_lights_doors_and_physics_are_accepted(client):
    found = client("settings_of_the_world")
    assert found["weather"]
    assert not found["other_weather"]
    assert len({wanted for wanted, _, _ in found["lights"]}) == 3
    for wanted, own, listed in found["lights"]:
        assert own == listed == wanted
    assert found["wheels"] == 4
    assert found["mass"] == pytest.approx(2500)
    assert found["spectator"] < 0.01
    assert found["scenery"] == [0, 0]
    assert found["signs"]
    assert max(found["signs"]) < 3.0  # a plate over every sign


def test_what_is_not_emulated_is_an_error_that_says_so(client):
    told = client("refusals")
    assert not told["start_recorder"].startswith("error")
    for name in ("show_recorder_file_info", "replay_file"):
        assert told[name].startswith("error"), told
        assert f"{name} is not emulated by the headless server" in told[name]


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
    assert len({entry["light"] for entry in found}) == len(found) == 36
    for entry in found:
        assert entry["stops"], entry
        into = {tuple(lane) for stop in entry["stops"] for lane in stop["into"]}
        assert set(map(tuple, entry["lanes"])) == into, entry  # the ways through the junction
        for stop in entry["stops"]:
            assert stop["inside"], entry
            assert stop["before"], entry
            assert stop["at"], entry
            assert stop["state"], entry
            assert not stop["early"], entry
