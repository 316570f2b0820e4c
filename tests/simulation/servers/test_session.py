"""One server for several routes; another one when it is worn, silent, gone, or its ports are taken (F4)."""

from __future__ import annotations

import itertools
import os
import signal
import socket

import pytest

from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.processes.identity import is_running
from bestrand_drive.simulation.processes.marks import new_mark
from bestrand_drive.simulation.servers.command import ServerCommand
from bestrand_drive.simulation.servers.ports import lease_ports
from bestrand_drive.simulation.servers.server import ServerFault, ServerPlan
from bestrand_drive.simulation.servers.session import ServerSession
from tests.simulation.processes.trees import gone
from tests.simulation.servers.stand_in import asked


@pytest.fixture
def plan(tmp_path, carla_root):
    """A plan for stand-ins with faults."""

    def make(faults: str = "") -> ServerPlan:
        environment = {**os.environ, "STAND_IN": faults, "STAND_IN_ARGV": f"{tmp_path}/argv"}
        return ServerPlan(ServerCommand(carla_root), new_mark(), environment, tmp_path, ready_s=30.0)

    return make


def free_blocks() -> int:
    """The port of the next lease, which is the lowest free one."""
    with lease_ports() as lease:
        return lease.ports.rpc


def test_a_server_is_used_for_its_routes_and_then_replaced(plan, tmp_path):
    with ServerSession(plan(), tmp_path, routes_per_server=2) as session:
        servers = [session.for_route() for _ in range(5)]
        assert session.started == 3
        assert [one is other for one, other in itertools.pairwise(servers)] == [True, False, True, False]
        assert not is_running(servers[0].process.command)
        assert is_running(servers[4].process.command)
        assert (tmp_path / "server.3.log").exists()
    assert not is_running(servers[4].process.command)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_server_that_died_or_hangs_is_replaced(plan, tmp_path, monkeypatch, number):
    monkeypatch.setattr("bestrand_drive.simulation.servers.server.Server.health.__defaults__", (0.2,))
    with ServerSession(plan(), tmp_path, routes_per_server=10) as session:
        first = session.for_route()
        assert session.for_route() is first
        os.kill(first.process.command.pid, number)
        second = session.for_route()
        assert second is not first
        assert gone(first.process.command)


def test_after_a_failure_the_next_route_gets_another(plan, tmp_path):
    with ServerSession(plan(), tmp_path, routes_per_server=10) as session:
        first = session.for_route()
        session.discard()
        assert session.server is None
        assert session.for_route() is not first


def test_ports_are_given_back(plan, tmp_path):
    before = free_blocks()
    with ServerSession(plan(), tmp_path, routes_per_server=1) as session:
        assert session.for_route().ports.rpc == before
        assert free_blocks() > before
    with socket.socket() as ours:  # what the kernel still holds of the server's connections is none of the lease
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        ours.bind(("127.0.0.1", before))
    assert not list((tmp_path / "runtime" / "bestrand" / "ports").glob("*.json"))


def test_a_taken_port_means_the_next_block(plan, tmp_path):
    with ServerSession(plan("taken-once"), tmp_path, routes_per_server=1) as session:
        server = session.for_route()
        ports = [
            next(int(flag.split("=")[1]) for flag in one if "rpc-port" in flag) for one in asked(tmp_path / "argv")
        ]
        assert len(set(ports)) == 2
        assert ports[-1] == server.ports.rpc
        assert session.started == 2


def test_another_fault_is_not_tried_again_here(plan, tmp_path):
    with ServerSession(plan("exits"), tmp_path, routes_per_server=1) as session:
        with pytest.raises(ServerFault) as raised:
            session.for_route()
        assert raised.value.reason is Reason.GPU_MEMORY
        assert session.started == 1
    assert not list((tmp_path / "runtime" / "bestrand" / "ports").glob("*.json"))


def test_an_error_outside_ends_the_server(plan, tmp_path):
    servers = []

    def drive() -> None:
        with ServerSession(plan(), tmp_path, routes_per_server=1) as session:
            servers.append(session.for_route())
            raise RuntimeError

    with pytest.raises(RuntimeError):
        drive()
    assert not is_running(servers[0].process.command)
