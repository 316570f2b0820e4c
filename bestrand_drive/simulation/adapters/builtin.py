"""The evaluator that comes with this package; it connects to a server that runs already, headless or CARLA's."""

from __future__ import annotations

from pathlib import Path

from bestrand_drive.benchmarks.builtin_routes import NAME
from bestrand_drive.simulation.adapters.adapter import Adapter
from bestrand_drive.simulation.adapters.bench2drive import traffic_seed
from bestrand_drive.simulation.adapters.job import Job


def _arguments(job: Job) -> tuple[str, ...]:
    towns = () if job.checkout.towns is None else (f"--towns={job.checkout.towns}",)
    return ("--host=127.0.0.1", f"--traffic-manager-port={job.traffic_manager_port}", *towns)


def _variables(job: Job) -> dict[str, str]:
    """What agents written for Bench2Drive read; SAVE_PATH also has the drive's steps written down, for comfort."""
    return {"IS_BENCH2DRIVE": "True", "SAVE_PATH": str(job.agent_folder), "ROUTES": str(job.route_path)}


BUILTIN = Adapter(
    name=NAME,
    version=1,
    benchmark=NAME,
    title="The built-in evaluator",
    script=Path("bestrand_drive/evaluator/__main__.py"),
    starts_server=False,
    timeout_s=60.0,
    track="SENSORS",
    signs=(),
    own_flags=frozenset(),
    foreign_flags=frozenset(),
    modules=("carla", "bestrand_drive"),
    seed=traffic_seed,
    arguments=_arguments,
    variables=_variables,
    module="bestrand_drive.evaluator",
)
