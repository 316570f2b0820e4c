"""When scenarios start and end, what they are charged with, and what is told of those that cannot take place."""

from __future__ import annotations

import pytest

carla = pytest.importorskip("carla")

from bestrand_drive.evaluator.cast import Cast, trigger_metres  # noqa: E402
from bestrand_drive.evaluator.criteria.moment import Kind  # noqa: E402
from bestrand_drive.evaluator.plan import Plan, PlanPoint, RoadOption  # noqa: E402
from bestrand_drive.evaluator.scenarios.scenario import Scenario, ScenarioConfig, ScenarioNotPossible  # noqa: E402
from bestrand_drive.evaluator.state import State  # noqa: E402

STEP_S = 0.05


def place(x, y=0.0, yaw=0.0, z=0.0):
    return carla.Transform(carla.Location(x, y, z), carla.Rotation(yaw=yaw))


PLAN = Plan([PlanPoint(place(float(x)), 1, -1, 3.5, False, RoadOption.LANEFOLLOW, float(x)) for x in range(101)])


class Actor:
    def __init__(self, number):
        self.id = number


class ToyStage:
    """Places by hand."""

    def __init__(self):
        self.plan, self.ego, self.time_s, self.progress_m = PLAN, Actor(1), 0.0, 0.0
        self.places = {1: place(0.0)}
        self.own, self.gone = [], []

    def for_scenario(self, name):
        return self

    def state(self, actor):
        transform = self.places[actor.id]
        return State(transform.location, transform.rotation, carla.Vector3D(), 0.0)

    def exists(self, actor):
        return actor.id in self.places

    def destroy(self, actor):
        self.gone.append(actor.id)

    def drive(self, cast, ticks, speed=10.0):
        for _ in range(ticks):
            self.time_s += STEP_S
            self.progress_m += speed * STEP_S
            self.places[1] = place(self.progress_m)
            cast.tick()


class Toy(Scenario):
    """Notes what is done to it."""

    made: list[Toy] = []  # noqa: RUF012
    prepared_fails = started_fails = ""
    ends_after = 10**9

    def __init__(self, stage, config):
        super().__init__(stage, config)
        self.log, self.ticks = [], 0
        Toy.made.append(self)

    def prepare(self):
        if self.prepared_fails:
            raise ScenarioNotPossible(self.prepared_fails)

    def start(self):
        if self.started_fails:
            raise ScenarioNotPossible(self.started_fails)
        self.log.append(("start", self.stage.progress_m))

    def tick(self):
        self.ticks += 1
        self.finished = self.ticks >= self.ends_after

    def end(self, *, timed_out):
        self.log.append(("end", timed_out))
        super().end(timed_out=timed_out)


def cast_of(stage, trigger=None, **attributes):
    Toy.made = []
    kind = type("Kind", (Toy,), attributes)
    config = ScenarioConfig("Toy_1", "Toy", trigger or place(40.0))
    return Cast(stage, [config], {"Toy": kind})


def test_it_starts_once_when_the_ego_is_near_its_trigger():
    stage = ToyStage()
    cast = cast_of(stage)
    stage.drive(cast, 150)
    ((what, at_m),) = Toy.made[0].log
    assert what == "start"
    assert 36.5 <= at_m <= 37.0
    assert Toy.made[0].ticks == 150 - 73


def test_a_finished_one_is_ticked_no_more_and_costs_nothing():
    stage = ToyStage()
    cast = cast_of(stage, ends_after=5, timeout_s=10.0)
    stage.drive(cast, 400)
    assert Toy.made[0].ticks == 5
    assert Toy.made[0].log[1:] == [("end", False)]
    assert cast.events == []
    assert not cast.timed


@pytest.mark.parametrize("timeout_s", [2.0, 7.5])
def test_one_that_takes_too_long_is_charged_once_and_cleared_away(timeout_s):
    stage = ToyStage()
    stage.own = [Actor(7), Actor(8)]
    cast = cast_of(stage, timeout_s=timeout_s)
    stage.drive(cast, 72)
    assert not cast.timed
    stage.drive(cast, 2)
    assert cast.timed
    stage.drive(cast, 400)
    assert [event.kind for event in cast.events] == [Kind.SCENARIO_TIMEOUT]
    assert cast.events[0].message == "Agent timed out a scenario"
    assert stage.gone == [7, 8]
    assert Toy.made[0].ticks == pytest.approx(timeout_s / STEP_S, abs=2)


