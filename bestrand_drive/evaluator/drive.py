"""One route driven once: put the ego down, set the agent up, tick until it is over, and say what came of it."""

from __future__ import annotations

import contextlib
import math
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import carla

from bestrand_drive.errors import BestrandError
from bestrand_drive.evaluator import bridge
from bestrand_drive.evaluator.agent_loading import within
from bestrand_drive.evaluator.cast import Cast, Types
from bestrand_drive.evaluator.criteria.moment import Event
from bestrand_drive.evaluator.gps import gps_of, reference_of
from bestrand_drive.evaluator.judging import Judge, moment_of
from bestrand_drive.evaluator.metric_info import step_of
from bestrand_drive.evaluator.route_file import Route
from bestrand_drive.evaluator.scene import DELTA_S
from bestrand_drive.evaluator.sensor_rules import ICONS, fault_of
from bestrand_drive.evaluator.sensors import SensorSuite
from bestrand_drive.evaluator.session import Session
from bestrand_drive.evaluator.stage import Stage
from bestrand_drive.evaluator.tracing import trace
from bestrand_drive.evaluator.weather import RouteWeather

EGO = "vehicle.lincoln.mkz_2020"
MOST_TICKS = 4000
"""Bench2Drive's limit, 200 s."""
_LIFT_M = 0.5
_WARM_TICKS = 10
_LAST_S = 0.02
_NO_DATA = "SensorReceivedNoData"

SIMULATION = "Simulation crashed"
SENSORS = "Agent's sensors were invalid"
SETUP = "Agent couldn't be set up"
AGENT = "Agent crashed"
TICKS = "TickRuntime"
ENDING = {SIMULATION, SENSORS, SETUP}
"""After these the evaluator stops."""


