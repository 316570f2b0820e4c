"""What a scenario is: configured in the route file, started when the ego reaches its trigger, ticked to its end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bestrand_drive.errors import DataRefused

if TYPE_CHECKING:
    import carla

    from bestrand_drive.evaluator.stage import Stage


class ScenarioNotPossible(Exception):
    """The place does not allow the scenario; the reason is shown and counted, and the route goes on without it."""


@dataclass(frozen=True)
class ScenarioConfig:
    """One ``<scenario>`` of a route file.

    Attributes:
        name: As the file gives it, unique in the route.
        type: Name of CARLA's scenario class.
        trigger: Where the ego starts it.
        parameters: Child tag -> attributes, e.g. ``{"distance": {"value": "40"}}``.
    """

    name: str
    type: str
    trigger: carla.Transform
    parameters: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def number(self, tag: str, default: float, attribute: str = "value") -> float:
        """A number among the parameters, the default where the route does not give it.

        Raises:
            DataRefused: The route gives something else.
        """
        text = self.parameters.get(tag, {}).get(attribute)
        if text is None:
            return default
        try:
            return float(text)
        except ValueError as error:
            said = f"scenario {self.name!r}: <{tag}> has {attribute}={text[:40]!r}, which is no number."
            raise DataRefused(f"{said} Check the route file.") from error

    def text(self, tag: str, default: str) -> str:
        """A text among the parameters, the default where the route does not give it."""
        return self.parameters.get(tag, {}).get("value", default)


class Scenario(ABC):
    """One scenario of a drive.

    The drive makes it before the ego moves when the trigger lies on the plan (``prepare``), starts it when the ego
    comes within ``trigger_distance_m`` of the trigger along the plan, and ticks it until it is finished.

    Attributes:
        trigger_distance_m: Metres before the trigger, along the plan.
        timeout_s: Simulated seconds after the start that count as a scenario timeout; None without.
        finished: Nothing is left to do; set by the scenario.
        emergency_vehicle: Vehicle that the ego must have let pass when the scenario ends, set by those that have one.
        wrong_way_allowed: While it is set and the scenario runs, driving on the oncoming lane is no fault; set by
            those that leave no other way.
    """

    trigger_distance_m: float = 3.5
    timeout_s: float | None = None
    wrong_way_allowed: bool = False

    def __init__(self, stage: Stage, config: ScenarioConfig) -> None:
        self.stage = stage
        self.config = config
        self.finished = False
        self.emergency_vehicle: carla.Actor | None = None

    def prepare(self) -> None:  # noqa: B027  most scenarios need nothing before their trigger
        """Called once before the first tick: what must stand there before the ego sees it.

        Raises:
            ScenarioNotPossible: The place does not allow it.
        """

    @abstractmethod
    def start(self) -> None:
        """Called once when the ego reaches the trigger.

        Raises:
            ScenarioNotPossible: The place does not allow it.
        """

    def disturbed(self, control: carla.VehicleControl) -> carla.VehicleControl:
        """What becomes of the agent's control while the scenario runs, before it is applied; most leave it alone."""
        return control

    @abstractmethod
    def tick(self) -> None:
        """Called once a tick after the start, after the agent has answered, until ``finished``."""

    def end(self, *, timed_out: bool) -> None:
        """Called once when it is finished, or has taken too long: then what it put there is removed.

        Those that clear the road in any case override this.
        """
        if timed_out:
            for actor in self.stage.own:
                self.stage.destroy(actor)
