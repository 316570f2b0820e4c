"""Waypoints to tracks: gaps, rounding, lane changes, doubled places."""

import math

import numpy as np
import pytest

from bestrand_drive.headless.roads.tracks import split, track


def circle(radius: float = 60.0, length: float = 90.0) -> np.ndarray:
    """A place every 2 m along a circle, exact."""
    turn = np.arange(0, length, 2.0) / radius
    return np.stack((radius * np.sin(turn), radius * (1 - np.cos(turn)), 0.02 * radius * turn), axis=1)


def test_rounding_across_the_road_is_smoothed_and_no_place_is_moved_further_than_it() -> None:
    """Nine places leave half of an independent error in a parabola's middle (variance 0.255)."""
    off, raw = [], []
    for radius in (40.0, 60.0, 90.0, 150.0, 250.0):
        rounded = np.round(circle(radius), 1)[:, :2]
        smooth = np.array([pose[:2] for pose in track(np.round(circle(radius), 1), (0, 0)).curve.poses])
        assert np.hypot(*(smooth - rounded).T).max() <= 0.0701
        off.append(np.abs(np.hypot(smooth[:, 0], smooth[:, 1] - radius) - radius)[4:-4].mean())
        raw.append(np.abs(np.hypot(rounded[:, 0], rounded[:, 1] - radius) - radius)[4:-4].mean())
    assert np.mean(off) < 0.65 * np.mean(raw), (off, raw)


def test_headings_are_those_of_the_circle() -> None:
    poses = track(np.round(circle(), 1), (0, 0)).curve.poses
    wrong = [abs(pose.heading - 2.0 * index / 60.0) for index, pose in enumerate(poses)]
    assert max(wrong) < math.radians(1.5)


def test_a_gap_parts_the_route_and_a_doubled_place_counts_once() -> None:
    places = np.array([[x, 0.0, 0.0] for x in (0, 2, 2, 4, 30, 32, 34)])
    stretches = split(places)
    assert [stretch[:, 0].tolist() for stretch in stretches] == [[0, 2, 4], [30, 32, 34]]


@pytest.mark.parametrize("side", [1, -1])
def test_a_lane_change_is_taken_out_and_remembered(side: int) -> None:
    places = np.array([[5.0 * i, side * 3.5 * ((i > 5) + (i > 12)), 0.0] for i in range(20)])
    found = track(places, (0, 0))
    assert max(abs(pose.y) for pose in found.curve.poses) < 0.01
    assert (found.shift_left, found.shift_right) == pytest.approx((7, 0) if side > 0 else (0, 7))
    assert found.step == pytest.approx(3.5)


def test_a_bend_is_no_lane_change() -> None:
    assert track(circle(radius=15, length=22), (0, 0)).step == 0


def test_one_place_between_two_gaps_becomes_a_short_road_along_its_way() -> None:
    curve = track(np.array([[10.0, 5.0, 1.0]]), (0.0, math.pi / 2)).curve
    assert curve.length == pytest.approx(2)
    assert curve.poses[0].heading == pytest.approx(math.pi / 4)
