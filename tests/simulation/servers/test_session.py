"""One server for several routes; another one when it is worn, silent, gone, or its ports are taken (F4)."""

from __future__ import annotations

import itertools
import os
import signal

import pytest

from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.processes.identity import is_running
from bestrand_drive.simulation.processes.marks import new_mark
from bestrand_drive.simulation.servers.command import ServerCommand
from bestrand_drive.simulation.servers.ports import PortBlock, is_free
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


@pytest.fixture
def session_of(plan, tmp_path, lease):
    """Begin a session of stand-ins with faults."""
    return lambda routes, faults="": ServerSession(plan(faults), tmp_path, routes, lease=lease)


def test_a_server_is_used_for_its_routes_and_then_replaced(session_of, tmp_path):
    with session_of(2) as session:
        servers = [session.for_route() for _ in range(5)]
        assert session.started == 3
        assert [one is other for one, other in itertools.pairwise(servers)] == [True, False, True, False]
        assert not is_running(servers[0].process.command)
        assert is_running(servers[4].process.command)
        assert (tmp_path / "server.3.log").exists()
    assert not is_running(servers[4].process.command)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_server_that_died_or_hangs_is_replaced(session_of, monkeypatch, number):
    with session_of(10) as session:
        first = session.for_route()
        assert session.for_route() is first
        monkeypatch.setattr("bestrand_drive.simulation.servers.server.Server.health.__defaults__", (0.2,))
        os.kill(first.process.command.pid, number)
        second = session.for_route()
        assert second is not first
        assert gone(first.process.command)


def test_after_a_failure_the_next_route_gets_another(session_of):
    with session_of(10) as session:
        first = session.for_route()
        session.discard()
        assert session.server is None
        assert session.for_route() is not first


def leased(base: int) -> list[int]:
    """First ports of the blocks that are leased; their other ports wait for a minute after a connection."""
    return [port for port in range(base, base + 50, 10) if not is_free(PortBlock(port).guard)]


def told(tmp_path) -> list[int]:
    """Ports that servers were started on."""
    return [next(int(flag.split("=")[1]) for flag in one if "rpc-port" in flag) for one in asked(tmp_path / "argv")]


def test_ports_are_given_back(session_of, base, lease):
    with session_of(1) as session:
        assert session.for_route().ports.rpc == base
        assert leased(base) == [base]
        with lease() as other:
            assert other.ports.rpc == base + 10
    assert leased(base) == []


def test_a_taken_port_means_the_next_block(session_of, base, tmp_path):
    with session_of(1, "taken-once") as session:
        assert session.for_route().ports.rpc == base + 10
        assert told(tmp_path) == [base, base + 10]
        assert session.started == 2
        assert leased(base) == [base + 10], "what was in vain is given back"


def test_where_every_port_is_taken_a_few_blocks_are_tried(session_of, base, tmp_path):
    """Else one program that takes all of them would be followed over thousands of ports."""
    with session_of(1, "taken") as session:
        with pytest.raises(ServerFault) as raised:
            session.for_route()
        assert raised.value.reason is Reason.PORT_TAKEN
        assert told(tmp_path) == [base, base + 10, base + 20]
        assert leased(base) == []


def test_another_fault_is_not_tried_again_here(session_of, base):
    with session_of(1, "exits") as session:
        with pytest.raises(ServerFault) as raised:
            session.for_route()
        assert raised.value.reason is Reason.GPU_MEMORY
        assert session.started == 1
        assert leased(base) == []


def test_an_error_outside_ends_the_server(session_of):
    servers = []

    def drive() -> None:
        with session_of(1) as session:
            servers.append(session.for_route())
            raise RuntimeError

    with pytest.raises(RuntimeError):
        drive()
    assert not is_running(servers[0].process.command)
