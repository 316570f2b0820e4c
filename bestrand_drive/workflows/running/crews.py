"""Who makes the attempts of a run: slots of this machine, workers elsewhere, actors on Ray, or jobs of Slurm."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import metadata

from bestrand_drive.simulation.attempts.stamps import utc_stamp
from bestrand_drive.simulation.crews import mailbox, slurm
from bestrand_drive.simulation.crews.crew import Crew, Runner
from bestrand_drive.simulation.crews.job_crew import JobCrew, Jobs
from bestrand_drive.simulation.crews.letters import Offer
from bestrand_drive.simulation.crews.local import LocalCrew
from bestrand_drive.simulation.crews.mailbox_crew import MailboxCrew
from bestrand_drive.simulation.crews.on_ray.cluster import lease_of
from bestrand_drive.simulation.crews.resizing import Resizing
from bestrand_drive.simulation.crews.slurm import SlurmJobs, Submitted
from bestrand_drive.simulation.processes.marks import run_name
from bestrand_drive.simulation.slots.cell import Halt
from bestrand_drive.workflows.running.preparing import Prepared
from bestrand_drive.workflows.running.ray_crew import ray_crew
from bestrand_drive.workflows.running.request_data import request_data
from bestrand_drive.workflows.running.run_checks import most_servers
from bestrand_drive.workflows.running.run_request import RunRequest
from bestrand_drive.workflows.running.slurm_job import SlurmWorker


@contextmanager
def crew_of(
    prepared: Prepared, halt: Halt, tell: Callable[[str], None], unfit: Callable[[Runner], bool]
) -> Iterator[Crew]:
    """The crew that a run asks for; the engine closes it.

    Args:
        prepared: What to run.
        halt: Whether to stop.
        tell: Told who comes and goes.
        unfit: Whether the engine gives a slot nothing more.
    """
    settings, request = prepared.settings, prepared.request
    if request.engine == "workers":
        tell(f"waiting for workers: `bestrand worker {settings.layout.root}` on any host that sees this folder")
        yield mailbox_crew(prepared, halt, tell)
        return
    if request.engine == "slurm":
        letters = mailbox_crew(prepared, halt, tell)
        yield JobCrew(letters, lambda: slurm_jobs(prepared, letters.session, halt, tell))
        return
    if request.engine == "ray":
        with ray_crew(prepared, offer_of(prepared), halt, tell) as crew:
            yield crew
        return
    with Resizing(settings.layout, request.servers, most_servers(request)) as resizing:
        yield LocalCrew(settings, prepared.keeper, halt, started_stamp(), resizing.wanted, unfit)


def check_engine(request: RunRequest) -> None:
    """Refuse an engine that cannot be had here, before anything is written.

    Raises:
        UsageError: A program or a package is lacking, or an option is not the user's to give. Of Ray itself, only
            joining the cluster tells.
    """
    if request.engine == "slurm":
        slurm.check_slurm(request.slurm)
    if request.engine == "ray":
        lease_of(request.ray_resource, request.servers_per_gpu, headless=False)


def mailbox_crew(prepared: Prepared, halt: Halt, tell: Callable[[str], None]) -> MailboxCrew:
    """Whoever comes to the run folder."""
    layout = prepared.settings.layout
    return MailboxCrew(layout.crew, offer_of(prepared), halt, layout.logs, tell)


def slurm_jobs(prepared: Prepared, session: str, halt: Halt, tell: Callable[[str], None]) -> Jobs:
    """Submit one job a server; what an earlier driver left in the queue is cancelled.

    Raises:
        EnvironmentFault: Slurm does not take them.
    """
    layout, request = prepared.settings.layout, prepared.request
    note, logs = layout.crew / "jobs.json", layout.logs / "slurm"
    if earlier := slurm.cancel_earlier(note):
        tell(f"cancelled what an earlier start had left: job {earlier}")
    logs.mkdir(exist_ok=True)
    worker = SlurmWorker(str(layout.root), session, request.scratch)
    name = f"bestrand-{run_name(layout.root)}"
    submitted = Submitted(id=slurm.submit([worker] * request.servers, request.slurm, name, logs), name=name)
    mailbox.put(note, submitted)
    jobs = SlurmJobs(submitted, note, logs, lambda: halt.forced)
    many = "a job" if request.servers == 1 else f"{request.servers} jobs"
    tell(f"submitted {many}: `squeue -j {submitted.id}`; what they print: {jobs.place}")
    return jobs


def offer_of(prepared: Prepared) -> Offer:
    """What workers are told of a run."""
    return Offer(
        version=metadata.version("bestrand-drive"),
        folder=os.getcwd(),
        request=request_data(prepared.request),
        keys=prepared.wanted,
    )


def started_stamp() -> str:
    """Names this start in the folder of logs."""
    return utc_stamp().replace(":", "").replace("+0000", "")
