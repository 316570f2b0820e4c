"""Tells the agent's world what happens, in our modules or, where those are installed, in the official ones."""

from __future__ import annotations

import sys
from typing import Any

import carla

from bestrand_drive.evaluator.agent_api.carla_data_provider import CarlaDataProvider
from bestrand_drive.evaluator.agent_api.installing import PLANNER
from bestrand_drive.evaluator.agent_api.timer import GameTime
from bestrand_drive.evaluator.plan import Plan
from bestrand_drive.evaluator.session import Session

_PROVIDER = "srunner.scenariomanager.carla_data_provider"
_TIMER = "srunner.scenariomanager.timer"


def _official(module: str, name: str, ours: type) -> Any:
    """The official class of that name if the agent sees it, else None."""
    found = getattr(sys.modules.get(module), name, None)
    return None if found is ours else found


def begin(session: Session, port: int, seed: int) -> None:
    """A town was loaded."""
    CarlaDataProvider.begin(session.client, session.world, session.map, port, seed)
    GameTime.set(0, 0.0)
    provider = _official(_PROVIDER, "CarlaDataProvider", CarlaDataProvider)
    if provider is not None:
        provider.set_client(session.client)
        provider.set_world(session.world)
        provider.set_traffic_manager_port(port)
    timer = _official(_TIMER, "GameTime", GameTime)
    if timer is not None:
        timer.restart()


def set_hero(ego: carla.Vehicle) -> None:
    """The ego is there."""
    CarlaDataProvider.set_hero(ego)
    provider = _official(_PROVIDER, "CarlaDataProvider", CarlaDataProvider)
    if provider is not None:
        provider.register_actor(ego, ego.get_transform())


def tick(snapshot: carla.WorldSnapshot, time_s: float) -> None:
    """A tick has passed."""
    GameTime.set(snapshot.frame, time_s)
    timer = _official(_TIMER, "GameTime", GameTime)
    if timer is not None:
        timer.on_carla_tick(snapshot.timestamp)
        provider = _official(_PROVIDER, "CarlaDataProvider", CarlaDataProvider)
        if provider is not None:
            provider.on_carla_tick()


def cleanup() -> None:
    """The drive is over."""
    CarlaDataProvider.cleanup()


def route_of(plan: Plan) -> list[tuple[carla.Transform, Any]]:
    """The plan with the options that the agent knows."""
    options = sys.modules[PLANNER].RoadOption
    return [(point.transform, options(int(point.option))) for point in plan.points]
