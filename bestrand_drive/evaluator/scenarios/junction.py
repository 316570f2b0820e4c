"""What scenarios at the next junction on the route share: the ego's way through it, others' ways, its lights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import carla

from bestrand_drive.evaluator.scenarios.flow import transforms
from bestrand_drive.evaluator.scenarios.junctions import Way, after_junction, comes_from, course, meets, ways
from bestrand_drive.evaluator.scenarios.lights import Lights
from bestrand_drive.evaluator.scenarios.scenario import ScenarioNotPossible
from bestrand_drive.evaluator.scenarios.script import TIMEOUT_S, Script, Scripted

if TYPE_CHECKING:
    from bestrand_drive.evaluator.plan import PlanPoint

_CONFLICT_M = 2.5  # two lanes' centres nearer than this cannot be driven side by side
_NEAR_M = 30.0
_SIDES = ("left", "right", "opposite")


class AtJunction(Scripted):
    """A scenario at the junction that comes next on the plan."""

    timeout_s: float | None = TIMEOUT_S
    end_m = 10.0

    def prepare(self) -> None:
        """The ego's way through it."""
        self.entry, self.leaving = after_junction(self.stage.plan, self.at_m)
        within = (self.stage.map.get_waypoint(point.location) for point in self.own_path(0.0))
        inside = next((waypoint for waypoint in within if waypoint.is_junction), None)
        if inside is None:  # its ends may lie on the roads beside it
            raise ScenarioNotPossible("the map knows no junction there")
        self.junction: carla.Junction = inside.get_junction()
        self.lights = Lights(self.stage.world, self.junction)

    def own_path(self, after_m: float) -> list[PlanPoint]:
        """The plan through the junction and so far on."""
        plan = self.stage.plan
        return list(
            plan.points[plan.index_at(self.entry.distance_m) : plan.index_at(self.leaving.distance_m + after_m) + 1]
        )

    def other_path(
        self, side: str, before_m: float, after_m: float
    ) -> tuple[list[carla.Transform], carla.Location, Way]:
        """The path of somebody who crosses the ego's or ends on it, from a side or, where none does, from another.

        Args:
            side: ``left``, ``right`` or ``opposite``.
            before_m: At most so long before the junction.
            after_m: So long after it.

        Returns:
            The path, where it first meets the ego's, and the way through the junction.

        Raises:
            ScenarioNotPossible: Nobody can meet the ego there.
        """
        own = [point.location for point in self.own_path(15.0)]
        candidates = ways(self.junction)
        for wanted in (side, *(other for other in _SIDES if other != side)):
            from_there = [way for way in candidates if comes_from(self.entry.yaw, way) == wanted]
            for way in sorted(from_there, key=lambda way: round(abs(way.turn_deg))):
                path = transforms(course(way, before_m, after_m))
                met = meets(own, (place.location for place in path), _CONFLICT_M)
                if met is not None and len(path) > 2:
                    return path, met, way
        raise ScenarioNotPossible("nobody's way through the junction meets the ego's")

    def tidy(self) -> None:
        """The lights do again what they did."""
        super().tidy()
        self.lights.give_back()

    def own_light(self) -> int:
        """Id of the ego's light."""
        return self.lights.for_lane(self.entry.transform)

    def happens_m(self) -> float:
        """In the junction."""
        return 0.5 * (self.entry.distance_m + self.leaving.distance_m)

    def near_it(self) -> bool:
        """Whether the ego has come so near that what is timed should begin."""
        return self.stage.progress_m >= self.entry.distance_m - _NEAR_M

    def until_left(self) -> Script:
        """Until the ego is out of the junction and a little on."""
        yield from self.until_past(self.leaving.distance_m + self.end_m)
