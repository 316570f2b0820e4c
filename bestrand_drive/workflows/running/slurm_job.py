"""What each job of a Slurm array does: it is a worker for one start of a driver, requeued when its node is taken."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from bestrand_drive.errors import BestrandError
from bestrand_drive.simulation.crews.serving import End
from bestrand_drive.simulation.crews.slurm import ask, states_of
from bestrand_drive.simulation.servers.gpus import Gpu
from bestrand_drive.workflows.running.worker import WorkerRequest, work

if TYPE_CHECKING:
    from submitit.helpers import DelayedSubmission

_WAIT_S = 120.0
"""For the driver's session to be seen: twice what a file server's clients keep."""
_REQUEUE = signal.SIGUSR2
"""At which submitit asks for the checkpoint and requeues the job; Slurm sends it before the time limit, too."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM, _REQUEUE)


@dataclass(frozen=True)
class SlurmWorker:
    """One server slot; pickled by submitit as a name and these plain words.

    Attributes:
        run: The run folder.
        session: Of the driver that submitted it; it works for no other one.
        scratch: Folder on the node, in which ``$VARIABLES`` are the job's; "" for its ``$TMPDIR``.
    """

    run: str
    session: str
    scratch: str

    def __call__(self) -> str:
        """Work until the day ends; told to leave, everything is given back before the job is requeued."""
        try:
            with _leaving() as halt:
                end = work(self._request(), halt, lambda line: print(line, flush=True))
        except BestrandError as error:
            print(f"error: {error}", flush=True)
            sys.exit(error.exit_code)
        if end is End.TOLD and _wanted():
            signal.raise_signal(_REQUEUE)  # heard by submitit again
        return end.value

    def checkpoint(self) -> DelayedSubmission:
        """For submitit: what the job does when it comes back."""
        from submitit.helpers import DelayedSubmission  # noqa: PLC0415  an extra

        return DelayedSubmission(self)

    def _request(self) -> WorkerRequest:
        return WorkerRequest(
            run=Path(self.run),
            scratch=Path(os.path.expandvars(self.scratch) or tempfile.gettempdir()),
            servers=1,
            gpus=granted_gpus(),
            wait_s=_WAIT_S,
            session=self.session,
        )


class _Leaving:
    """See ``Halt``; a second signal says nothing new, since Slurm and srun send the same one each."""

    asked = forced = False

    def hear(self, _number: int, _frame: FrameType | None) -> None:
        """To leave."""
        self.asked = True


@contextmanager
def _leaving() -> Iterator[_Leaving]:
    halt = _Leaving()
    before = {number: signal.signal(number, halt.hear) for number in _SIGNALS}
    try:
        yield halt
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def granted_gpus() -> tuple[Gpu, ...]:
    """The GPU that Slurm gave the job."""
    number = os.environ.get("CUDA_VISIBLE_DEVICES", "").partition(",")[0].strip()
    if not number:
        return ()
    return (Gpu(number, int(number) if number.isdecimal() else 0, _uuid(number)),)


def _uuid(number: str) -> str | None:
    asked = ask("nvidia-smi", "--query-gpu=uuid", "--format=csv,noheader", f"--id={number}")
    said = asked.stdout.strip() if asked else ""
    return said if said.startswith("GPU-") and "\n" not in said else None


def _wanted() -> bool:
    """Whether the job is to come back: one that was cancelled is signalled alike, and Slurm would requeue it, too."""
    job = os.environ.get("SLURM_JOB_ID")  # of an array's last job it is the array's own
    if (array := os.environ.get("SLURM_ARRAY_JOB_ID")) is not None:
        job = f"{array}_{os.environ['SLURM_ARRAY_TASK_ID']}"
    return job is None or states_of(job) == ["RUNNING"]
