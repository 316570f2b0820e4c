"""The real client moves actors: pedals, Ackermann targets, held velocities, pushes, walking, transforms."""

import pytest

pytestmark = pytest.mark.client


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


@pytest.mark.parametrize("speed", [4.0, 9.0])
def test_ackermann_targets_are_reached_and_pedals_end_them(client, speed):
    found = client("ackermann", speed)
    assert found["speed"] == pytest.approx(speed, abs=0.3)
    assert found["turned_deg"] > 2
    assert 3 < found["wheel_deg"] < 20  # a target of 0.1 rad for the bicycle's wheel
    assert found["gain"] != pytest.approx(0.25)
    assert found["gain_set"] == pytest.approx(0.25)
    assert found["after"] < 0.1


def test_a_constant_velocity_is_held_against_the_brake_until_it_is_let_go(client):
    found = client("held_velocity", 6.0, 40)
    assert found["speed"] == pytest.approx(6.0, abs=0.01)
    assert found["way_m"] == pytest.approx(found["expected_m"], abs=0.05)
    assert found["after"] < 0.1


def test_pushes_change_speed_and_heading_as_much_as_they_should(client):
    found = client("pushes", 5.0)
    assert found["nothing"] == {"speed": pytest.approx(0, abs=0.01), "turned_deg": pytest.approx(0, abs=0.01)}
    assert found["impulse"]["speed"] == pytest.approx(5.0, rel=0.05)  # N s over mass
    assert found["force"]["speed"] == pytest.approx(5.0, rel=0.05)  # for one tick
    assert abs(found["impulse"]["turned_deg"]) < 0.1
    assert found["spin"]["turned_deg"] > 0.2  # upwards is to the right
    assert abs(found["spin"]["speed"]) < 0.1


def test_actors_are_where_they_were_put(client):
    assert client("teleports") == pytest.approx([0, 0, 0], abs=0.05)
