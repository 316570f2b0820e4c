"""Attempts on a Ray cluster: the crew, and what each of its actors stands on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.crews.letters import Offer
from bestrand_drive.simulation.crews.on_ray.cluster import Lease, joined, lease_of
from bestrand_drive.simulation.crews.on_ray.crew import RayCrew
from bestrand_drive.simulation.crews.on_ray.seat import Ground, Opening
from bestrand_drive.simulation.crews.workplace import Workplace
from bestrand_drive.simulation.servers.gpus import Gpu
from bestrand_drive.simulation.slots.cell import Halt
from bestrand_drive.workflows.running.preparing import Prepared
from bestrand_drive.workflows.running.request_data import request_of
from bestrand_drive.workflows.running.scratch import scratch
from bestrand_drive.workflows.running.worker import WorkerRequest, workplace_of


def lease_for(prepared: Prepared) -> Lease:
    """What each server of a run leases."""
    request = prepared.request
    headless = prepared.info.simulator == "headless"
    return lease_of(request.ray_resource, request.servers_per_gpu, headless=headless)


@contextmanager
def ray_crew(prepared: Prepared, offer: Offer, halt: Halt, tell: Callable[[str], None]) -> Iterator[RayCrew]:
    """The crew of a run, on the cluster that is joined meanwhile; the engine closes it.

    Raises:
        UsageError, EnvironmentFault: See ``joined``.
    """
    request, layout, lease = prepared.request, prepared.settings.layout, lease_for(prepared)
    with joined(request.ray_address, lease, request.servers) as cluster:
        room = cluster.room(lease)
        waits = f"; the others wait for nodes with {lease}" if room < request.servers else ""
        tell(f"{cluster}, room for {min(room, request.servers)} of {request.servers} servers ({lease} each){waits}")
        opening = Opening(open_workplace, offer, layout.root)
        crew = RayCrew(cluster, lease, request.servers, opening, halt=halt, logs=layout.logs, tell=tell)
        try:
            yield crew
        finally:
            crew.close()  # whatever happened: asked for anything after this, Ray would start a cluster of its own


@contextmanager
def open_workplace(ground: Ground) -> Iterator[Workplace]:
    """What an actor makes attempts with, on its node; see ``Opener``.

    Raises:
        EnvironmentFault: This node does not see the run folder, or other files than the driver.
        BestrandError: See ``prepare``.
    """
    if not Layout(ground.run).run_file.is_file():
        raise EnvironmentFault(
            f"{ground.run} is not seen here: logs go there. Put --out on a file system that all nodes see."
        )
    gpus = leased(ground.gpus, request_of(ground.offer.request, ground.offer.folder).gpus)
    with scratch(ground.scratch, ground.run) as folder:
        request = WorkerRequest(ground.run, folder, servers=1, gpus=gpus, inherited=ground.inherited)
        yield workplace_of(ground.offer, request, folder, ground.name, ground.tell)


def leased(ids: Sequence[str], said: Sequence[Gpu]) -> tuple[Gpu, ...]:
    """GPUs under both of their names.

    Args:
        ids: As CUDA counts them.
        said: ``--gpus``, by which a user says how CARLA counts them where that is otherwise.

    Raises:
        EnvironmentFault: CARLA's number cannot be told.
    """
    known = {gpu.cuda: gpu for gpu in said}
    for name in ids:
        if name not in known and not name.isdecimal():
            raise EnvironmentFault(f"GPU {name}: say how CARLA counts it, --gpus {name}:ADAPTER.")
    return tuple(known.get(name) or Gpu(name, int(name)) for name in ids)
