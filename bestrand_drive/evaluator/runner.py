"""A run: every route of a file, one after the other, and the result file."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from bestrand_drive.benchmarks.builtin_limits import refuse_towns, refuse_types
from bestrand_drive.evaluator import agent_loading
from bestrand_drive.evaluator.criteria.moment import Kind
from bestrand_drive.evaluator.drive import ENDING, SENSORS, SIMULATION, Conditions, Drive
from bestrand_drive.evaluator.metric_info import write_steps
from bestrand_drive.evaluator.results import Record, Results
from bestrand_drive.evaluator.route_file import Route, read_routes
from bestrand_drive.evaluator.scenarios.catalog import TYPES
from bestrand_drive.evaluator.scene import DELTA_S
from bestrand_drive.evaluator.scoring import score
from bestrand_drive.evaluator.session import Session, connected
from bestrand_drive.files import write_atomic

CRASHED = 255
"""What the leaderboard's evaluators leave with when they stop early."""


def run(options: argparse.Namespace) -> int:
    """Drive all routes; the exit code.

    Raises:
        BestrandError: A file or an option is wrong, or no server answers.
    """
    routes = read_routes(options.routes, options.routes_subset)
    refuse_types({route.id: [scenario.type for scenario in route.scenarios] for route in routes})
    results = Results(options.checkpoint, len(routes) * options.repetitions)
    results.write()
    agent_loading.arm()
    conditions = _conditions(options)
    with connected(options.host, options.port, options.timeout, options.towns) as session:
        towns = {route.id: route.town for route in routes}
        refuse_towns(towns, session.missing(towns.values()),
                     f"neither the server nor {options.towns} has it. Check --towns.")  # fmt: skip
        for route in routes:
            for repetition in range(options.repetitions):
                failure = _drive(session, route, repetition, conditions, results, options.record)
                if failure in ENDING:
                    return CRASHED
    results.entry_status = "Finished"
    results.write(finished=True)
    return 0


def _conditions(options: argparse.Namespace) -> Conditions:
    agent: type[Any] | BaseException
    try:
        agent = agent_loading.load_agent(options.agent)
    except Exception as error:  # an agent's file may raise anything; its routes tell of it
        agent = error
    return Conditions(
        agent=agent,
        config=options.agent_config,
        host=options.host,
        port=options.port,
        debug=options.debug,
        track=options.track,
        timeout_s=options.timeout,
        seed=options.traffic_manager_seed,
        manager_port=options.traffic_manager_port,
        background=options.background,
        types=TYPES,
        saves=bool(os.environ.get("SAVE_PATH")),
        live=_live(options.debug_checkpoint) if options.debug > 1 else None,
    )


def _drive(
    session: Session, route: Route, repetition: int, conditions: Conditions, results: Results, record_to: str
) -> str:
    """Drive one route and write what came of it; why it ended early."""
    route_id = f"RouteScenario_{route.id}_rep{repetition}"
    scenario = route.scenarios[0].name if route.scenarios else "NoScenario"
    print(f"========= {route_id} ({route.town}, {scenario})", flush=True)
    recording = f"{record_to}/{route_id}.log" if record_to else ""
    drive = Drive(session, route, save_name(route_id, route.town, scenario), conditions, recording)
    drive.run()
    results.sensors = results.sensors or drive.sensors
    results.records.append(_record(route_id, scenario, drive))
    results.entry_status = {SIMULATION: "Crashed", SENSORS: "Rejected"}.get(drive.failure, "Started")
    results.write()
    if conditions.saves:
        write_steps(Path(os.environ["SAVE_PATH"]) / drive.save_name, drive.steps)
    return drive.failure


def save_name(route_id: str, town: str, scenario: str) -> str:
    """Folder for what the agent saves, named as Bench2Drive's, with its word for a weather that has no name there."""
    now = datetime.now().astimezone().strftime("%m_%d_%H_%M_%S")
    return f"{route_id}_{town}_{scenario}_None_{now}".replace("/", "_")  # a scenario's name may hold anything


def _record(route_id: str, scenario: str, drive: Drive) -> Record:
    """What came of a drive; told, too."""
    said = score(drive.events, drive.completion, drive.failure)
    skipped = () if drive.cast is None else tuple(f"{name}: {why}" for name, why in drive.cast.skipped)
    game_s = drive.ticks * DELTA_S
    print(f"{route_id}: {said.status}, {said.composed:.2f} ({said.completion:.2f} % x {said.penalty:.3f}), "
          f"{game_s:.1f} s game in {drive.system_s:.2f} s", flush=True)  # fmt: skip
    for kind, messages in said.infractions.items():
        if messages and kind != Kind.MIN_SPEED.value:
            print(f"  {kind}: " + "; ".join(messages), flush=True)
    sys.stderr.flush()
    return Record(route_id, scenario, drive.save_name, drive.route.town, said,
                  drive.length_m, game_s, drive.system_s, skipped)  # fmt: skip


def _live(path: Path) -> Callable[[Drive], None]:
    """Writes how a drive goes."""

    def write(drive: Drive) -> None:
        found = score(drive.events, drive.completion)
        lines = [f"Route: {drive.route.id}", f"Save name: {drive.save_name}", f"Driving score: {found.composed:.3f}",
                 f"Route completion: {found.completion:.3f}", f"Infraction penalty: {found.penalty:.3f}",
                 f"Game duration: {drive.ticks * DELTA_S:.2f}", f"Infractions: {found.count}"]  # fmt: skip
        write_atomic(path, "\n".join([*lines, ""]).encode())

    return write
