"""Junctions with nothing but their rules: lights that turn at a known time, stop signs; and T junctions.

Times run from when the ego is 30 m before the junction, or from the trigger if that is nearer, as CARLA's mostly are.
Lights and signs are no hold-up: who stands there for a minute is blocked.
"""

from __future__ import annotations

from bestrand_drive.evaluator.scenarios.junction import AtJunction
from bestrand_drive.evaluator.scenarios.scenario import ScenarioNotPossible
from bestrand_drive.evaluator.scenarios.script import TIMEOUT_S, Script, Scripted

_PHASE_S = 5.0


class VanillaNonSignalizedTurn(AtJunction):
    """No lights; nothing happens."""

    timeout_s = None

    def script(self) -> Script:
        """Until the ego is through."""
        yield from self.until_left()


class VanillaNonSignalizedTurnEncounterStopsign(VanillaNonSignalizedTurn):
    """A stop sign; the criterion watches it."""


class _WithLights(AtJunction):
    timeout_s = None

    def prepare(self) -> None:
        """The lights must be there."""
        super().prepare()
        if not self.lights:
            raise ScenarioNotPossible("the junction has no lights")


class VanillaSignalizedTurnEncounterGreenLight(_WithLights):
    """Green for the ego until it is near and 5 s on, then red for all for 5 s, then as before."""

    def script(self) -> Script:
        """Green, red, as before; the ego is through at its own time."""
        left = self.until_left()
        self.lights.hold_green(self.own_light())
        yield from self.until(self.near_it)
        yield from _during(left, self.wait(_PHASE_S))
        self.lights.hold_green()
        yield from _during(left, self.wait(_PHASE_S))
        self.lights.give_back()
        yield from left


class VanillaSignalizedTurnEncounterRedLight(_WithLights):
    """Red for all until the ego is near and 5 s on, then green for it."""

    red_s = _PHASE_S

    def script(self) -> Script:
        """Red, green."""
        left = self.until_left()
        self.lights.hold_green()
        yield from self.until(self.near_it)
        yield from _during(left, self.wait(self.red_s))
        self.lights.hold_green(self.own_light())
        yield from left


class TJunction(Scripted):
    """Nothing but the road."""

    timeout_s = TIMEOUT_S

    def script(self) -> Script:
        """For 200 m."""
        yield from self.until_past(self.stage.progress_m + 200.0)


class SequentialLaneChange(TJunction):
    """Nothing but the road, which changes lanes."""


def _during(whole: Script, part: Script) -> Script:
    """A part of the script, cut short when the whole ends."""
    for _ in part:
        if next(whole, whole) is whole:
            return
        yield
