"""What is judged of a scenario: whether it took too long, and whether an emergency vehicle was let past.

Rules (leaderboard 2.0): a scenario with a time limit that is not over by then is a timeout; an emergency vehicle that,
when its scenario ends, still has the ego ahead of it was not let past.
"""

from __future__ import annotations

from bestrand_drive.evaluator.criteria.moment import Event, Kind, Point

TIMED_OUT = Event(Kind.SCENARIO_TIMEOUT, "Agent timed out a scenario")
NOT_YIELDED = Event(Kind.YIELD, "Agent failed to yield to an emergency vehicle")


def is_behind(vehicle: Point, ahead: Point, ego: Point) -> bool:
    """Whether a vehicle has the ego ahead of it.

    Args:
        vehicle: Place of the vehicle.
        ahead: Unit vector of its heading.
        ego: Place of the ego.
    """
    return sum((theirs - own) * way for theirs, own, way in zip(ego, vehicle, ahead, strict=True)) > 0.0
