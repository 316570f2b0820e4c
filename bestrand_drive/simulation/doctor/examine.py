"""All checks in order; one that fails does not keep the others from being made."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from bestrand_drive.errors import BestrandError, ExitCode
from bestrand_drive.simulation.doctor import agent, cluster, evaluator, machine, out, python, simulator
from bestrand_drive.simulation.doctor.case import Case
from bestrand_drive.simulation.doctor.finding import Finding, Level, NotLooked, fail

Check = Callable[[Case], Iterator[Finding]]
CHECKS: tuple[tuple[str, Check], ...] = (
    ("checkout", evaluator.check_root),
    ("commit", evaluator.check_commit),
    ("interpreter", python.check_interpreter),
    ("carla client", python.check_carla),
    ("agents package", python.check_agents),
    ("imports", python.check_imports),
    ("agent", agent.check_agent),
    ("agent imports", python.check_agent_imports),
    ("server", simulator.check_server),
    ("towns", simulator.check_towns),
    ("gpus", machine.check_gpus),
    ("ports", machine.check_ports),
    ("ray", cluster.check_ray),
    ("slurm", cluster.check_slurm),
    ("runtime folder", machine.check_runtime_folder),
    ("disk", machine.check_disk),
    ("open files", machine.check_open_files),
    ("run folder", out.check_folder),
    ("same run", out.check_same_run),
)
"""Names stand for checks that could not be made; what a check finds may carry other names."""


def examine(case: Case, only: Collection[str] | None = None) -> Iterator[Finding]:
    """Make the checks; each finding comes as soon as it is there.

    Args:
        case: What a run would be asked for.
        only: Names of the checks to make, None for all.
    """
    for name, check in ((name, check) for name, check in CHECKS if only is None or name in only):
        try:
            yield from check(case)
        except NotLooked as reason:
            yield Finding(name, Level.SKIPPED, str(reason))
        except BestrandError as error:
            if error.exit_code == ExitCode.INTERNAL:
                raise
            yield fail(name, str(error), "")
        except OSError as error:
            yield fail(name, f"{error.filename or 'a file'}: {error.strerror or error}", "")
