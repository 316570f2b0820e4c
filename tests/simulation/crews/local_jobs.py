"""``--engine slurm`` with submitit's local executor in Slurm's place, and hearts that beat fast.

``python -m tests.simulation.crews.local_jobs run ...``; with ``WEAK`` in the environment, on a file system with weak
locks that shows what others wrote late.
"""

from __future__ import annotations

import errno
import fcntl
import importlib
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import submitit

from bestrand_drive.cli.entry import main
from bestrand_drive.simulation.crews import mailbox
from bestrand_drive.workflows.running import crews, run
from bestrand_drive.workflows.running.preparing import Prepared
from bestrand_drive.workflows.running.slurm_job import SlurmWorker
from tests.simulation.crews.quick import hurry

WEAK = "BESTRAND_TEST_WEAK_FILES"
"""Seconds after which others' files are seen."""


@dataclass(frozen=True)
class HurriedWorker(SlurmWorker):
    """A worker whose heart beats fast."""

    def __call__(self) -> str:
        ready()
        return super().__call__()


class LocalJobs:
    """See ``Jobs``."""

    place = "logs/slurm"

    def __init__(self, jobs: list[submitit.LocalJob[str]]) -> None:
        self._jobs = jobs

    def coming(self) -> bool:
        """See ``Jobs``."""
        return any(not job.done() for job in self._jobs)

    def end(self) -> None:
        """See ``Jobs``."""
        until_s = time.monotonic() + 20
        while self.coming() and time.monotonic() < until_s:
            time.sleep(0.05)
        for job in self._jobs:
            job.cancel()


def local_jobs(prepared: Prepared, session: str, _halt: object, _tell: Callable[[str], None]) -> LocalJobs:
    """In the place of ``slurm_jobs``."""
    layout = prepared.settings.layout
    executor = submitit.LocalExecutor(folder=layout.logs / "slurm")
    executor.update_parameters(timeout_min=60, stderr_to_stdout=True)
    worker = HurriedWorker(str(layout.root), session, prepared.request.scratch)
    return LocalJobs([executor.submit(worker) for _ in range(prepared.request.servers)])


def ready() -> None:
    """Hurry, on weak files where they are asked for."""
    hurry()
    if late := os.environ.get(WEAK):
        weaken(float(late))


def weaken(late_s: float) -> None:
    """A run folder without locks, folders that are listed and files that are read as they were a while ago."""
    real = fcntl.flock

    def flock(handle: int, how: int) -> None:
        if os.readlink(f"/proc/self/fd/{handle}").endswith("driver.lock"):
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
        real(handle, how)

    listdir, take, seen = os.listdir, mailbox.take, dict[str, tuple[float, object]]()

    def late_listdir(folder: object = ".") -> list[str]:
        names = []
        for name in listdir(folder):  # type: ignore[type-var]
            try:
                if time.time() - os.stat(f"{folder}/{name}").st_ctime >= late_s:
                    names.append(name)
            except FileNotFoundError:
                pass
        return names

    def late_take(kind: object, path: object) -> object:
        """As it was when it was read last, for a while."""
        now, (at, letter) = time.monotonic(), seen.get(str(path), (-late_s, None))
        if now - at >= late_s or letter is None:
            letter = take(kind, path)  # type: ignore[type-var, arg-type]
            seen[str(path)] = (now, letter)
        return letter

    fcntl.flock = flock  # type: ignore[assignment]
    mailbox.os = type("late", (), {**vars(os), "listdir": staticmethod(late_listdir)})  # type: ignore[attr-defined]
    mailbox.take = late_take  # type: ignore[assignment]


if __name__ == "__main__":
    ready()
    named = importlib.import_module("tests.simulation.crews.local_jobs")  # what is pickled is no part of __main__
    crews.slurm_jobs = named.local_jobs
    run.check_engine = lambda _: None
    sys.exit(main())
