"""Checkouts made of the stand-ins, and jobs in them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bestrand_drive.benchmarks.routes import parse_routes
from bestrand_drive.simulation.adapters.agent import find_agent
from bestrand_drive.simulation.adapters.catalog import ADAPTERS, find_adapter
from bestrand_drive.simulation.adapters.job import Job
from tests.faults.stand_in.checkout import make_agent, make_checkout

BOTH = ("bench2drive", "fail2drive")


@pytest.fixture(scope="session")
def roots(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A checkout of each benchmark."""
    return {name: make_checkout(tmp_path_factory.mktemp("roots") / name, name) for name in BOTH}


@pytest.fixture(params=[name for name, one in ADAPTERS.items() if not one.module])
def adapter(request: pytest.FixtureRequest) -> Any:
    """Each evaluator of a checkout in turn."""
    return find_adapter(request.param)


@pytest.fixture
def make_job(roots: dict[str, Path], tmp_path: Path, build: Any) -> Callable[..., Job]:
    """A job of an adapter: route 1011 of a file of two; keywords replace its fields."""

    def make(adapter: Any, **fields: Any) -> Job:
        root = roots[adapter.benchmark]
        content = build.routes(build.route(11), build.route(1011, town="Town13"))
        given: dict[str, Any] = {
            "checkout": adapter.checkout(root),
            "python": (sys.executable,),
            "carla_root": tmp_path / "carla",
            "routes": parse_routes(tmp_path / "some.xml", content),
            "route_id": "1011",
            "repeat": 0,
            "agent": find_agent(str(make_agent(tmp_path / "team")), root=root),
            "work": tmp_path / "work",
            "port": 21000,
            "traffic_manager_port": 21003,
        }
        return Job(**{**given, **fields})

    return make
