"""Tests of this folder need ``carla.Map`` (offline); without the package they are left out."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from bestrand_drive.headless.world.world import World

if importlib.util.find_spec("carla") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def make_mini() -> "Callable[[int], World]":
    """Builds a world with the mini town, given a seed."""
    from bestrand_drive.headless.blueprints.catalog import load_catalog
    from bestrand_drive.headless.maps.library import MapLibrary
    from bestrand_drive.headless.world.world import World
    from tests.headless.world.mini import MINI_XODR

    maps, catalog = MapLibrary([]), load_catalog()

    def build(seed: int = 0) -> World:
        world = World(maps, catalog, seed)
        world.load_opendrive(MINI_XODR)
        return world

    return build


@pytest.fixture
def world(make_mini: "Callable[[int], World]") -> "World":
    return make_mini(0)


@pytest.fixture(scope="session")
def make_town(shared_data: Path) -> "Callable[..., World]":
    """Builds a world with a real town, given its name and a seed."""
    from bestrand_drive.headless.blueprints.catalog import load_catalog
    from bestrand_drive.headless.maps.library import MapLibrary
    from bestrand_drive.headless.world.world import World

    maps, catalog = MapLibrary(shared_data / "towns"), load_catalog()

    def build(name: str = "Town01", seed: int = 0) -> World:
        world = World(maps, catalog, seed)
        world.load_map(name, True)
        return world

    return build
