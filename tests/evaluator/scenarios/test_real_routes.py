"""Bench2Drive's routes in the towns at hand: each scenario can be set up, starts, and ends or is passed."""

from __future__ import annotations

from pathlib import Path

import pytest

from bestrand_drive.evaluator.route_file import Route, read_routes
from tests.evaluator.scenarios.playing import blind, play

FEWEST = 30


@pytest.fixture(scope="module")
def routes(shared_data: Path) -> list[Route]:
    """Those whose town is at hand."""
    towns = {town.stem for town in (shared_data / "towns").glob("*.xodr")}
    every = read_routes(shared_data / "bench2drive" / "routes" / "bench2drive220.xml")
    found = [route for route in every if route.town in towns]
    if len(found) < FEWEST:
        pytest.skip(f"only {len(found)} routes in the towns at hand")
    return found


def test_every_route_plays_to_its_end(routes: list[Route], shared_data: Path) -> None:
    for route in routes:
        played = play(route, shared_data / "towns", blind)
        assert played.arrived, route.id


def test_walkers_and_blockers_are_met_in_carlas_towns_too(routes: list[Route], shared_data: Path) -> None:
    wanted = {"DynamicObjectCrossing": "walker.", "ParkingCrossingPedestrian": "walker.", "HardBreakRoute": "vehicle."}
    asked = [route for route in routes if route.scenarios[0].type in wanted]
    assert {route.scenarios[0].type for route in asked} == set(wanted)
    for route in asked:
        kind, hits = wanted[route.scenarios[0].type], play(route, shared_data / "towns", blind).hits
        assert any(name.startswith(kind) for name in hits), route.id
