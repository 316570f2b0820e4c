"""Fail2Drive's two evaluators, which connect to a server that runs already.

The ``_local`` one hands its agents more (the route's name and date, the TrafficManager) and finds a port for the
TrafficManager by itself, from 2000 up; two that start at the same moment may find the same.

Sources: Fail2Drive's ``leaderboard_evaluator.py``, ``leaderboard_evaluator_local.py``, ``slurm_evaluate.py`` and
``env_vars.sh``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bestrand_drive.simulation.adapters.adapter import Adapter
from bestrand_drive.simulation.adapters.checkout import MAIN
from bestrand_drive.simulation.adapters.job import Job


def traffic_seed(route_id: str, repeat: int) -> int:
    """As the launcher: both routes of a pair, whose ids are a thousand apart, get one seed; repeat 0 is its seed 1."""
    return int(route_id) % 1000 + 10_000 * (repeat + 1)


def _traffic_manager(job: Job) -> tuple[str, ...]:
    return (f"--traffic-manager-port={job.traffic_manager_port}",)


def _nothing(_job: Job) -> tuple[str, ...]:
    """It has the option of the port, and ignores it."""
    return ()


def _variables(job: Job) -> dict[str, str]:
    """As its scripts set them; without VIZ_PATH and SAVE_PATH, which make agents draw pictures at every step."""
    return {"WORK_DIR": str(job.checkout.root)}


FAIL2DRIVE = Adapter(
    name="fail2drive",
    version=1,
    benchmark="fail2drive",
    title="Fail2Drive",
    script=MAIN,
    starts_server=False,
    timeout_s=300.0,
    track="MAP",
    signs=("leaderboard/leaderboard/leaderboard_evaluator_local.py", "scenario_runner/speed_limits"),
    own_flags=frozenset(),
    foreign_flags=frozenset({"--gpu-rank"}),
    modules=("carla", "agents", "py_trees", "networkx", "shapely", "numpy", "simple_watchdog_timer", "dictor",
             "requests", "six", "tabulate", "torch", "pkg_resources", "distutils"),
    seed=traffic_seed,
    arguments=_traffic_manager,
    variables=_variables,
)  # fmt: skip
FAIL2DRIVE_LOCAL = replace(
    FAIL2DRIVE,
    name="fail2drive_local",
    script=Path("leaderboard/leaderboard/leaderboard_evaluator_local.py"),
    track="SENSORS",
    modules=tuple(name for name in FAIL2DRIVE.modules if name not in ("pkg_resources", "distutils")),
    arguments=_nothing,
)
