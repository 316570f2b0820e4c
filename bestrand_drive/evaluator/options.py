"""The command line: the options of the leaderboard's evaluators, and where our own towns lie."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bestrand_drive.benchmarks.builtin_routes import towns_path
from bestrand_drive.errors import UsageError

_HIGHEST_PORT = 65535
_LONGEST_S = 1e6
"""Far from what a timer and the client can hold."""


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line.

    Raises:
        UsageError: A value with which nothing can be driven.
    """
    parser = argparse.ArgumentParser(
        prog="python -m bestrand_drive.evaluator",
        description="Drive routes with a leaderboard agent on a running CARLA (or headless) server, and score them.",
    )
    add = parser.add_argument
    add("--host", default="localhost", help="of the server")
    add("--port", type=int, default=2000, help="of the server")
    add("--traffic-manager-port", type=int, default=8000, help="told to agents; no TrafficManager is started")
    add("--traffic-manager-seed", type=int, default=0, help="of traffic and scenarios")
    add("--timeout", type=float, default=60.0, help="seconds for any call of the server and any step of the agent")
    add("--routes", type=Path, required=True, help="route file")
    add("--routes-subset", default="", help="ids, and stretches of ids in the file's order: 3,7,12-20")
    add("--repetitions", type=int, default=1, help="of each route")
    add("-a", "--agent", type=Path, required=True, help="Python file of the agent")
    add("--agent-config", default="", help="handed to the agent")
    add("--track", default="SENSORS", choices=("SENSORS", "MAP", "SENSORS_QUALIFIER", "MAP_QUALIFIER"))
    add("--checkpoint", type=Path, default=Path("simulation_results.json"), help="result file")
    add("--debug-checkpoint", type=Path, default=Path("live_results.txt"), help="written while driving at --debug 2")
    add("--record", default="", help="folder on the server for recordings")
    add("--debug", type=int, default=0, help="2: live results")
    add("--towns", type=Path, default=towns_path(), help="OpenDRIVE files of towns that the server does not have")
    add("--background", type=int, default=5, help="vehicles around the ego")
    options = parser.parse_args(arguments)
    _check(options)
    return options


def _check(options: argparse.Namespace) -> None:
    """Refuse what would else fail late, or drive nothing and say that all is well."""
    agent = options.agent
    faults = {
        f"--repetitions {options.repetitions}: at least 1.": options.repetitions < 1,
        f"--timeout {options.timeout:g}: give a positive number of seconds.": not 0.0 < options.timeout <= _LONGEST_S,
        f"--port {options.port}: 1 to 65535.": not 0 < options.port <= _HIGHEST_PORT,
        f"--background {options.background}: at least 0.": options.background < 0,
        f"--agent {agent}: no such file.": not agent.is_file(),
        f"--agent {agent}: is imported by its name; give NAME.py, without another dot in NAME.":
            agent.suffix != ".py" or agent.name.count(".") != 1,
        **_unwritable("--checkpoint", options.checkpoint),
        **(_unwritable("--debug-checkpoint", options.debug_checkpoint) if options.debug > 1 else {}),
    }  # fmt: skip
    for said, wrong in faults.items():
        if wrong:
            raise UsageError(said)


def _unwritable(option: str, path: Path) -> dict[str, bool]:
    return {
        f"{option} {path}: there is no folder {path.parent}; make it first.": not path.parent.is_dir(),
        f"{option} {path}: is a folder; give a file in it.": path.is_dir(),
    }
