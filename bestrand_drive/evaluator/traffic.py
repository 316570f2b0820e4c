"""Vehicles and walkers that the evaluator drives: car following on a path, one batch of commands a tick for all."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import carla

from bestrand_drive.evaluator.following import (
    CROSSING_S,
    Body,
    Lead,
    acceleration,
    crossing_lead,
    lead_on_path,
    nearer,
    yaw_rate,
)
from bestrand_drive.evaluator.lights import LightLines
from bestrand_drive.evaluator.path import Path
from bestrand_drive.evaluator.scene import Scene
from bestrand_drive.evaluator.state import State

_ENDS_M = 1.5
_ARRIVED_M = 0.3
_COMFORT_M_S2 = 3.0

Track = tuple[tuple[float, float], ...]
"""Places after each of ``CROSSING_S``."""


class Driven:
    """A vehicle on a path; ``Traffic.drive`` makes it.

    Attributes:
        actor: The vehicle.
        speed_m_s: What it wants to drive; may be changed at any time.
        done: It reached the end of its path.
        respects_lights: It stops at red lights on its path.
        yields: It lets those pass who cross its path first.
        keeps_distance: It follows whatever is on its path.
        deceleration_m_s2: Comfortable braking.
    """

    def __init__(self, actor: carla.Actor, path: Sequence[Any], speed_m_s: float) -> None:
        self.actor = actor
        self.speed_m_s = speed_m_s
        self.respects_lights = self.yields = self.keeps_distance = True
        self.deceleration_m_s2 = _COMFORT_M_S2
        self.done = self.stopped = False
        self.path = path
        self.commanded = 0.0
        """m/s, of the last tick."""

    @property
    def path(self) -> Sequence[Any]:
        """Where it goes: transforms, locations, waypoints or plan points; may be replaced at any time."""
        return self._items

    @path.setter
    def path(self, items: Sequence[Any]) -> None:
        self._items = items
        self.line = Path(items)
        self.index = 0
        self.done = len(self.line) < 2
        self.stops: list[tuple[float, carla.TrafficLight]] | None = None

    def stop(self) -> None:
        """Brake to a halt and stay, comfortably; a new ``drive`` sets it going again."""
        self.stopped = True

    @property
    def remaining_m(self) -> float:
        """Metres of the path that are left."""
        return self.line.metres[-1] - self.line.metres[self.index]


class Walk:
    """A walker on its way to a place; ``Traffic.walk`` makes it.

    Attributes:
        actor: The walker.
        target: Where to.
        speed_m_s: How fast; may be changed at any time.
        done: It is there.
    """

    def __init__(self, actor: carla.Actor, target: carla.Location, speed_m_s: float) -> None:
        self.actor = actor
        self.target = target
        self.speed_m_s = speed_m_s
        self.done = False


class Traffic:
    """Drives vehicles and walkers that are in a scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._driven: dict[int, Driven] = {}
        self._walks: dict[int, Walk] = {}
        self._halves: dict[int, tuple[float, float]] = {}
        self._lights = LightLines(scene.world)

    def drive(
        self,
        actor: carla.Actor,
        path: Sequence[Any],
        speed_m_s: float,
        *,
        respects_lights: bool = True,
        yields: bool = True,
        keeps_distance: bool = True,
        deceleration_m_s2: float = _COMFORT_M_S2,
    ) -> Driven:
        """Drive a vehicle along a path; replaces what it was told before.

        Args:
            actor: The vehicle.
            path: Places about 1 or 2 m apart: transforms, locations, waypoints or plan points.
            speed_m_s: Wanted speed; bends are taken slower.
            respects_lights: Stops at red and yellow lights of its lanes.
            yields: Lets those pass who are about to cross its path.
            keeps_distance: Follows whatever is on its path, the ego too; without, it hits it.
            deceleration_m_s2: Comfortable braking.
        """
        driven = Driven(actor, path, speed_m_s)
        driven.respects_lights, driven.yields, driven.keeps_distance = respects_lights, yields, keeps_distance
        driven.deceleration_m_s2 = deceleration_m_s2
        before = self._driven.get(actor.id)
        driven.commanded = before.commanded if before else self._scene.state(actor).speed
        self._driven[actor.id] = driven
        return driven

    def walk(self, walker: carla.Actor, target: carla.Location, speed_m_s: float) -> Walk:
        """Walk straight to a place and stop there; replaces what it was told before."""
        walk = self._walks[walker.id] = Walk(walker, target, speed_m_s)
        return walk

    def tick(self) -> list[Any]:
        """The commands of this tick, for those that are still there."""
        exists = self._scene.exists
        self._driven = {number: one for number, one in self._driven.items() if exists(one.actor)}
        self._walks = {number: one for number, one in self._walks.items() if exists(one.actor)}
        commands: list[Any] = []
        bodies = self._bodies() if self._driven else []
        for driven in self._driven.values():
            commands += self._steer(driven, bodies)
        for walk in self._walks.values():
            if not walk.done:
                commands.append(self._step(walk))
        return commands

    def _bodies(self) -> list[Body]:
        """The ego and all that was spawned, with the ways that are known."""
        ego, plan = self._scene.ego, self._scene.plan
        track = _track(self._scene.plan_index, self._scene.state(ego).speed, plan.distances, plan.xs, plan.ys)
        bodies = [self._body(ego, track)]
        for actor in self._scene.others():
            driven = self._driven.get(actor.id)
            way: Track = ()
            if driven is not None and len(driven.line) > 1:
                line = driven.line
                way = _track(driven.index, driven.commanded, line.metres, line.xs, line.ys)
            bodies.append(self._body(actor, way))
        return bodies

    def _body(self, actor: carla.Actor, track: Track = ()) -> Body:
        state = self._scene.state(actor)
        half = self._halves.get(actor.id)
        if half is None:
            extent = actor.bounding_box.extent
            half = self._halves[actor.id] = (float(extent.x), float(extent.y))
        return Body(actor.id, state.location.x, state.location.y, state.velocity.x, state.velocity.y, *half, track)

    def _steer(self, driven: Driven, bodies: list[Body]) -> list[Any]:
        state = self._scene.state(driven.actor)
        if len(driven.line) < 2:
            driven.done = True
            return self._go(driven, state, 0.0, 0.0)
        x, y = state.location.x, state.location.y
        driven.index = driven.line.advance(driven.index, x, y)
        speed = min(driven.commanded, state.speed + 1.0)  # what hit something does not go on as if nothing had been
        wanted = min(driven.speed_m_s, driven.line.limits[driven.index])
        if driven.stopped or driven.remaining_m < _ENDS_M:
            driven.done = driven.done or driven.remaining_m < _ENDS_M
            after = max(speed - driven.deceleration_m_s2 * self._scene.delta_s, 0.0)
        else:
            lead = self._lead(driven, bodies, speed)
            pull = acceleration(speed, wanted, lead, driven.deceleration_m_s2)
            after = max(speed + pull * self._scene.delta_s, 0.0)
        rate = yaw_rate(driven.line, driven.index, x, y, state.rotation.yaw, after)
        return self._go(driven, state, after, rate)

    def _lead(self, driven: Driven, bodies: list[Body], speed: float) -> Lead | None:
        own = self._body(driven.actor)
        lead: Lead | None = None
        if driven.keeps_distance:
            lead = lead_on_path(driven.line, driven.index, own, bodies)
        if driven.yields:
            lead = nearer(lead, crossing_lead(driven.line, driven.index, own, speed, bodies))
        if driven.respects_lights:
            lead = nearer(lead, self._light_lead(driven, own, speed))
        return lead

    def _light_lead(self, driven: Driven, own: Body, speed: float) -> Lead | None:
        """A red light ahead, or a yellow one that can still be stopped at."""
        if driven.stops is None:
            driven.stops = self._lights.on(driven.line)
        here_m = driven.line.metres[driven.index]
        for stop_m, light in driven.stops:
            gap_m = stop_m - here_m - own.half_length
            if gap_m < 0.0 or gap_m > 60.0:
                continue
            state = light.state
            hard_m = speed * speed / (2.0 * driven.deceleration_m_s2)
            if state == carla.TrafficLightState.Red or (state == carla.TrafficLightState.Yellow and gap_m > hard_m):
                return Lead(gap_m + 1.5, 0.0)
        return None

    def _go(self, driven: Driven, state: State, speed: float, rate_deg_s: float) -> list[Any]:
        """Velocity along the heading and yaw rate; the engine and the wheels are left out."""
        driven.commanded = speed
        yaw = math.radians(state.rotation.yaw)
        velocity = carla.Vector3D(speed * math.cos(yaw), speed * math.sin(yaw), state.velocity.z)
        number = driven.actor.id
        return [
            carla.command.ApplyTargetVelocity(number, velocity),
            carla.command.ApplyTargetAngularVelocity(number, carla.Vector3D(0.0, 0.0, rate_deg_s)),
        ]

    def _step(self, walk: Walk) -> Any:
        place = self._scene.state(walk.actor).location
        dx, dy = walk.target.x - place.x, walk.target.y - place.y
        away_m = math.hypot(dx, dy)
        walk.done = away_m < max(_ARRIVED_M, 0.5 * walk.speed_m_s * self._scene.delta_s)
        direction = carla.Vector3D(dx / away_m, dy / away_m, 0.0) if away_m > 1e-6 else carla.Vector3D(1.0, 0.0, 0.0)
        speed = 0.0 if walk.done else walk.speed_m_s
        return carla.command.ApplyWalkerControl(walk.actor.id, carla.WalkerControl(direction, speed, False))


def _track(index: int, speed: float, metres: Sequence[float], xs: Sequence[float], ys: Sequence[float]) -> Track:
    """Where who follows a way evenly will be."""
    last, here_m = len(metres) - 1, metres[index]
    places = (min(bisect_left(metres, here_m + wait_s * speed), last) for wait_s in CROSSING_S)
    return tuple((xs[place], ys[place]) for place in places)
