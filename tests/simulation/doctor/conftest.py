"""A case in which nothing is wrong, made of the stand-ins; each test breaks one thing of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bestrand_drive.simulation.adapters.catalog import find_adapter
from bestrand_drive.simulation.doctor.case import Case
from bestrand_drive.simulation.doctor.examine import examine
from bestrand_drive.simulation.doctor.finding import Finding, Level
from tests.faults.stand_in.checkout import make_carla_root, make_checkout

AGENT = "class Agent:\n    pass\n\n\ndef get_entry_point():\n    return 'Agent'\n"
CLIENT = (
    "class Client:\n    def __init__(self, host, port):\n        pass\n\n"
    "    def get_client_version(self):\n        return '0.9.15'\n"
)
DISTRIBUTION = """
class Found:
    version = "0.9.15"


def get_distribution(name):
    assert name == "carla"
    return Found
"""


def make_modules(folder: Path, names: tuple[str, ...]) -> Path:
    """Everything that an evaluator imports, empty but for what is asked."""
    folder.mkdir()
    for name in names:
        (folder / f"{name}.py").touch()
    (folder / "carla.py").write_text(CLIENT)
    (folder / "pkg_resources.py").write_text(DISTRIBUTION)
    (folder / "agents.py").unlink()
    (folder / "agents/navigation").mkdir(parents=True)
    return folder


def make_carla(root: Path, *towns: str, version: str = "0.9.15\n") -> Path:
    """A release of CARLA with a stand-in's script."""
    make_carla_root(root)
    (root / "VERSION").write_text(version)
    for town in towns:
        place = root / f"CarlaUE4/Content/Carla/Maps/{town}/{town}.umap"
        place.parent.mkdir(parents=True)
        place.touch()
    return root


@pytest.fixture
def case(tmp_path: Path, build: Any) -> Case:
    """Nothing wrong but for git, which does not know the stand-in."""
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "model.pth").touch()
    (tmp_path / "routes.xml").write_bytes(build.routes(build.route(11), build.route(12, town="Town13")))
    modules = make_modules(tmp_path / "modules", find_adapter("bench2drive").modules)
    return Case(
        root=make_checkout(tmp_path / "checkout", "bench2drive"),
        carla_root=make_carla(tmp_path / "carla", "Town12", "Town13"),
        routes=tmp_path / "routes.xml",
        agent=str(tmp_path / "agent.py"),
        agent_config=str(tmp_path / "model.pth"),
        python=(sys.executable,),
        variables={"PYTHONPATH": str(modules)},
        out=tmp_path / "run",
    )


@pytest.fixture
def found(case: Case) -> Callable[..., dict[str, Finding]]:
    """Findings by check, the worst of a name, with fields of the case replaced."""

    def look(*only: str, **fields: Any) -> dict[str, Finding]:
        by_name: dict[str, Finding] = {}
        for one in examine(replace(case, **fields), only or None):
            if one.level is Level.WAIT:
                continue
            if one.check not in by_name or one.level.value != "ok":
                by_name[one.check] = one
        return by_name

    return look