def defect_line(error: BaseException) -> str:
    """What tells a bug of ours from a broken simulator: its error and the line that raised it."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f"Defect of the evaluator: {type(error).__name__}: {error} ({where.filename}:{where.lineno})"


def _check_control(control: carla.VehicleControl) -> None:
    values = {name: getattr(control, name) for name in ("throttle", "steer", "brake")}
    if not all(map(math.isfinite, values.values())):
        said = ", ".join(f"{name} {value}" for name, value in values.items())
        raise ValueError(f"the agent's control is no number: {said}")


@dataclass(frozen=True)
class Conditions:
    """What a run is driven under.

    Attributes:
        agent: Class of the agent, or why there is none.
        config: Handed to it.
        host, port, debug: Handed to it.
        track: That is driven.
        timeout_s: For each of the agent's answers.
        seed: Of traffic and scenarios.
        manager_port: Told to the agent.
        background: Ambient vehicles.
        types: Scenario types that are known.
        saves: The steps for comfort are wanted.
        live: Called now and then with the drive, None without.
    """

    agent: type[Any] | BaseException
    config: str
    host: str
    port: int
    debug: int
    track: str
    timeout_s: float
    seed: int
    manager_port: int
    background: int
    types: Types
    saves: bool
    live: Callable[[Drive], None] | None = None


@dataclass
class Drive:
    """A drive and what came of it.

    Attributes:
        session: With the server.
        route: To drive.
        save_name: Folder that the agent saves under.
        conditions: Of the run.
        recording: File on the server for CARLA's recorder, "" for none.
        failure: What ended it from outside, "" when nothing did.
        length_m: Of the plan.
        ticks: Driven.
        system_s: Wall seconds of the ticks.
        sensors: Names of the agent's sensors.
        steps: How the ego moved.
        judge: None when it did not begin.
        cast: Likewise.
        agent: None when it could not be made.
    """

    session: Session
    route: Route
    save_name: str
    conditions: Conditions
    recording: str = ""
    failure: str = ""
    length_m: float = 0.0
    ticks: int = 0
    system_s: float = 0.0
    sensors: list[str] = field(default_factory=list)
    steps: list[dict[str, list[float]]] = field(default_factory=list)
    judge: Judge | None = None
    cast: Cast | None = None
    agent: Any = None

    @property
    def events(self) -> list[Event]:
        """All that was found so far, by the rules and of the scenarios."""
        return [] if self.judge is None or self.cast is None else [*self.judge.events, *self.cast.events]

    @property
    def completion(self) -> float:
        """Percent of the way."""
        return 0.0 if self.judge is None else self.judge.completion

    def run(self) -> None:
        """Drive; nothing but an interrupt is raised."""
        with contextlib.ExitStack() as after:
            try:
                stage = self._set_the_stage(after)
                suite = self._set_up(stage, after)
                if suite is not None:
                    self._loop(stage, suite)
            except Exception as error:
                if not isinstance(error, (RuntimeError, BestrandError)):  # carla's, and what a route or a town lacks
                    print(defect_line(error), file=sys.stderr)
                self._fail(SIMULATION, "Error during the simulation:")
            self._finish()

    def _fail(self, failure: str, said: str) -> None:
        """Note why it ended; a server that is gone is the reason for all that follows."""
        print(f"\n{said}\n{traceback.format_exc()}", file=sys.stderr, flush=True)
        gone = failure in (AGENT, SETUP) and not self.session.answers()
        self.failure = SIMULATION if gone else failure

    def _set_the_stage(self, after: contextlib.ExitStack) -> Stage:
        """The town, the plan, the ego, the weather, the scenarios, the rules."""
        session, conditions = self.session, self.conditions
        session.load(self.route.town)
        world = session.world
        first_id = min(actor.id for actor in world.get_actors())
        plan = trace(session.map, self.route.waypoints)
        self.length_m = plan.length_m
        bridge.begin(session, conditions.manager_port, conditions.seed)
        after.callback(bridge.cleanup)
        ego = self._put_down(plan.points[0].transform)
        world.tick()
        bridge.set_hero(ego)
        stage = Stage(session.client, world, session.map, ego, plan, self.route.id, conditions.seed)
        after.callback(self._clear, stage)
        stage.see(world.get_snapshot(), 0.0)
        self._weather = RouteWeather(world, self.route.weathers)
        stage.ambient.count = conditions.background
        self.cast = Cast(stage, self.route.scenarios, conditions.types)
        self.judge = Judge(stage, first_id)
        if self.recording:
            session.client.start_recorder(self.recording)  # a world that is loaded later would not be recorded
            after.callback(self._stop_recorder)
        return stage

    def _stop_recorder(self) -> None:
        with contextlib.suppress(RuntimeError):
            if self.failure != SIMULATION:
                self.session.client.stop_recorder()

    def _put_down(self, start: carla.Transform) -> carla.Vehicle:
        blueprint = self.session.world.get_blueprint_library().find(EGO)
        blueprint.set_attribute("role_name", "hero")
        place = start.location
        up = carla.Transform(carla.Location(place.x, place.y, place.z + _LIFT_M), start.rotation)
        return self.session.world.spawn_actor(blueprint, up)

    def _clear(self, stage: Stage) -> None:
        with contextlib.suppress(RuntimeError):
            if self.failure != SIMULATION:
                stage.clear()
                stage.ego.destroy()
                self.session.world.tick()

    def _set_up(self, stage: Stage, after: contextlib.ExitStack) -> SensorSuite | None:
        """Make the agent; its sensors, or None and why in ``failure`` when it cannot be set up."""
        conditions = self.conditions
        try:
            with within(conditions.timeout_s):
                if isinstance(conditions.agent, BaseException):
                    raise conditions.agent
                self.agent = agent = conditions.agent(conditions.host, conditions.port, conditions.debug)
                reference = reference_of(stage.map.to_opendrive())
                route = bridge.route_of(stage.plan)
                agent.set_global_plan([(gps_of(one.location, reference), option) for one, option in route], route)
                agent.setup(f"{conditions.config}+{self.save_name}")
                sensors = agent.sensors()
            fault = fault_of(sensors, str(getattr(agent.track, "value", agent.track)), conditions.track)
        except Exception:
            self._fail(SETUP, "Could not set up the required agent:")
            return None
        if fault is not None:
            print(f"The sensor's configuration used is invalid: {fault}", file=sys.stderr, flush=True)
            self.failure = SENSORS
            return None
        self.sensors = [ICONS[spec["type"]] for spec in sensors]
        suite = SensorSuite(self.session.world, stage.ego, agent.sensor_interface)
        after.callback(self._stop, suite)
        suite.mount(sensors)
        return suite

    def _stop(self, suite: SensorSuite) -> None:
        with contextlib.suppress(RuntimeError):
            if self.failure != SIMULATION:
                suite.stop()

    def _loop(self, stage: Stage, suite: SensorSuite) -> None:
        """Tick until it is over."""
        assert self.judge is not None  # noqa: S101  made with the stage
        world = self.session.world
        for _ in range(_WARM_TICKS):
            world.tick()
        collisions = world.get_blueprint_library().find("sensor.other.collision")
        sensor = world.spawn_actor(collisions, carla.Transform(), attach_to=stage.ego)
        sensor.listen(self.judge.hear)
        began = time.monotonic()
        try:
            while not self.judge.over and not self.failure:
                self._tick(stage, suite)
        finally:
            self.system_s = time.monotonic() - began
        if self.failure != SIMULATION:
            time.sleep(_LAST_S)  # the sensor's last events may still be on their way
            sensor.stop()
            sensor.destroy()

    def _tick(self, stage: Stage, suite: SensorSuite) -> None:
        """One tick, in the leaderboard's order: world, agent, scenarios, rules."""
        session, judge, cast = self.session, self.judge, self.cast
        assert judge is not None and cast is not None  # noqa: S101, PT018  made with the stage
        session.world.tick()
        self.ticks += 1
        if self.ticks > MOST_TICKS:
            self.failure = TICKS
            return
        time_s = self.ticks * DELTA_S
        snapshot = session.world.get_snapshot()
        session.check(snapshot, stage.ego)
        stage.see(snapshot, time_s)
        bridge.tick(snapshot, time_s)
        ego = stage.state(stage.ego)
        suite.tick(snapshot.frame, ego, session.map, DELTA_S)
        control = self._ask()
        if control is None:
            return
        cast.tick()  # after the agent: it may look at whoever this tick's snapshot names
        commands = [carla.command.ApplyVehicleControl(stage.ego.id, cast.disturbed(control)), *stage.move()]
        session.client.apply_batch(commands)
        judge.update(moment_of(ego, snapshot.frame, time_s), timed=cast.timed, wrong_way_allowed=cast.wrong_way_allowed)
        self._weather.update(stage.plan_index, 100.0 * stage.progress_m / stage.plan.length_m)
        if self.conditions.saves:
            self.steps.append(step_of(snapshot.find(stage.ego.id)))
        if self.conditions.live is not None and self.ticks % 20 == 0:
            self.conditions.live(self)

    def _ask(self) -> carla.VehicleControl | None:
        """The agent's control, None when it failed.

        A control that is no number fails too. The leaderboard would pass it on, and what the server makes of it would
        be scored: a simulator's answer to NaN says nothing about the policy's driving.
        """
        try:
            with within(self.conditions.timeout_s):
                control = self.agent()
            _check_control(control)
            return control
        except Exception as error:
            lost = type(error).__name__ == _NO_DATA  # ours or the official class
            self._fail(SIMULATION if lost else AGENT, "Stopping the route, the agent has crashed:")
            return None

    def _finish(self) -> None:
        """Sum up; the agent cleans up, also one that could not be set up."""
        if self.cast is not None:
            self.cast.end()
        if self.judge is not None:
            self.judge.end()
        if self.agent is not None:
            try:
                with within(self.conditions.timeout_s):
                    self.agent.destroy()
            except Exception:
                print(f"\nFailed to stop the agent:\n{traceback.format_exc()}", file=sys.stderr, flush=True)
