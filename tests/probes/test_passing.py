"""When the lane is left, to which side, and when not."""

from __future__ import annotations

import itertools

import pytest
from probe_driving.corridor import Motion, neighbours
from probe_driving.passing import Passing, Shift
from probe_driving.style import Style

from tests.probes.roads import lane, straight, thing

OPPOSITE = lane(number=1)
SAME = lane(number=-2)


def decide(things, *, left=None, right=None, queues=False, speed=5.0, seconds=3.0, style=None) -> Shift | None:
    """What is decided while all that does not drive stands, and all else is where it is."""
    road = straight(300, lambda _: lane(left=left, right=right))
    passing = Passing(road, style or Style(patience_s=1.0))
    me = Motion(30.0, 2.4, 1.0, speed, 8.0, 2.5)
    near = neighbours(road, things, 30.0, Style())
    for _ in range(int(seconds / 0.05)):
        passing.update(near, me, queues, 0.05)
        if passing.shift:
            return passing.shift
    return None


def test_a_prop_is_passed_on_the_free_side_with_room():
    for sides, sign in (({"left": OPPOSITE}, -1), ({"right": SAME}, 1)):
        shift = decide([thing("static", 50.0, 0.0)], **sides)
        assert shift is not None
        assert shift.right * sign >= 0.4 + 1.0 + Style().side_m - 1e-9
        assert shift.at(50.0) == shift.right
        assert shift.at(30.0 - 1.0) == shift.at(shift.end) == 0.0


def test_without_a_lane_beside_it_waits():
    assert decide([thing("static", 50.0, 0.0)]) is None


def test_what_stands_at_the_side_is_passed_within_the_lane():
    shift = decide([thing("static", 50.0, 1.4)])
    assert shift is not None
    assert -0.7 < shift.right < 0.0


@pytest.mark.parametrize(
    ("other", "left"),
    [
        ({"x": 85.0, "y": -3.0, "vx": -10.0}, OPPOSITE),
        ({"x": 15.0, "y": -3.0, "vx": 14.0}, SAME),
        ({"x": 31.0, "y": -3.0}, SAME),
        ({"x": 58.0, "y": -3.0}, SAME),
    ],
    ids=["oncoming", "from behind", "beside", "standing there"],
)
def test_others_in_the_lane_beside_hold_it_back(other, left):
    blocker = thing("static", 50.0, 0.0)
    assert decide([blocker, thing("vehicle", number=9, **other)], left=left) is None
    far = {**other, "y": -9.0}
    assert decide([blocker, thing("vehicle", number=9, **far)], left=left) is not None


def test_vehicles_are_waited_for_and_queues_not_passed():
    parked = [thing("vehicle", 50.0, 0.0)]
    assert decide(parked, left=OPPOSITE, seconds=0.8) is None
    assert decide(parked, left=OPPOSITE, seconds=2.0) is not None
    assert decide(parked, left=OPPOSITE, queues=True, seconds=30.0) is None
    assert decide([thing("vehicle", 50.0, 0.0, moved=True)], left=OPPOSITE, seconds=4.0) is None


def test_several_in_a_row_are_passed_in_one_go():
    row = [thing("static", x, 0.0, number=x) for x in (50, 58, 66)]
    shift = decide(row, left=OPPOSITE)
    assert shift is not None
    assert shift.at(66.4 + 2.4) == shift.right


def test_a_fence_beside_a_building_site_is_passed_with_it():
    """Its cones leave room to drive by in the lane; who passes the board only would drive into them."""
    cones = [thing("static", 57.0 + 2.0 * step, -1.7, number=20 + step) for step in range(4)]
    shift = decide([thing("static", 50.0, 0.0), *cones], left=OPPOSITE)
    alone = decide([thing("static", 50.0, 0.0)], left=OPPOSITE)
    assert shift is not None
    assert alone is not None
    assert shift.right < alone.right
    assert shift.until >= 63.0
    assert all(abs(shift.at(cone.x) - cone.y) >= cone.half_width + 1.0 + 0.3 for cone in cones)


def test_people_and_what_drives_are_not_passed():
    assert decide([thing("walker", 50.0, 0.0)], left=OPPOSITE, seconds=20.0) is None
    assert decide([thing("vehicle", 50.0, 0.0, vx=6.0)], left=OPPOSITE, seconds=20.0) is None


@pytest.fixture
def under_way():
    """Looks from a place on the road, and gives the shift after that."""
    road = straight(300, lambda _: lane(left=OPPOSITE))
    passing = Passing(road, Style(patience_s=1.0))

    def look(s, *things) -> Shift | None:
        passing.update(neighbours(road, things, s, Style()), Motion(s, 2.4, 1.0, 5.0, 8.0, 2.5), False, 0.5)
        return passing.shift

    return look


@pytest.mark.parametrize(("s", "goes_on"), [(36.0, False), (44.0, True)])
def test_who_has_hardly_moved_out_turns_back_for_others_and_who_has_does_not(under_way, s, goes_on):
    prop, oncoming = thing("static", 50.0, 0.0), thing("vehicle", 70.0, -3.0, vx=-10.0, number=9)
    shift = under_way(30.0, prop)
    assert shift is not None
    assert under_way(s, prop, oncoming) == (shift if goes_on else None)


def test_beside_what_crawls_one_stays_out_until_it_is_passed(under_way):
    shift = [under_way(30.0, thing("vehicle", 50.0, 0.0, vx=1.0)) for _ in range(4)][-1]
    assert shift is not None
    longer = under_way(45.0, thing("vehicle", 58.0, 0.0, vx=1.0))
    assert longer is not None
    assert longer.until == pytest.approx(58.0 + 2.4 + 2.4 + 3.0)
    assert longer.end - longer.until == pytest.approx(shift.end - shift.until)
    assert under_way(longer.end + 1.0) is None


def test_an_emergency_vehicle_from_behind_is_let_past_by_those_who_make_way():
    behind = [thing("vehicle", 5.0, 0.0, vx=12.0, emergency=True)]
    shift = decide(behind, right=SAME, speed=5.0)
    assert shift is not None
    assert shift.right == 3.5
    assert decide(behind, right=OPPOSITE, speed=5.0) is None, "not into the opposite lane"
    assert decide(behind, right=SAME, style=Style(makes_way=False)) is None


def test_a_shift_has_no_jumps():
    shift = Shift(10.0, 20.0, 40.0, 52.0, -3.0)
    offsets = [shift.at(0.1 * number) for number in range(600)]
    steps = [abs(b - a) for a, b in itertools.pairwise(offsets)]
    assert max(steps) < 0.05
    assert min(offsets) == -3.0
    assert offsets[99] == offsets[521] == 0.0
