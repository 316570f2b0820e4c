"""Ray and Slurm as ``doctor`` sees them; what is joined is played."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from types import ModuleType

import pytest

from bestrand_drive.simulation.crews.on_ray.cluster import Cluster
from bestrand_drive.simulation.doctor import cluster
from bestrand_drive.simulation.doctor.finding import Level
from bestrand_drive.simulation.servers.gpus import parse_gpus
from tests.simulation.crews.played_ray import Ray


@pytest.fixture
def there(monkeypatch):
    """A cluster of two nodes with one place each."""
    ray = Ray()
    ray.nodes = lambda: [{"Resources": {"place": 1.0}, "Alive": True}] * 2

    @contextmanager
    def join(*_):
        yield Cluster(ray, "head:6379")

    monkeypatch.setattr(cluster, "joined", join)
    monkeypatch.setattr(cluster, "ray_module", lambda: ray)


def test_nothing_is_said_of_ray_where_it_is_not_used(found):
    assert found("ray") == {}


@pytest.mark.parametrize(("servers", "level"), [(2, Level.OK), (3, Level.WARNING)])
def test_room_of_a_cluster(found, there, servers, level):
    ray = found("ray", engine="ray", ray_resource="place", servers=servers)["ray"]
    assert ray.level is level
    assert ray.said == "Ray 2.60.0; Ray at head:6379: 2 nodes, room for 2 servers (place 1 each)"


def test_gpus_that_no_node_has(found, there):
    assert "room for 0 servers (GPU 1 each)" in found("ray", engine="ray")["ray"].said


def test_without_ray(found, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    ray = found("ray", engine="ray")["ray"]
    assert (ray.level, "pip install '.[ray]'" in ray.said) == (Level.FAIL, True)


@pytest.mark.parametrize("engine", ["ray", "slurm", "workers"])
def test_ports_and_gpus_of_this_machine_do_not_matter(found, engine):
    checks = found("ports", "gpus", engine=engine, servers=5000, gpus=parse_gpus("0,1"))
    assert {(one.level, one.said) for one in checks.values()} == {
        (Level.SKIPPED, f"those of --engine {engine} are the nodes'")
    }


def test_slurm_where_it_is_not(found, monkeypatch, tmp_path):
    """A run would be refused, so that this must be told before."""
    monkeypatch.setenv("PATH", str(tmp_path))
    slurm = found("slurm", engine="slurm")["slurm"]
    assert (slurm.level, "no sbatch here" in slurm.said) == (Level.FAIL, True)
    assert found("slurm") == {}


def test_slurm_where_it_is(found, monkeypatch, tmp_path):
    for name in ("sbatch", "srun", "squeue", "scancel"):
        (tmp_path / name).touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "submitit", ModuleType("submitit"))
    assert found("slurm", engine="slurm", servers=3)["slurm"].said == "sbatch and submitit are there, for 3 jobs"
    refused = found("slurm", engine="slurm", slurm={"array": "3"})["slurm"]
    assert (refused.level, "it is set by the run itself" in refused.said) == (Level.FAIL, True)
