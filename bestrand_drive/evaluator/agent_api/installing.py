"""Puts our modules under the official names, for each official package that cannot be imported."""

from __future__ import annotations

import contextlib
import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

PLANNER = "agents.navigation.local_planner"
_OURS = {
    "leaderboard.autoagents.autonomous_agent": "autonomous_agent",
    "leaderboard.envs.sensor_interface": "sensor_interface",
    "leaderboard.utils.route_manipulation": "route_manipulation",
    "srunner.scenariomanager.carla_data_provider": "carla_data_provider",
    "srunner.scenariomanager.timer": "timer",
    PLANNER: "local_planner",
}


def install() -> None:
    """Make agents' imports work.

    ``leaderboard`` and ``srunner`` belong together: with one of them missing both are ours. ``agents`` is a name that
    others use too: it is CARLA's only with CARLA's planner in it, and else keeps its own modules beside ours.
    """
    official = {name for name in ("leaderboard", "srunner") if name not in sys.modules and find_spec(name)}
    if len(official) == 1:
        official = set()
    if _has_planner():
        official.add("agents")
    for name, own in _OURS.items():
        if name.split(".")[0] not in official:
            _put(name, import_module(f"bestrand_drive.evaluator.agent_api.{own}"))


def _has_planner() -> bool:
    """Whether CARLA's planner can be imported; as much of its packages as can be is, whatever they raise."""
    with contextlib.suppress(Exception):
        return hasattr(import_module(PLANNER), "RoadOption")
    return False


def _put(name: str, module: ModuleType) -> None:
    """A module under a dotted name, with the packages above it."""
    package, _, last = name.rpartition(".")
    sys.modules[name] = module
    if not package:
        return
    if package not in sys.modules:
        above = ModuleType(package)
        above.__path__ = []
        _put(package, above)
    setattr(sys.modules[package], last, module)
