"""What is made of routes with two places."""

import math

import numpy as np
import pytest

from bestrand_drive.headless.roads.curve import Pose
from bestrand_drive.headless.roads.sparse import fill, is_sparse, punch
from bestrand_drive.headless.roads.tracks import split


def test_sparse_is_told_from_dense_by_the_usual_step() -> None:
    dense = np.array([[2.0 * i, 0, 0] for i in range(10)] + [[60.0 + 2 * i, 0, 0] for i in range(10)])
    assert not is_sparse(dense)
    assert is_sparse(dense[[0, -1]])


def test_two_places_become_a_straight_road_without_a_gap() -> None:
    places = fill(np.array([[0.0, 0, 10], [100, 0, 20]]), None, corner=False)
    assert np.diff(places[:, 0]).max() <= 2.01
    assert places[50] == pytest.approx([100 * 50 / (len(places) - 1), 0, 10 + 10 * 50 / (len(places) - 1)])


def test_the_way_goes_through_the_trigger_with_its_heading() -> None:
    trigger = Pose(40, 5, 1, 0.3)
    places = fill(np.array([[0.0, 0, 0], [100, 30, 2]]), trigger, corner=False)
    nearest = int(np.argmin(np.hypot(places[:, 0] - 40, places[:, 1] - 5)))
    assert math.dist(places[nearest][:2], (40, 5)) < 1e-6
    way = places[nearest + 1] - places[nearest - 1]
    assert math.atan2(way[1], way[0]) == pytest.approx(0.3, abs=0.05)
    assert places[[0, -1]][:, :2].tolist() == [[0, 0], [100, 30]]


@pytest.mark.parametrize("side", [1, -1])
def test_a_route_that_ends_aside_turns_a_corner_where_a_junction_is_wanted(side: int) -> None:
    places = fill(np.array([[-60.0, 0, 0], [40, 80 * side, 0]]), Pose(0, 0, 0, 0), corner=True)
    before, after = split(places)
    assert abs(before[:, 1]).max() < 1e-6
    assert abs(after[:, 0] - 40).max() < 1e-6
    assert before[-1, 0] == pytest.approx(22)
    assert after[0, 1] == pytest.approx(18 * side)


def test_without_a_junction_it_bends() -> None:
    places = fill(np.array([[-60.0, 0, 0], [40, 80, 0]]), Pose(0, 0, 0, 0), corner=False)
    assert len(split(places)) == 1


def test_a_junction_is_cut_into_a_straight_route_ahead_of_the_trigger() -> None:
    places = np.array([[2.0 * i, 0, 0] for i in range(80)])
    before, after = split(punch(places, Pose(20, 0, 0, 0)))
    assert before[-1, 0] > 24
    assert after[0, 0] - before[-1, 0] >= 28
    assert after[-1, 0] == 158


def test_a_route_too_short_for_a_junction_stays_as_it_is() -> None:
    places = np.array([[2.0 * i, 0, 0] for i in range(12)])
    assert len(punch(places, Pose(10, 0, 0, 0))) == 12
