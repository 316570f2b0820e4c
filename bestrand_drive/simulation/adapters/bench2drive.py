"""Bench2Drive's evaluator: one process a route, which starts its own server from CARLA_ROOT.

Sources: Bench2Drive's ``leaderboard_evaluator.py`` and ``scripts/run_evaluation.sh``.
"""

from __future__ import annotations

from bestrand_drive.simulation.adapters.adapter import Adapter
from bestrand_drive.simulation.adapters.checkout import MAIN
from bestrand_drive.simulation.adapters.job import Job


def traffic_seed(_route_id: str, repeat: int) -> int:
    """The repeat; the benchmark itself drives with 0."""
    return repeat


def _arguments(job: Job) -> tuple[str, ...]:
    return (f"--traffic-manager-port={job.traffic_manager_port}", f"--gpu-rank={job.rank_token}")


def _variables(job: Job) -> dict[str, str]:
    """As its script exports them, but for RESUME.

    SAVE_PATH also widens where sensors may be mounted; without it other agents would be refused than under the script.
    """
    rank = {} if job.gpu is None else {"GPU_RANK": job.gpu}
    return {
        "CARLA_SERVER": str(job.carla_root / "CarlaUE4.sh"),
        "IS_BENCH2DRIVE": "True",
        "PORT": str(job.port),
        "TM_PORT": str(job.traffic_manager_port),
        "DEBUG_CHALLENGE": "0",
        "REPETITIONS": "1",
        "ROUTES": str(job.route_path),
        "TEAM_AGENT": str(job.agent.path),
        "TEAM_CONFIG": job.agent.config,
        "CHECKPOINT_ENDPOINT": str(job.result),
        "SAVE_PATH": str(job.agent_folder),
        **rank,
    }


BENCH2DRIVE = Adapter(
    name="bench2drive",
    version=1,
    benchmark="bench2drive",
    title="Bench2Drive",
    script=MAIN,
    starts_server=True,
    timeout_s=600.0,
    track="SENSORS",
    signs=("leaderboard/data/weather.xml",),
    own_flags=frozenset({"--gpu-rank"}),
    foreign_flags=frozenset(),
    modules=("carla", "agents", "py_trees", "networkx", "shapely", "numpy", "simple_watchdog_timer", "dictor",
             "requests", "six", "tabulate", "cv2", "ephem", "pkg_resources", "distutils"),
    seed=traffic_seed,
    arguments=_arguments,
    variables=_variables,
    paths=("leaderboard/team_code",),
)  # fmt: skip
