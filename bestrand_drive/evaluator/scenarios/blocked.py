"""Behind the turn a car stands on the ego's lane."""

from __future__ import annotations

from bestrand_drive.evaluator.scenarios.junction import AtJunction
from bestrand_drive.evaluator.scenarios.script import Script

_BEHIND_M, _NEAR_M, _STOP_S = 5.0, 13.0, 10.0


class BlockedIntersection(AtJunction):
    """It leaves 10 s after the ego has come near; who waits gets through."""

    def script(self) -> Script:
        """Stand, wait for the ego, be gone."""
        place = self.stage.plan.point_at(self.leaving.distance_m + _BEHIND_M).transform
        blocker = self.park(place)
        yield from self.until(lambda: self.stage.distance_to_ego(blocker) < _NEAR_M)
        yield from self.wait(_STOP_S)
