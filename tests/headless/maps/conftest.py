"""Tests of this folder need ``carla.Map`` (offline); without the package they are left out."""

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from bestrand_drive.headless.maps.library import MapLibrary
    from bestrand_drive.headless.maps.road_map import RoadMap

if importlib.util.find_spec("carla") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def towns(shared_data: Path) -> "MapLibrary":
    from bestrand_drive.headless.maps.library import MapLibrary

    return MapLibrary(shared_data / "towns")


@pytest.fixture(scope="session")
def mini() -> "RoadMap":
    from bestrand_drive.headless.maps.road_map import RoadMap
    from tests.headless.world.mini import MINI_XODR

    return RoadMap("mini", MINI_XODR)
