"""All rules of a drive together."""

from __future__ import annotations

import carla

from bestrand_drive.evaluator.criteria.blocked import Blocked
from bestrand_drive.evaluator.criteria.collisions import Contact, judge_contacts
from bestrand_drive.evaluator.criteria.completion import Completion
from bestrand_drive.evaluator.criteria.deviation import Deviation
from bestrand_drive.evaluator.criteria.min_speed import MinSpeed
from bestrand_drive.evaluator.criteria.moment import Event, Moment, Way, forward
from bestrand_drive.evaluator.criteria.outside_lanes import OutsideLanes
from bestrand_drive.evaluator.criteria.red_light import RedLight
from bestrand_drive.evaluator.criteria.route_timeout import RouteTimeout
from bestrand_drive.evaluator.criteria.stop_sign import StopSigns
from bestrand_drive.evaluator.plan import Plan
from bestrand_drive.evaluator.stage import Stage
from bestrand_drive.evaluator.state import State
from bestrand_drive.evaluator.zones import MapLooks, lights_near, point, stops_near


def way_of(plan: Plan) -> Way:
    """The plan as the rules see it."""
    rotations = [one.transform.rotation for one in plan.points]
    return Way([point(one.location) for one in plan.points], [forward(one.yaw, one.pitch) for one in rotations])


def moment_of(state: State, frame: int, time_s: float) -> Moment:
    """The ego's state as the rules see it."""
    velocity = (float(state.velocity.x), float(state.velocity.y), float(state.velocity.z))
    turn = (float(state.rotation.yaw), float(state.rotation.pitch))
    return Moment(frame, time_s, point(state.location), *turn, velocity, state.speed)


class Judge:
    """Sees every tick of a drive.

    Attributes:
        way: To go.
        over: The drive has ended.
    """

    def __init__(self, stage: Stage, first_id: int) -> None:
        self._stage = stage
        self._first_id = first_id
        self.way = way_of(stage.plan)
        looks = MapLooks(stage.map)
        lights = lights_near(stage.world, stage.map, stage.plan)
        red = carla.TrafficLightState.Red
        start = point(stage.ego.get_transform().location)
        self._completion = Completion(self.way)
        self._outside = OutsideLanes(self.way, looks.look, start)
        self._red = RedLight(
            [light.numbered(first_id) for light, _ in lights.values()],
            lambda number: bool(lights[number + first_id][1].state == red),
            looks.lane_at,
            float(stage.ego.bounding_box.extent.x),
        )
        signs = [sign.numbered(first_id) for sign in stops_near(stage.world, stage.plan)]
        self._stops = StopSigns(signs, looks.lane_ahead)
        self._speed = MinSpeed(self.way)
        self._deviation, self._blocked = Deviation(self.way), Blocked()
        self._timeout = RouteTimeout(self.way)
        self._moments: list[Moment] = []
        self._contacts: list[Contact] = []
        self._collisions: list[Event] | None = None
        self.over = False

    @property
    def completion(self) -> float:
        """Percent of the way."""
        return self._completion.percent

    def hear(self, event: carla.CollisionEvent) -> None:
        """The collision sensor's callback; comes from another thread."""
        other = event.other_actor
        self._contacts.append(Contact(event.frame, other.id, other.type_id))

    def update(self, moment: Moment, *, timed: bool, wrong_way_allowed: bool) -> None:
        """Look at one tick; ``timed`` while a scenario with a time limit runs, likewise the other."""
        self._moments.append(moment)
        self._completion.update(moment)
        self._outside.update(moment, wrong_way_allowed=wrong_way_allowed)
        self._red.update(moment)
        self._stops.update(moment)
        self._speed.update(moment, self._stage.ambient.mean_speed())
        self._deviation.update(moment)
        self._blocked.update(moment, suspended=timed)
        self._timeout.update(moment, self._stage.ego.get_speed_limit() / 3.6)
        self.over = self._completion.finished or self._deviation.failed or self._blocked.failed or self._timeout.failed

    def end(self) -> None:
        """The drive is over, and all contacts have been heard of."""
        self._speed.end(by_rule=self.over)
        self._collisions = judge_contacts(self._contacts, self._moments, self._first_id)

    @property
    def events(self) -> list[Event]:
        """All that was found; collisions as of now while the drive lasts."""
        collisions = self._collisions
        if collisions is None:
            collisions = judge_contacts(list(self._contacts), self._moments, self._first_id)
        rules = (self._red, self._stops, self._speed, self._deviation, self._blocked, self._timeout)
        return [*self._outside.events, *collisions, *(event for rule in rules for event in rule.events)]
