"""Biarcs meet both poses; checked by walking their pieces in small steps."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestrand_drive.headless.roads.curve import Curve, Piece, Pose, biarc, meeting

angle = st.floats(-math.pi, math.pi)


def walked(pieces: tuple[Piece, ...], steps: int = 500) -> tuple[float, float, float]:
    """Where one comes out who follows length and curvature alone (midpoint rule)."""
    x, y, heading = pieces[0].start.x, pieces[0].start.y, pieces[0].start.heading
    for _, length, curvature in pieces:
        step = length / steps
        for _ in range(steps):
            middle = heading + curvature * step / 2
            x, y, heading = x + step * math.cos(middle), y + step * math.sin(middle), heading + curvature * step
    return x, y, heading


@given(angle, st.floats(1, 300), st.floats(-1.2, 1.2), st.floats(-2.5, 2.5))
def test_a_biarc_ends_at_its_pose_and_heading(heading: float, far: float, bearing: float, turn: float) -> None:
    start = Pose(3, -2, 0, heading)
    goal = start.turned(bearing).ahead(far)._replace(heading=heading + turn)
    end = walked(biarc(start, goal))
    assert end[:2] == pytest.approx((goal.x, goal.y), abs=0.002 * far)
    assert math.remainder(end[2] - goal.heading, 2 * math.pi) == pytest.approx(0, abs=1e-4)


def test_a_straight_way_is_one_line() -> None:
    pieces = biarc(Pose(0, 0, 0, 0.5), Pose(0, 0, 0, 0.5).ahead(40))
    assert sum(piece.length for piece in pieces) == pytest.approx(40)
    assert {piece.curvature for piece in pieces} == {0.0}


def test_a_quarter_turn_is_an_arc_of_its_radius() -> None:
    pieces = biarc(Pose(0, 0, 0, 0), Pose(10, 10, 0, math.pi / 2))
    assert sum(piece.length for piece in pieces) == pytest.approx(10 * math.pi / 2)
    assert [piece.curvature for piece in pieces] == pytest.approx([0.1, 0.1])


def test_a_half_turn_at_the_end_of_a_road_is_a_half_circle() -> None:
    pieces = biarc(Pose(0, 0, 0, 0), Pose(0, 3.5, 0, math.pi))
    assert sum(piece.length for piece in pieces) == pytest.approx(1.75 * math.pi)


def test_extensions_are_straight_and_as_long_as_asked() -> None:
    curve = Curve((Pose(0, 0, 1, 0), Pose(10, 10, 2, math.pi / 2))).extended(20, 30)
    assert curve.poses[0][:3] == (-20, 0, 1)
    assert curve.poses[-1][:3] == pytest.approx((10, 40, 2))
    assert curve.length == pytest.approx(50 + 5 * math.pi)


def test_a_frame_has_its_left_on_the_left() -> None:
    pose = Pose(5, 5, 0, math.pi / 2)
    assert pose.frame(5, 9) == pytest.approx((4, 0))
    assert pose.frame(2, 5) == pytest.approx((0, 3))
    assert pose.aside(3)[:2] == pytest.approx((2, 5))


def test_lines_meet_where_they_cross_and_parallel_ones_nowhere() -> None:
    assert meeting(Pose(0, 0, 0, 0), Pose(7, -9, 0, math.pi / 2)) == pytest.approx((7, 0))
    assert meeting(Pose(0, 0, 0, 0), Pose(7, -9, 0, 0.1)) is None
