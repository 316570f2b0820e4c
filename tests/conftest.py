"""Where the real data lies, and small builders of result files and route files that several rooms' tests use."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

KINDS = (
    "collisions_layout",
    "collisions_pedestrian",
    "collisions_vehicle",
    "red_light",
    "stop_infraction",
    "outside_route_lanes",
    "min_speed_infractions",
    "yield_emergency_vehicle_infractions",
    "scenario_timeouts",
    "route_dev",
    "vehicle_blocked",
    "route_timeout",
)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of real route and result files: $BESTRAND_SHARED_DATA, else ../shared/data beside the repository."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("BESTRAND_SHARED_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}; set BESTRAND_SHARED_DATA")
    return folder


class Builders:
    """Make records, result files and route files of the evaluators' forms."""

    @staticmethod
    def record(
        route_id: str = "RouteScenario_1_rep0",
        status: str = "Completed",
        completion: float = 100,
        penalty: float = 1.0,
        infractions: dict[str, list[str]] | None = None,
        **extra: Any,
    ) -> dict[str, Any]:
        """One record as the evaluators write it."""
        return {
            "index": 0,
            "route_id": route_id,
            "status": status,
            "num_infractions": 0,
            "infractions": {kind: [] for kind in KINDS} | (infractions or {}),
            "scores": {
                "score_route": completion,
                "score_penalty": penalty,
                "score_composed": round(completion * penalty, 6),
            },
            "meta": {"route_length": 100.0, "duration_game": 20.0, "duration_system": 60.0},
        } | extra

    @staticmethod
    def write(path: Path, records: list[dict[str, Any]]) -> Path:
        """A checkpoint file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        checkpoint = {"global_record": {}, "progress": [len(records), len(records)], "records": records}
        path.write_text(json.dumps({"_checkpoint": checkpoint, "entry_status": "Finished"}))
        return path

    @staticmethod
    def route(route_id: int | str = 1, kind: str = "ParkingCutIn", town: str = "Town12") -> str:
        """One <route> element."""
        scenario = f'<scenario name="{kind}_1" type="{kind}"><trigger_point x="1" y="2" z="3" yaw="0"/></scenario>'
        return (
            f'<route id="{route_id}" town="{town}">\n  <waypoints>\n    <position x="0.0" y="0.0" z="0.0"/>\n'
            f'    <position x="3.0" y="4.0" z="0.0"/>\n  </waypoints>\n  <scenarios>{scenario}</scenarios>\n</route>'
        )

    @staticmethod
    def routes(*elements: str) -> bytes:
        """A route file around the elements."""
        return ("<routes>\n" + "\n".join(elements) + "\n</routes>\n").encode()


@pytest.fixture(scope="session")
def build() -> type[Builders]:
    """Builders of test files."""
    return Builders
