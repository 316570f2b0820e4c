"""Ray as ``doctor`` sees it; what is joined is played."""

from __future__ import annotations

import sys
from contextlib import contextmanager

import pytest

from bestrand_drive.simulation.crews.on_ray.cluster import Cluster
from bestrand_drive.simulation.doctor import cluster
from bestrand_drive.simulation.doctor.finding import Level
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
    assert (ray.level, "pip install 'bestrand-drive[ray]'" in ray.said) == (Level.FAIL, True)


def test_ports_and_gpus_of_this_machine_do_not_matter(found):
    checks = found("ports", "gpus", engine="ray", servers=5000)
    assert {one.level for one in checks.values()} == {Level.SKIPPED}