def test_only_a_scenario_that_runs_and_has_a_time_limit_keeps_the_time():
    for timeout_s, timed in ((None, False), (100.0, True)):
        stage = ToyStage()
        cast = cast_of(stage, timeout_s=timeout_s, ends_after=50)
        seen = []
        for _ in range(3):
            stage.drive(cast, 60)
            seen.append(cast.timed)
        assert seen == [False, timed, False]


def test_the_wrong_way_is_allowed_and_the_control_disturbed_by_those_that_run_alone():
    """Of two scenarios, 40 m apart, each lasts for 20 m."""
    stage = ToyStage()
    traits = {"wrong_way_allowed": True, "ends_after": 40, "disturbed": lambda self, control: [*control, "disturbed"]}
    configs = [ScenarioConfig(f"Toy_{number}", "Toy", place(40.0 * number)) for number in (1, 2)]
    cast, seen = Cast(stage, configs, {"Toy": type("Kind", (Toy,), traits)}), []
    for _ in range(5):
        stage.drive(cast, 40)
        seen.append((stage.progress_m, cast.wrong_way_allowed, cast.disturbed([])))
    assert seen == [
        (pytest.approx(20.0 * number), runs, ["disturbed"] * runs)
        for number, runs in ((1, False), (2, True), (3, False), (4, True), (5, False))
    ]
    assert not cast_of(ToyStage()).wrong_way_allowed


@pytest.mark.parametrize(("x", "kinds"), [(-30.0, [Kind.YIELD]), (200.0, [])])
@pytest.mark.parametrize("ends", [True, False])
def test_an_emergency_vehicle_must_be_ahead_when_its_scenario_or_the_drive_ends(x, kinds, ends):
    stage = ToyStage()
    stage.places[9] = place(x)

    def start(self):
        self.emergency_vehicle = Actor(9)

    cast = cast_of(stage, start=start, ends_after=20 if ends else 10**9)
    stage.drive(cast, 150)
    cast.end()
    cast.end()
    assert [event.kind for event in cast.events] == kinds


@pytest.mark.parametrize(
    ("trigger", "attributes", "reason"),
    [
        (place(40.0, 2.5), {}, "does not lie on the route"),
        (place(40.0, 0.0, yaw=15.0), {}, "does not lie on the route"),
        (place(40.0), {"prepared_fails": "no kerb"}, "no kerb"),
        (place(40.0), {"started_fails": "too late"}, "too late"),
    ],
)
def test_what_cannot_take_place_is_told_and_the_drive_goes_on(capsys, trigger, attributes, reason):
    stage = ToyStage()
    stage.own = [Actor(7)]
    cast = cast_of(stage, trigger, **attributes)
    stage.drive(cast, 150)
    ((name, why),) = cast.skipped
    assert (name, reason in why) == ("Toy_1", True)
    assert reason in capsys.readouterr().err
    assert stage.gone == ([7] if attributes else [])
    assert all(made.ticks == 0 for made in Toy.made)
    assert cast.events == []


def test_an_unknown_type_is_told():
    cast = Cast(ToyStage(), [ScenarioConfig("X_1", "X", place(40.0))], {})
    assert cast.skipped == [("X_1", "the type 'X' is not known")]


@pytest.mark.parametrize(
    ("trigger", "metres"),
    [
        (place(40.4, 1.0), 40.0),
        (place(40.0, 1.9), 40.0),
        (place(102.1), None),
        (place(40.0, 0.0, 351.0), 40.0),
        (place(40.0, 0.0, 10.5), None),
        (place(40.0, z=1.9), 40.0),
        (place(40.0, z=2.1), None),
    ],
)
def test_where_a_trigger_lies(trigger, metres):
    assert trigger_metres(PLAN, ScenarioConfig("X_1", "X", trigger)) == metres


@pytest.mark.parametrize(("yaw", "metres"), [(-178.0, 40.0), (178.0, 40.0), (-170.0, None)])
def test_a_trigger_heads_as_a_plan_that_turns_round(yaw, metres):
    points = [
        PlanPoint(place(-float(x), 50.0, 175.0), 1, -1, 3.5, False, RoadOption.LANEFOLLOW, float(x)) for x in range(101)
    ]
    assert trigger_metres(Plan(points), ScenarioConfig("X_1", "X", place(-40.0, 50.5, yaw))) == metres
