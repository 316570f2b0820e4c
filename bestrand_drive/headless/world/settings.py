"""Settings of an episode and its weather, with CARLA's defaults."""

from __future__ import annotations

from dataclasses import dataclass

from bestrand_drive.headless.world.ranges import LONGEST_STEP_S, MOST_SUBSTEPS, SHORTEST_STEP_S, check

DEFAULT_STEP_S = 0.05


@dataclass
class EpisodeSettings:
    """Settings in the field order of CARLA's wire struct ``EpisodeSettings``.

    Attributes:
        synchronous_mode: A client's ticks move the world.
        no_rendering_mode: Stored only; nothing is rendered here.
        fixed_delta_seconds: Step in seconds; none or 0 means 0.05 s.
        substepping: Stored only; a kinematic step needs none.
        max_substep_delta_time: Seconds, stored only.
        max_substeps: Stored only.
        max_culling_distance: Metres, stored only.
        deterministic_ragdolls: Stored only.
        tile_stream_distance: Metres, stored only.
        actor_active_distance: Metres, stored only; no actor goes dormant here.
        spectator_as_ego: Stored only.
    """

    synchronous_mode: bool = False
    no_rendering_mode: bool = False
    fixed_delta_seconds: float | None = None
    substepping: bool = True
    max_substep_delta_time: float = 0.01
    max_substeps: int = 10
    max_culling_distance: float = 0.0
    deterministic_ragdolls: bool = True
    tile_stream_distance: float = 3000.0
    actor_active_distance: float = 2000.0
    spectator_as_ego: bool = True

    def __post_init__(self) -> None:
        """Refuse what no simulation can be stepped by.

        Raises:
            WorldError: The step or the number of substeps is out of range.
        """
        if self.fixed_delta_seconds:
            check("a step of", "s", (self.fixed_delta_seconds,), SHORTEST_STEP_S, LONGEST_STEP_S)
        check("a number of substeps of", "", (self.max_substeps,), 0, MOST_SUBSTEPS)

    @property
    def step_s(self) -> float:
        """Simulated seconds of one tick."""
        return self.fixed_delta_seconds or DEFAULT_STEP_S


def default_weather() -> list[float]:
    """The 14 numbers of a clear noon, in the order of CARLA's wire struct ``WeatherParameters``."""
    return [0.0, 0.0, 0.0, 5.0, 0.0, 75.0, 2.0, 0.75, 0.1, 0.0, 1.0, 0.03, 0.0331, 0.0]
