"""Made-up ways and drives, for rules that need no server."""

from __future__ import annotations

import math
import random

from bestrand_drive.evaluator.criteria.moment import Moment, Way, forward

STEP_S = 0.05


def straight(length_m: int = 100) -> Way:
    """Points a metre apart along x."""
    return Way([(float(x), 0.0, 0.0) for x in range(length_m + 1)], [(1.0, 0.0, 0.0)] * (length_m + 1))


def winding(rng: random.Random, points: int = 60) -> Way:
    """A way that bends, with steps of 0.5 to 2 m."""
    x = y = yaw = 0.0
    places, ahead = [], []
    for _ in range(points):
        places.append((x, y, 0.0))
        ahead.append(forward(yaw))
        yaw += rng.uniform(-20.0, 20.0)
        step = rng.uniform(0.5, 2.0)
        x, y = x + step * math.cos(math.radians(yaw)), y + step * math.sin(math.radians(yaw))
    return Way(places, ahead)


def moment(tick: int, x: float, y: float = 0.0, yaw: float = 0.0, speed: float = 5.0) -> Moment:
    """The ego at a tick, moving along its heading."""
    along = forward(yaw)
    velocity = (speed * along[0], speed * along[1], 0.0)
    return Moment(tick, tick * STEP_S, (x, y, 0.0), yaw, 0.0, velocity, speed)


def drive(speed: float, ticks: int, y: float = 0.0, start: float = 0.0) -> list[Moment]:
    """Along x at an even speed."""
    return [moment(tick, start + speed * STEP_S * tick, y, speed=speed) for tick in range(1, ticks + 1)]


def wander(rng: random.Random, way: Way, ticks: int = 400) -> list[Moment]:
    """Along a way with jumps, stops, steps back and to the side."""
    index, moments = 0.0, []
    for tick in range(1, ticks + 1):
        index = min(max(index + rng.choice((-0.5, 0.0, 0.2, 0.4, 0.8)), 0.0), len(way) - 1.0)
        x, y, z = way.places[int(index)]
        share = index - int(index)
        ahead = way.ahead[int(index)]
        place = (x + share * ahead[0] + rng.gauss(0.0, 1.0), y + share * ahead[1] + rng.gauss(0.0, 1.0), z)
        speed = rng.choice((0.0, 0.05, 1.0, 8.0))
        moments.append(Moment(tick, tick * STEP_S, place, rng.uniform(-180.0, 180.0), 0.0, (speed, 0.0, 0.0), speed))
    return moments
