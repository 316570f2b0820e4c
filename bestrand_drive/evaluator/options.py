"""The command line: the options of the leaderboard's evaluators, and where our own towns lie."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bestrand_drive.files import shipped_folder


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
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
    add("--towns", type=Path, default=shipped_folder("route_configs") / "builtin" / "towns",
        help="folder of OpenDRIVE files of towns that the server does not have")  # fmt: skip
    add("--background", type=int, default=5, help="vehicles around the ego")
    return parser.parse_args(arguments)
