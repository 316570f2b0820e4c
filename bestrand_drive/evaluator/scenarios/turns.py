"""Turns across or into a stream of cars that have priority, with and without lights."""

from __future__ import annotations

from bestrand_drive.evaluator.scenarios import parameters
from bestrand_drive.evaluator.scenarios.flow import Flow
from bestrand_drive.evaluator.scenarios.junction import AtJunction
from bestrand_drive.evaluator.scenarios.scenario import ScenarioNotPossible
from bestrand_drive.evaluator.scenarios.script import ALONE_M, Script

_GREEN_DELAY_S = 5.0


class JunctionTurn(AtJunction):
    """A stream of cars drives through the junction at one speed, whatever the ego does; it needs a gap."""

    clear_m = ALONE_M
    side = "opposite"
    before_s, after_s = 4.0, 2.5
    signalled = False

    def prepare(self) -> None:
        """The stream's path; the faster it is, the longer, so that it can be seen in time."""
        super().prepare()
        if self.signalled and not self.lights:
            raise ScenarioNotPossible("the junction has no lights")
        self.speed_m_s = self.config.number("flow_speed", 20.0)
        self.path, _, self.way = self.other_path(
            self.side, self.before_s * self.speed_m_s, self.after_s * self.speed_m_s
        )

    def script(self) -> Script:
        """The stream is there and flows until the ego is through; lights turn green 5 s after it came near."""
        gaps = parameters.interval(self.config, "source_dist_interval", (25.0, 50.0))
        flow = Flow(self, self.path, gaps, self.speed_m_s, keeps_distance=False)
        flow.populate()
        near_s: float | None = None
        turned_green = False
        if self.signalled:
            self.lights.hold_green(self._their_light())
        for _ in self.until_left():
            if near_s is None and self.near_it():
                near_s = self.stage.time_s
            due = near_s is not None and self.stage.time_s - near_s >= _GREEN_DELAY_S
            if self.signalled and due and not turned_green:
                self.lights.hold_green(self._their_light(), self.own_light())
                turned_green = True
            flow.tick()
            yield

    def _their_light(self) -> int:
        return self.lights.for_lane(self.way.entry.transform)


class NonSignalizedJunctionLeftTurn(JunctionTurn):
    """To the left, across oncoming cars."""


class SignalizedJunctionLeftTurn(JunctionTurn):
    """To the left at a light, across oncoming cars that have green too."""

    signalled = True


class NonSignalizedJunctionRightTurn(JunctionTurn):
    """To the right, into the lane of cars from the left."""

    side = "left"
    before_s, after_s = 5.0, 3.0


class SignalizedJunctionRightTurn(NonSignalizedJunctionRightTurn):
    """To the right at a light, into the lane of cars from the left."""

    signalled = True
