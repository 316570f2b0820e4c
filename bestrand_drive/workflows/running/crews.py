"""Who makes the attempts of a run: slots of this machine, workers elsewhere, or actors on a Ray cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import metadata

from bestrand_drive.simulation.attempts.stamps import utc_stamp
from bestrand_drive.simulation.crews.crew import Crew
from bestrand_drive.simulation.crews.letters import Offer
from bestrand_drive.simulation.crews.local import LocalCrew
from bestrand_drive.simulation.crews.mailbox_crew import MailboxCrew
from bestrand_drive.simulation.crews.resizing import Resizing
from bestrand_drive.simulation.slots.cell import Halt
from bestrand_drive.workflows.running.ray_crew import ray_crew
from bestrand_drive.workflows.running.request_data import request_data
from bestrand_drive.workflows.running.run_request import Prepared, most_servers


@contextmanager
def crew_of(prepared: Prepared, halt: Halt, tell: Callable[[str], None]) -> Iterator[Crew]:
    """The crew that a run asks for; the engine closes it.

    Args:
        prepared: What to run.
        halt: Whether to stop.
        tell: Told who comes and goes.
    """
    settings, request = prepared.settings, prepared.request
    if request.engine == "workers":
        tell(f"waiting for workers: `bestrand worker {settings.layout.root}` on any host that sees this folder")
        yield MailboxCrew(settings.layout.crew, offer_of(prepared), halt, settings.layout.logs, tell)
        return
    if request.engine == "ray":
        with ray_crew(prepared, offer_of(prepared), halt, tell) as crew:
            yield crew
        return
    with Resizing(settings.layout, request.servers, most_servers(request)) as resizing:
        yield LocalCrew(settings, prepared.keeper, halt, started_stamp(), resizing.wanted)


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
