"""In a bend, oncoming vehicles cut into the ego's lane because cones stand on theirs: it has to keep to the right."""

from __future__ import annotations

from bestrand_drive.evaluator.scenarios.flow import Flow, shifted, transforms
from bestrand_drive.evaluator.scenarios.lanes import ahead, aside, oncoming, walk
from bestrand_drive.evaluator.scenarios.scenario import ScenarioNotPossible
from bestrand_drive.evaluator.scenarios.script import ALONE_M, TIMEOUT_S, Script, Scripted

_SOURCE_M = 30.0
_EVERY_M = 40.0
_HALF_CAR_M = 0.7
_MODELS = ("vehicle.nissan.patrol_2021", "vehicle.ford.ambulance", "vehicle.carlamotors.carlacola")
"""Wider than cars, so that who stays in the middle of the lane is not passed by luck: 2.1, 2.4 and 2.6 m."""


class InvadingTurn(Scripted):
    """The cars' centre is ``offset`` metres plus half a car's width short of the line, seen from their lane."""

    clear_m = ALONE_M
    timeout_s = TIMEOUT_S

    def prepare(self) -> None:
        """Cones on the oncoming lane's outer side."""
        self.distance_m = self.config.number("distance", 100.0)
        source = oncoming(self.in_lane(self.distance_m + _SOURCE_M))
        if source is None or oncoming(self.here) is None:
            raise ScenarioNotPossible("no oncoming lane")
        lane = [source, *walk(source, self.distance_m + _SOURCE_M + 20.0, through=False)]
        for place in lane[10 : 10 + int(0.5 * self.distance_m) : 5]:
            self.try_place("static.prop.constructioncone", aside(place.transform, 0.8 * place.lane_width / 2))
        left_m = self.config.number("offset", 0.25) + source.lane_width / 2 - _HALF_CAR_M
        self.path = shifted(transforms(lane), -left_m)
        self.end_m = self.along(
            ahead(self.here, self.distance_m + _SOURCE_M).transform.location.distance(self.here.transform.location)
        )

    def script(self) -> Script:
        """The cars come until the ego is past."""
        speed = float(self.stage.ego.get_speed_limit() or 50.0) / 3.6
        flow = Flow(self, self.path, (_EVERY_M, _EVERY_M), speed, keeps_distance=True, models=_MODELS)
        for _ in self.until_past(self.end_m):
            flow.tick()
            yield
