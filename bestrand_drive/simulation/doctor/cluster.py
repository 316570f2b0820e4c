"""Clusters: Ray's is joined for a moment and nothing is started on it, Slurm is asked nothing."""

from __future__ import annotations

from collections.abc import Iterator

from bestrand_drive.simulation.crews.on_ray.cluster import LOCAL, joined, lease_of, ray_module
from bestrand_drive.simulation.crews.slurm import check_slurm as refuse_slurm
from bestrand_drive.simulation.doctor.case import Case
from bestrand_drive.simulation.doctor.finding import Finding, ok, warning
from bestrand_drive.simulation.servers.root import find_simulator


def check_ray(case: Case) -> Iterator[Finding]:
    """Whether Ray is there and new enough, the cluster lets us in, and its nodes have room for the servers."""
    if case.engine != "ray":
        return
    version = f"Ray {ray_module().__version__}"
    if case.ray_address == LOCAL:
        yield ok("ray", f"{version}; one is started here for the run")
        return
    headless = case.brings_server or find_simulator(case.carla_root, case.simulated_in) == "headless"
    lease = lease_of(case.ray_resource, case.servers_per_gpu, headless=headless)
    with joined(case.ray_address, lease, case.servers) as cluster:
        room = cluster.room(lease)
        said = f"{version}; {cluster}, room for {room} servers ({lease} each)"
        if room >= case.servers:
            yield ok("ray", said)
            return
        advice = f"a run of {case.servers} servers waits for nodes that have it; --ray-resource names something else"
        yield warning("ray", said, advice)


def check_slurm(case: Case) -> Iterator[Finding]:
    """Whether jobs can be submitted from here, by programs, submitit and options."""
    if case.engine == "slurm":
        refuse_slurm(case.slurm)
        yield ok("slurm", f"sbatch and submitit are there, for {case.servers} jobs")
