"""Collisions by kind, and which contacts are the same collision.

Rule (leaderboard 2.0): a contact counts unless it is with the actor of the last counted one, less than 5 s ago, or
within 5 m of where that happened, or the ego stood still (below 0.1 m/s). Static props and traffic furniture are
layout, but for sidewalks, which do not count.

The sensor's events come when they come. So they are kept with their frames, and judged once, after the drive, against
the ego just before each: what the verdict is does not depend on the computer's load.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bestrand_drive.evaluator.criteria.moment import Event, Kind, Moment, Point, at

_SAME_PLACE_M = 5.0
_SAME_ACTOR_S = 5.0
_STANDS_M_S = 0.1


@dataclass(frozen=True)
class Contact:
    """One event of the ego's collision sensor.

    Attributes:
        frame: When.
        other_id: Actor, 0 for the level itself.
        other_type: Its blueprint, e.g. ``vehicle.tesla.model3``.
    """

    frame: int
    other_id: int
    other_type: str


def kind_of(other_type: str) -> Kind | None:
    """Kind of a collision by the other's type; None for what does not count."""
    if ("static" in other_type or "traffic" in other_type) and "sidewalk" not in other_type:
        return Kind.LAYOUT
    if "vehicle" in other_type:
        return Kind.VEHICLE
    return Kind.PEDESTRIAN if "walker" in other_type else None


def judge_contacts(contacts: Iterable[Contact], moments: Sequence[Moment], first_id: int = 0) -> list[Event]:
    """The collisions of a drive.

    Args:
        contacts: In any order.
        moments: The ego's ticks, by ascending frame.
        first_id: Taken off the ids in the messages, so that they do not tell how long the server has run.
    """
    waiting = sorted(contacts, key=lambda contact: contact.frame)
    judge, before, taken = _Judge(first_id), None, 0
    for moment in moments:
        while taken < len(waiting) and waiting[taken].frame <= moment.frame:
            judge.see(waiting[taken], before or moment)
            taken += 1
        judge.forget(moment)
        before = moment
    return judge.events


class _Judge:
    """Remembers the last collision that counted."""

    def __init__(self, first_id: int) -> None:
        self.events: list[Event] = []
        self._first_id = first_id
        self._last_id: int | None = None
        self._last_s = 0.0
        self._last_place: Point | None = None

    def see(self, contact: Contact, ego: Moment) -> None:
        """Judge one contact; ``ego`` as it was just before."""
        if contact.other_id == self._last_id or ego.speed < _STANDS_M_S:
            return
        if self._last_place is not None and math.dist(ego.place, self._last_place) <= _SAME_PLACE_M:
            return
        self._last_s, self._last_place = ego.time_s, ego.place
        if contact.other_id:
            self._last_id = contact.other_id
        kind = kind_of(contact.other_type)
        if kind is not None:
            number = contact.other_id - self._first_id if contact.other_id else 0
            said = f"Agent collided against object with type={contact.other_type} and id={number} at {at(ego.place)}"
            self.events.append(Event(kind, said))

    def forget(self, ego: Moment) -> None:
        """What lies far enough behind, in space or time, is another collision."""
        if self._last_place is not None and math.dist(ego.place, self._last_place) > _SAME_PLACE_M:
            self._last_place = None
        if self._last_id is not None and ego.time_s - self._last_s > _SAME_ACTOR_S:
            self._last_id = None
