"""Several real clients at one server, at once and one after another."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.ports import free_ports

pytestmark = pytest.mark.client


def test_a_client_that_died_leaves_its_world_to_the_next(client):
    car = client("crash_while_listening", code=-9)
    found = client("after_the_crash", car)
    assert (found["role"], found["synchronous"], found["frames"]) == ("left behind", True, 40)
    assert found["driven_m"] > 2


def test_after_a_client_was_killed_amid_ticks_another_drives_its_traffic(client):
    port = free_ports(1)
    cars = client("crash_amid_ticks", port, code=-9)
    found = client("takes_traffic_over", port, cars)
    assert len(found["driven_m"]) == len(cars) == 5
    assert found["before"] < 0.01
    assert sum(metres > 3 for metres in found["driven_m"]) >= 4  # one may wait behind another


def test_two_clients_see_and_hear_the_same(client):
    with ThreadPoolExecutor(2) as both:
        one, other = (both.submit(client, name) for name in ("first_of_two", "second_of_two"))
        first, second = one.result(), other.result()
    assert sorted(first["cars"]) == sorted(second["cars"])
    assert first["walkers"] == second["walkers"]
    assert first["places"].keys() == second["places"].keys()
    for car, place in first["places"].items():
        assert place == pytest.approx(second["places"][car], abs=0.01)
    heard = dict(first["heard"])
    shared = [frame for frame, _ in second["heard"] if frame in heard]
    assert len(shared) > 10
    assert all(said == heard[frame] for frame, said in second["heard"] if frame in heard)
    assert first["cloudiness"] == pytest.approx(37.0)


def test_new_episodes_amid_callbacks_do_not_end_the_client(client):
    """The client is known to abort where two of its subscriptions have one name; here they never have."""
    assert client("new_episodes_amid_callbacks", 10) == 10
    assert client.faults == []
