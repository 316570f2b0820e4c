"""Real routes, one of each scenario type, and made ones; tests that ask ``carla.Map`` are left out without it."""

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from bestrand_drive.headless.roads.request import Route
from tests.headless.roads.real_routes import read

if importlib.util.find_spec("carla") is None:
    collect_ignore_glob = ["test_made_junctions.py", "test_maps.py", "test_scenario_needs.py"]


@pytest.fixture(scope="session")
def real_routes(shared_data: Path) -> list[Route]:
    """Bench2Drive's 220 routes."""
    return read(shared_data / "bench2drive" / "routes" / "bench2drive220.xml")


@pytest.fixture(scope="session")
def fail2drive_routes(shared_data: Path) -> list[Route]:
    """Fail2Drive's routes of two places each."""
    files = sorted((shared_data / "fail2drive" / "routes").glob("*.xml"))
    assert len(files) == 200
    return [route for file in files for route in read(file)]


@pytest.fixture(scope="session")
def of_type(real_routes: list[Route]) -> Callable[[str], Route]:
    """The first route of a scenario type on the large towns, else of any."""

    def find(kind: str) -> Route:
        own = [route for route in real_routes if route.scenarios[0].type == kind]
        return next((route for route in own if route.town in ("Town12", "Town13")), own[0])

    return find
