"""Which contacts are a collision, against a slow reading of the rule."""

from __future__ import annotations

import math
import random

import pytest

from bestrand_drive.evaluator.criteria.collisions import Contact, judge_contacts, kind_of
from bestrand_drive.evaluator.criteria.moment import Kind
from tests.evaluator.criteria.trajectories import STEP_S, drive, moment, wander, winding

TYPES = ("vehicle.audi.tt", "walker.pedestrian.0001", "static.prop.cone", "traffic.stop", "static.sidewalk", "other")


def by_the_rule(contacts, moments):
    """Types of those that count: each contact is compared with the last counted one and all ticks since."""
    counted, last, who = [], None, 0
    for contact in sorted(contacts, key=lambda one: one.frame):
        before = moments[max(contact.frame - 2, 0)]  # frames begin at 1
        if before.speed < 0.1 or (last and same_contact(contact, last, who, before, moments)):
            continue
        last = (contact.frame, before)
        who = contact.other_id or who
        counted.append(contact)
    return [one.other_type for one in counted if kind_of(one.other_type)]


def same_contact(contact, last, who, before, moments):
    frame, then = last
    since = [*moments[frame - 1 : contact.frame - 1], before]
    at_the_place = all(math.dist(one.place, then.place) <= 5.0 for one in since)
    soon = all(one.time_s - then.time_s <= 5.0 for one in since)
    return at_the_place or (who == contact.other_id and soon)


@pytest.mark.parametrize("seed", range(20))
def test_any_drive(seed):
    rng = random.Random(seed)
    moments = wander(rng, winding(rng), ticks=600)
    contacts = [Contact(rng.randrange(1, 601), rng.randrange(1, 4), rng.choice(TYPES)) for _ in range(200)]
    contacts = list({one.frame: one for one in contacts}.values())
    rng.shuffle(contacts)
    found = [event.message.split("type=")[1].split()[0] for event in judge_contacts(contacts, moments)]
    assert found == by_the_rule(contacts, moments)
    assert found


def test_a_long_push_is_one_collision():
    moments = drive(0.5, 90)
    contacts = [Contact(one.frame, 7, "vehicle.audi.tt") for one in moments]
    assert len(judge_contacts(contacts, moments)) == 1


def test_the_same_car_counts_again_after_five_seconds_and_five_metres():
    moments = drive(10.0, 400)
    for seconds, count in ((4.9, 1), (5.2, 2)):
        contacts = [Contact(10, 7, "vehicle.audi.tt"), Contact(10 + round(seconds / STEP_S), 7, "vehicle.audi.tt")]
        assert len(judge_contacts(contacts, moments)) == count, seconds


def test_two_cars_at_one_place_are_one_collision():
    moments = drive(10.0, 100)
    near = [Contact(10, 7, "vehicle.audi.tt"), Contact(15, 8, "walker.pedestrian.0001")]
    far = [Contact(10, 7, "vehicle.audi.tt"), Contact(25, 8, "walker.pedestrian.0001")]
    assert [event.kind for event in judge_contacts(near, moments)] == [Kind.VEHICLE]
    assert [event.kind for event in judge_contacts(far, moments)] == [Kind.VEHICLE, Kind.PEDESTRIAN]


def test_who_stands_is_not_to_blame_even_if_pushed_on():
    moments = [moment(tick, 0.0, speed=0.0 if tick < 50 else 3.0) for tick in range(1, 100)]
    assert judge_contacts([Contact(50, 7, "vehicle.audi.tt")], moments) == []
    assert len(judge_contacts([Contact(51, 7, "vehicle.audi.tt")], moments)) == 1


@pytest.mark.parametrize(("speed", "count"), [(0.09, 0), (0.11, 1)])
def test_below_a_tenth_of_a_metre_a_second_it_stands(speed, count):
    assert len(judge_contacts([Contact(10, 7, "vehicle.audi.tt")], drive(speed, 20))) == count


def test_the_level_itself_has_no_identity():
    """Number 0: hitting it again elsewhere counts at once."""
    moments = drive(10.0, 100)
    contacts = [Contact(10, 0, "static.building"), Contact(25, 0, "static.building")]
    events = judge_contacts(contacts, moments, first_id=100)
    assert [event.kind for event in events] == [Kind.LAYOUT, Kind.LAYOUT]
    assert "id=0 at" in events[0].message


def test_messages_count_ids_from_the_first_of_the_town():
    event = judge_contacts([Contact(10, 107, "vehicle.audi.tt")], drive(10.0, 20), first_id=100)[0]
    assert event.message == (
        "Agent collided against object with type=vehicle.audi.tt and id=7 at (x=4.5, y=0.0, z=0.0)"
    )


@pytest.mark.parametrize(
    ("other", "kind"),
    [
        ("vehicle.audi.tt", Kind.VEHICLE),
        ("walker.pedestrian.0001", Kind.PEDESTRIAN),
        ("static.prop.cone", Kind.LAYOUT),
        ("traffic.traffic_light", Kind.LAYOUT),
        ("static.sidewalk", None),
        ("sensor.other", None),
    ],
)
def test_kinds(other, kind):
    assert kind_of(other) is kind
