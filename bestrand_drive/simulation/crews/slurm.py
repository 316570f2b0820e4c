"""An array of Slurm's jobs, submitted through submitit; asked after and cancelled by its id alone."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from bestrand_drive.errors import EnvironmentFault, UsageError
from bestrand_drive.simulation.attempts.models import Frozen
from bestrand_drive.simulation.crews import mailbox

OWN = frozenset({"array", "error", "job-name", "nodes", "ntasks", "ntasks-per-node", "open-mode", "output", "signal"})
"""Options of sbatch that are ours to give."""
TIME = "240"
"""Minutes of a job where nobody says; it is put into the queue again when they are over."""
LEAVE_S = 20.0
"""That workers have to leave by themselves once the run is over."""
_ASK_S, _LOOK_S, _PATIENCE_S = 15.0, 0.5, 60.0
_ENDLESS = 1_000_000
"""Time limits that a job may reach; submitit's default of 3 would end a long run."""


class Submitted(Frozen):
    """``jobs.json`` beside the letters: what the driver has submitted, for the one after it.

    Attributes:
        id: Of the array.
        name: Of its jobs; an id is cancelled only together with it, since ids are used again one day.
    """

    id: Annotated[str, Field(pattern=r"^[0-9]+$")]
    name: str


class SlurmJobs:
    """An array that was submitted; see ``Jobs``.

    Args:
        submitted: It.
        note: Where that is written down until it has ended.
        logs: Of the jobs.
        hurry: Whether nobody wants to wait for workers that leave.
    """

    def __init__(self, submitted: Submitted, note: Path, logs: Path, hurry: Callable[[], bool]) -> None:
        self._submitted, self._note, self._logs, self._hurry = submitted, note, logs, hurry
        self._asked_s, self._coming = -math.inf, True

    @property
    def place(self) -> str:
        """See ``Jobs``."""
        return f"{self._logs}/{self._submitted.id}_*"

    def coming(self) -> bool:
        """See ``Jobs``; a controller that does not answer tells nothing."""
        if time.monotonic() - self._asked_s > _ASK_S:
            self._asked_s = time.monotonic()
            states = states_of(self._submitted.id)
            self._coming = states is None or bool(states)
        return self._coming

    def end(self) -> None:
        """See ``Jobs``."""
        until_s = time.monotonic() + LEAVE_S
        while not self._hurry() and time.monotonic() < until_s:
            cancel(self._submitted, "--state=PENDING")
            if states_of(self._submitted.id) == []:
                break
            time.sleep(_LOOK_S)
        else:
            cancel(self._submitted)
        self._note.unlink(missing_ok=True)


def check_slurm(options: Mapping[str, str]) -> None:
    """Refuse what cannot be submitted from here, before anything is done.

    Raises:
        UsageError: Slurm or submitit is not there, or an option is not the user's to give.
    """
    for name in sorted(OWN & {key.replace("_", "-") for key in options}):
        raise UsageError(f"--slurm {name}=: it is set by the run itself. --servers is the number of jobs.")
    lacking = [program for program in ("sbatch", "srun", "squeue", "scancel") if shutil.which(program) is None]
    if lacking:
        raise UsageError(f"--engine slurm: no {lacking[0]} here. Start the run on a login node, or in a job.")
    try:
        import submitit  # noqa: F401, PLC0415  an extra
    except ImportError as error:
        raise UsageError(
            "--engine slurm: submitit is not installed. In the checkout of this package: pip install '.[slurm]'."
        ) from error


def submit(workers: Sequence[Callable[[], object]], options: Mapping[str, str], name: str, logs: Path) -> str:
    """Submit an array with one job a worker.

    Args:
        workers: What each does; pickled by name, with a ``checkpoint`` by which it is requeued.
        options: Of sbatch, without dashes in front.
        name: Of the jobs.
        logs: Folder that all nodes see.

    Returns:
        The array's id.

    Raises:
        EnvironmentFault: Slurm does not take it, in its words.
    """
    import submitit  # noqa: PLC0415  an extra

    executor = submitit.SlurmExecutor(folder=logs, max_num_timeout=_ENDLESS)
    given = {key.replace("_", "-"): value for key, value in options.items()}
    flags: dict[str, Any] = {"time": TIME, **given, "requeue": True}
    executor.update_parameters(job_name=name, additional_parameters=flags, stderr_to_stdout=True)
    try:
        with _unlike_a_job(), executor.batch():
            jobs = [executor.submit(worker) for worker in workers]
    except (submitit.core.utils.FailedJobError, submitit.core.utils.FailedSubmissionError, OSError) as error:
        said = " ".join(str(error).split())
        raise EnvironmentFault(
            f"--engine slurm: sbatch refused the jobs: {said}. Its options: --slurm KEY=VALUE."
        ) from error
    return str(jobs[0].job_id).partition("_")[0]


@contextmanager
def _unlike_a_job() -> Iterator[None]:
    """Jobs are not to inherit what Slurm told the driver, which may be one itself; but for where Slurm is."""
    import submitit  # noqa: PLC0415  an extra

    where = {name: os.environ[name] for name in ("SLURM_CONF",) if name in os.environ}
    with submitit.helpers.clean_env():
        os.environ.update(where)
        yield


def states_of(job: str) -> list[str] | None:
    """State of a job, or of each one of an array, that has not ended; None when Slurm does not answer now.

    Args:
        job: Its id, or the array's.
    """
    asked = ask("squeue", "--noheader", "--array", "--format=%T", f"--jobs={job}")
    if asked is None or (asked.returncode and "Invalid job id" not in asked.stderr):
        return None
    return asked.stdout.split()


def cancel(submitted: Submitted, *more: str) -> None:
    """Cancel jobs of an array, as far as Slurm can be reached; what is left leaves when its driver is silent."""
    ask("scancel", "--quiet", f"--name={submitted.name}", *more, submitted.id)


def cancel_earlier(note: Path) -> str | None:
    """Cancel what a driver that was killed has submitted; the id, None without."""
    earlier = mailbox.take(Submitted, note)
    if earlier is None:
        return None
    cancel(earlier)
    return earlier.id


def ask(*words: str) -> subprocess.CompletedProcess[str] | None:
    """What a program says; None when it is not there, or takes too long."""
    try:
        return subprocess.run(  # noqa: S603  of ours
            words, capture_output=True, text=True, errors="replace", timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
