"""Collisions: who touches whom, what they exchange, and how they come apart.

Every two of vehicles, walkers and props collide when one of them moves and, unless a vehicle is among them, one can
yield: what scenarios park out of the way with physics off gives no events there. Inelastic: the normal part of the
relative velocity vanishes (restitution 0); impulse J = m_eff * closing speed. There is no friction between bodies and
no spin from an eccentric hit. What comes down on another body is not pushed aside: it stays on top.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.actor import Actor, Vector
from bestrand_drive.headless.world.bodies import VX, VY, VZ, Bodies, X, Y, Z
from bestrand_drive.headless.world.boxes import Boxes, overlap
from bestrand_drive.headless.world.solids import Solids
from bestrand_drive.headless.world.stacking import Stacking
from bestrand_drive.headless.world.sweep import overlapping_pairs

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

CLEARANCE_M = 0.15
"""Bodies that overlap less in height pass over each other: vehicles over debris, walkers over kerb-high things."""
_MOVED_MPS = 0.01
_INSIDE_M = 0.05
_GAP_M = 0.002  # left between bodies that were pushed apart


@dataclass(frozen=True)
class CollisionEvent:
    """``actor`` was hit by ``other``; the impulse on it in N s, world axes."""

    actor: Actor
    other: Actor
    impulse: Vector


def collide(bodies: Bodies, solids: Solids, dt_s: float) -> list[CollisionEvent]:
    """Find contacts, exchange momentum, push apart; events for both sides, ordered by ids.

    Args:
        bodies: Changed in place.
        solids: What can collide.
        dt_s: Step in seconds.
    """
    state = bodies.state
    place, velocity = state[X : Z + 1, solids.slots], state[VX : VZ + 1, solids.slots]
    moved = (np.abs(velocity).max(axis=0) > _MOVED_MPS) | (
        np.abs(place - bodies.last[X : Z + 1, solids.slots]).max(axis=0) > 1e-3
    )
    if not moved.any():
        return []
    boxes = Boxes.of(bodies, solids.slots)
    first, second = _near(boxes, solids, moved)
    if not first.size:
        return []
    found = overlap(boxes.take(first), boxes.take(second))
    stacking = Stacking(bodies, solids.slots, boxes.z - place[Z], boxes.height - 0.5 * CLEARANCE_M, dt_s)
    events: list[CollisionEvent] = []
    touching = np.flatnonzero(found.depth > 0.0)
    for pair in touching[np.lexsort((second[touching], first[touching]))].tolist():
        both = (int(first[pair]), int(second[pair]))
        contact = (float(found.normal_x[pair]), float(found.normal_y[pair]), float(found.depth[pair]))
        upper = stacking.upper(*both)
        if upper is not None and solids.yields[upper]:
            events += _land(stacking, solids, both, upper)
        elif not _walks_out(state, solids, both, contact, dt_s):
            events += _resolve(state, solids, both, contact, dt_s)
    return events


def _near(boxes: Boxes, solids: Solids, moved: NDArray[np.bool_]) -> tuple[Indices, Indices]:
    """Pairs that may touch: near on both axes and in height, one that moved, one that is a vehicle or yields."""
    radius = boxes.radius
    wide = np.ptp(boxes.x) >= np.ptp(boxes.y)
    sweep, other = (boxes.x, boxes.y) if wide else (boxes.y, boxes.x)
    first, second = overlapping_pairs(sweep - radius, sweep + radius)
    keep = (np.abs(other[first] - other[second]) < radius[first] + radius[second]) & (moved[first] | moved[second])
    matters = solids.vehicle | solids.yields
    keep &= matters[first] | matters[second]
    keep &= (solids.inverse_mass[first] + solids.inverse_mass[second]) > 0.0
    height = boxes.height[first] + boxes.height[second] - CLEARANCE_M
    keep &= np.abs(boxes.z[first] - boxes.z[second]) < height
    return first[keep], second[keep]


def _land(stacking: Stacking, solids: Solids, pair: tuple[int, int], upper: int) -> list[CollisionEvent]:
    """The upper of two is caught by the lower, which stands firm; the impulse is upwards on the upper one."""
    lower = pair[1] if upper == pair[0] else pair[0]
    impulse = stacking.put(upper, lower) / float(solids.inverse_mass[upper])
    return [
        CollisionEvent(solids.actors[one], solids.actors[other], (0.0, 0.0, impulse if one == upper else -impulse))
        for one, other in (pair, pair[::-1])
    ]


def _walks_out(
    state: Floats, solids: Solids, pair: tuple[int, int], contact: tuple[float, float, float], dt_s: float
) -> bool:
    """A walker and a prop overlap by more than they can have moved in this tick, or do not approach each other.

    The walker was put there and may walk out: a bus shelter or a food cart fills little of its box.
    """
    a, b = pair
    if not ((solids.walker[a] and solids.prop[b]) or (solids.prop[a] and solids.walker[b])):
        return False
    nx, ny, depth = contact
    one, two = (state[VX : VY + 1, solids.slots[k]].tolist() for k in pair)
    closing = (one[0] - two[0]) * nx + (one[1] - two[1]) * ny
    return closing <= 0.0 or depth > (math.hypot(*one) + math.hypot(*two)) * dt_s + _INSIDE_M


def _resolve(
    state: Floats, solids: Solids, pair: tuple[int, int], contact: tuple[float, float, float], dt_s: float
) -> list[CollisionEvent]:
    """One contact: impulse, then separation."""
    a, b = pair
    nx, ny, _ = contact
    slot_a, slot_b = int(solids.slots[a]), int(solids.slots[b])
    share_a, share_b = float(solids.inverse_mass[a]), float(solids.inverse_mass[b])
    closing = (state[VX, slot_a] - state[VX, slot_b]) * nx + (state[VY, slot_a] - state[VY, slot_b]) * ny
    impulse = max(float(closing), 0.0) / (share_a + share_b)
    for k, slot, share in ((a, slot_a, -share_a), (b, slot_b, share_b)):
        if solids.yields[k]:
            state[VX, slot] += impulse * share * nx
            state[VY, slot] += impulse * share * ny
    _separate(state, solids, pair, contact)
    if (solids.walker[a] or solids.walker[b]) and not (solids.prop[a] or solids.prop[b]):
        _step_aside(state, solids, pair, (nx, ny, max(float(closing), 0.0) * dt_s))
    hit = (impulse * nx, impulse * ny, 0.0)
    one, two = solids.actors[a], solids.actors[b]
    return [CollisionEvent(one, two, (-hit[0], -hit[1], 0.0)), CollisionEvent(two, one, hit)]


def _separate(state: Floats, solids: Solids, pair: tuple[int, int], contact: tuple[float, float, float]) -> None:
    """Push the bodies apart along the normal, the lighter one further; what has no physics stays."""
    nx, ny, depth = contact
    shares = [float(solids.inverse_mass[k]) if solids.yields[k] else 0.0 for k in pair]
    total = sum(shares)
    if total == 0.0:
        return
    for k, share, sign in zip(pair, shares, (-1.0, 1.0), strict=True):
        slot = int(solids.slots[k])
        state[X, slot] += sign * nx * (depth + _GAP_M) * share / total
        state[Y, slot] += sign * ny * (depth + _GAP_M) * share / total


def _step_aside(state: Floats, solids: Solids, pair: tuple[int, int], way: tuple[float, float, float]) -> None:
    """A walker that is hit slides off sideways, to the side it is on, half as far as it was pushed.

    Two walkers that meet exactly head on take different sides.
    """
    nx, ny, pushed = way
    head_on = 1.0
    for k, other in (pair, pair[::-1]):
        if not (solids.walker[k] and solids.yields[k]):
            continue
        slot, hitter = int(solids.slots[k]), int(solids.slots[other])
        side = (state[Y, slot] - state[Y, hitter]) * nx - (state[X, slot] - state[X, hitter]) * ny
        sign = head_on if side == 0.0 else math.copysign(1.0, side)
        head_on = -1.0
        state[X, slot] -= sign * ny * 0.5 * pushed
        state[Y, slot] += sign * nx * 0.5 * pushed
