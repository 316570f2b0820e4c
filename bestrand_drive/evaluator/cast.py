"""The scenarios of a drive: which can take place, when each starts, and when it is over."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import carla

from bestrand_drive.evaluator.criteria.moment import Event, forward
from bestrand_drive.evaluator.criteria.scenario_rules import NOT_YIELDED, TIMED_OUT, is_behind
from bestrand_drive.evaluator.plan import Plan
from bestrand_drive.evaluator.scenarios.scenario import Scenario, ScenarioConfig, ScenarioNotPossible
from bestrand_drive.evaluator.stage import Stage
from bestrand_drive.evaluator.zones import point

_AT_ROUTE_M = 2.0
_AT_ROUTE_DEG = 10.0

Types = Mapping[str, Callable[[Stage, ScenarioConfig], Scenario]]


@dataclass
class _Role:
    """A scenario and where it stands."""

    scenario: Scenario
    trigger_m: float
    started_s: float | None = None
    over: bool = False
    unyielded: bool = False


def trigger_metres(plan: Plan, config: ScenarioConfig) -> float | None:
    """Where a trigger lies on the plan, None when it does not: within 2 m and 10 degrees, as in the leaderboard."""
    place, yaw = config.trigger.location, config.trigger.rotation.yaw
    best: tuple[float, float] | None = None
    for index, one in enumerate(plan.points):
        away = (one.location.x - place.x) ** 2 + (one.location.y - place.y) ** 2
        turned = abs((yaw - one.yaw + 180.0) % 360.0 - 180.0)
        if away < _AT_ROUTE_M**2 and place.z - one.location.z < _AT_ROUTE_M and turned < _AT_ROUTE_DEG:
            best = min(best or (away, plan.distances[index]), (away, plan.distances[index]))
    return None if best is None else best[1]


class Cast:
    """Plays a route's scenarios.

    Attributes:
        events: What was found.
        skipped: Names of those that could not take place, with the reason.
    """

    def __init__(self, stage: Stage, configs: Sequence[ScenarioConfig], types: Types) -> None:
        self._stage = stage
        self._roles: list[_Role] = []
        self.events: list[Event] = []
        self.skipped: list[tuple[str, str]] = []
        for config in configs:
            self._engage(config, types)

    def _engage(self, config: ScenarioConfig, types: Types) -> None:
        trigger_m = trigger_metres(self._stage.plan, config)
        if config.type not in types:
            self._skip(config, f"the type {config.type!r} is not known")
        elif trigger_m is None:
            self._skip(config, "its trigger does not lie on the route")
        else:
            self._prepare(config, types, trigger_m)

    def _prepare(self, config: ScenarioConfig, types: Types, trigger_m: float) -> None:
        view = self._stage.for_scenario(config.name)
        try:
            scenario = types[config.type](view, config)
            scenario.prepare()
        except ScenarioNotPossible as reason:
            self._skip(config, str(reason), view)
        else:
            self._roles.append(_Role(scenario, trigger_m))

    def _skip(self, config: ScenarioConfig, reason: str, view: Stage | None = None) -> None:
        """Tell, and take away what it has put there so far."""
        for actor in view.own if view is not None else ():
            self._stage.destroy(actor)
        self.skipped.append((config.name, reason))
        print(f"Skipping scenario {config.name!r}: {reason}", file=sys.stderr, flush=True)

    @property
    def timed(self) -> bool:
        """Whether a scenario with a time limit runs."""
        return any(self._runs(role) and role.scenario.timeout_s is not None for role in self._roles)

    @property
    def wrong_way_allowed(self) -> bool:
        """Whether a scenario runs that leaves only the oncoming lane now."""
        return any(self._runs(role) and role.scenario.wrong_way_allowed for role in self._roles)

    def disturbed(self, control: carla.VehicleControl) -> carla.VehicleControl:
        """The agent's control after what the running scenarios do to it."""
        for role in self._roles:
            if self._runs(role):
                control = role.scenario.disturbed(control)
        return control

    @staticmethod
    def _runs(role: _Role) -> bool:
        return role.started_s is not None and not role.over

    def tick(self) -> None:
        """Start what is due, let what runs act."""
        for role in self._roles:
            if role.over:
                continue
            if role.started_s is None:
                if self._stage.progress_m >= role.trigger_m - role.scenario.trigger_distance_m:
                    self._start(role)
                continue
            role.scenario.tick()
            self._watch(role)

    def _start(self, role: _Role) -> None:
        role.started_s = self._stage.time_s
        try:
            role.scenario.start()
        except ScenarioNotPossible as reason:
            role.over = True
            self._skip(role.scenario.config, str(reason), role.scenario.stage)

    def _watch(self, role: _Role) -> None:
        scenario = role.scenario
        vehicle = scenario.emergency_vehicle
        if vehicle is not None and self._stage.exists(vehicle):
            theirs, ego = self._stage.state(vehicle), self._stage.state(self._stage.ego)
            ahead = forward(theirs.rotation.yaw, theirs.rotation.pitch)
            role.unyielded = is_behind(point(theirs.location), ahead, point(ego.location))
        late = scenario.timeout_s is not None and self._stage.time_s - (role.started_s or 0.0) > scenario.timeout_s
        if scenario.finished or late:
            self._close(role, timed_out=late and not scenario.finished)

    def _close(self, role: _Role, *, timed_out: bool) -> None:
        role.over = True
        if timed_out:
            self.events.append(TIMED_OUT)
        if role.unyielded:
            self.events.append(NOT_YIELDED)
        role.scenario.end(timed_out=timed_out)

    def end(self) -> None:
        """The drive is over, and with it every scenario."""
        for role in self._roles:
            if self._runs(role) and role.unyielded:
                self.events.append(NOT_YIELDED)
                role.unyielded = False
