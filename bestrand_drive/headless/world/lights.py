"""Traffic lights: phases, times, freezing, and which vehicle stands before which light.

Cycle of a group (CARLA's ``ATrafficLightGroup``): its controllers take turns; one goes green, yellow, then everything
is red for the red time, then the next controller is green. Times belong to a controller.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.maps.signals import SignalSite
from bestrand_drive.headless.records import LIGHT_RECORD
from bestrand_drive.headless.world.errors import WorldError

_GREEN_S, _YELLOW_S, _RED_S = 10.0, 3.0, 2.0  # CARLA's defaults


class LightState(IntEnum):
    """CARLA's ``TrafficLightState``."""

    RED = 0
    YELLOW = 1
    GREEN = 2
    OFF = 3
    UNKNOWN = 4


_STAGES = (LightState.GREEN, LightState.YELLOW, LightState.RED)


class _Group:
    """Lights of one junction: ``phases`` are light indices per controller."""

    def __init__(self, phases: list[list[int]]) -> None:
        self.phases = phases
        self.times = [[_GREEN_S, _YELLOW_S, _RED_S] for _ in phases]
        self.members = [light for phase in phases for light in phase]
        self.phase = self.stage = 0


class TrafficLights:
    """All lights of a town, in the order of ``sites``; the world gives them their actor ids."""

    def __init__(
        self,
        sites: Sequence[SignalSite],
        junctions: Sequence[Sequence[Sequence[str]]],
        actor_ids: Sequence[int],
        seed: int,
    ) -> None:
        """Build the groups; seed 0 starts all at their first green, another one draws phases and times."""
        self.ids = list(actor_ids)
        self._index = {actor_id: index for index, actor_id in enumerate(self.ids)}
        self.record = np.zeros(len(self.ids), dtype=LIGHT_RECORD)
        self.record["sign_id"] = [site.sign_id.encode()[:31] for site in sites]
        self.record["state"] = LightState.RED
        self._groups = _build_groups(sites, junctions)
        count = len(self._groups)
        self._elapsed: NDArray[np.float64] = np.zeros(count)
        self._due: NDArray[np.float64] = np.zeros(count)
        self._running: NDArray[np.bool_] = np.ones(count, dtype=np.bool_)
        self._group_of: NDArray[np.intp] = np.zeros(len(self.ids), dtype=np.intp)
        for number, group in enumerate(self._groups):
            self._group_of[group.members] = number
        self._start(seed)

    def _start(self, seed: int) -> None:
        generator = np.random.default_rng(seed)
        for number, group in enumerate(self._groups):
            group.phase = int(generator.integers(len(group.phases))) if seed else 0
            self._elapsed[number] = generator.uniform(0.0, _GREEN_S) if seed else 0.0
            self._show(number)
        self._write_times()

    # --- the cycle
    def step(self, dt_s: float) -> None:
        """Advance every group that is not frozen."""
        if not self._groups:
            return
        self._elapsed += dt_s * self._running
        late = self._elapsed >= self._due
        if late.any():
            for number in np.flatnonzero(late & self._running).tolist():
                self._advance(number)
        self.record["elapsed"] = self._elapsed[self._group_of]

    def _advance(self, number: int) -> None:
        group = self._groups[number]
        group.stage = (group.stage + 1) % len(_STAGES)
        if group.stage == 0:
            group.phase = (group.phase + 1) % len(group.phases)
        self._elapsed[number] = 0.0
        self._show(number)

    def _show(self, number: int) -> None:
        """Write the states of a group and when it changes next."""
        group = self._groups[number]
        self.record["state"][group.members] = LightState.RED
        self.record["state"][group.phases[group.phase]] = _STAGES[group.stage]
        self._due[number] = group.times[group.phase][group.stage] - 1e-9

    def _write_times(self) -> None:
        for group in self._groups:
            for phase, times in zip(group.phases, group.times, strict=True):
                for name, seconds in zip(("green", "yellow", "red"), times, strict=True):
                    self.record[name][phase] = seconds
        self.record["frozen"] = ~self._running[self._group_of]
        self.record["elapsed"] = self._elapsed[self._group_of]

    # --- what clients ask and set
    def index(self, actor_id: int) -> int:
        """Row of a light.

        Raises:
            WorldError: The actor is no traffic light.
        """
        try:
            return self._index[actor_id]
        except KeyError:
            raise WorldError("unable to find traffic light") from None

    def set_state(self, actor_id: int, state: int) -> None:
        """Show a colour until the group's next change (for ever when frozen)."""
        self.record["state"][self.index(actor_id)] = LightState(state)

    def set_times(
        self, actor_id: int, *, green: float | None = None, yellow: float | None = None, red: float | None = None
    ) -> None:
        """Change the times of the light's controller; none leaves one as it is."""
        index = self.index(actor_id)
        number = int(self._group_of[index])
        group = self._groups[number]
        phase = next(k for k, lights in enumerate(group.phases) if index in lights)
        for stage, seconds in enumerate((green, yellow, red)):
            if seconds is not None:
                group.times[phase][stage] = max(float(seconds), 0.0)
        self._due[number] = group.times[group.phase][group.stage] - 1e-9
        self._write_times()

    def freeze(self, actor_id: int, frozen: bool) -> None:
        """Stop or resume the cycle of the light's group."""
        self._running[self._group_of[self.index(actor_id)]] = not frozen
        self._write_times()

    def freeze_all(self, frozen: bool) -> None:
        """Stop or resume all cycles."""
        self._running[:] = not frozen
        self._write_times()

    def reset_group(self, actor_id: int) -> None:
        """Start the light's group again at its first green."""
        self._reset(int(self._group_of[self.index(actor_id)]))

    def reset_all(self) -> None:
        """Start every group again at its first green."""
        for number in range(len(self._groups)):
            self._reset(number)

    def _reset(self, number: int) -> None:
        group = self._groups[number]
        group.phase = group.stage = 0
        self._elapsed[number] = 0.0
        self._show(number)
        self.record["elapsed"] = self._elapsed[self._group_of]

    def group(self, actor_id: int) -> list[int]:
        """Actor ids of all lights of the group, by controller."""
        return [self.ids[light] for light in self._groups[int(self._group_of[self.index(actor_id)])].members]


def _build_groups(sites: Sequence[SignalSite], junctions: Sequence[Sequence[Sequence[str]]]) -> list[_Group]:
    """One group a junction with controllers; a light that no controller names is a group of its own."""
    index = {site.sign_id: number for number, site in enumerate(sites)}
    groups, used = [], set[int]()
    for junction in junctions:
        phases = []
        for controller in junction:
            lights = [index[name] for name in controller if name in index and index[name] not in used]
            used.update(lights)
            phases += [lights] if lights else []
        groups += [_Group(phases)] if phases else []
    return groups + [_Group([[light]]) for light in range(len(sites)) if light not in used]
