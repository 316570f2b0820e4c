"""When the oncoming lane may be used to get round an obstacle."""

from __future__ import annotations

import pytest

from tests.evaluator.scenarios.playing import set_up, shipped_routes, shipped_towns
from tests.evaluator.scenarios.toy_stage import DELTA_S

SPEED_M_S = 9.0
OBSTACLES = ("ParkedObstacle", "ConstructionObstacle", "Accident", "HazardAtSideLane")


def times(scenario_type: str) -> tuple[float, float | None]:
    """When the ego, which stops before the obstacle, has come near, and when it may use the oncoming lane."""
    route = next(route for route in shipped_routes() if route.scenarios[0].type == scenario_type)
    played = set_up(route, shipped_towns())
    stage, scenario = played.stage, played.scenario
    place = scenario.blocked.transform.location  # type: ignore[attr-defined]
    stage.ego_to(scenario.at_m, SPEED_M_S)
    scenario.start()
    near: float | None = None
    for _ in range(400):
        assert near is not None or not scenario.wrong_way_allowed, "before the ego is near"
        stage.step()
        away_m = stage.state(stage.ego).location.distance_2d(place)
        near = stage.time_s if near is None and away_m < scenario.wake_m else near  # type: ignore[attr-defined]
        go = SPEED_M_S if away_m > 12.0 else 0.0
        stage.ego_to(stage.progress_m + go * DELTA_S, go)
        scenario.tick()
        if scenario.wrong_way_allowed:
            break
    assert near is not None
    return near, stage.time_s if scenario.wrong_way_allowed else None


@pytest.mark.parametrize("scenario_type", ["ParkedObstacleTwoWays", "ConstructionObstacleTwoWays"])
def test_five_seconds_after_the_ego_has_come_near(scenario_type: str) -> None:
    """CARLA switches the criterion off then; who swings out at once is charged."""
    near_s, allowed_s = times(scenario_type)
    assert allowed_s == pytest.approx(near_s + 5.0, abs=3 * DELTA_S)


@pytest.mark.parametrize("scenario_type", OBSTACLES)
def test_never_where_another_lane_runs_the_same_way(scenario_type: str) -> None:
    assert times(scenario_type)[1] is None
