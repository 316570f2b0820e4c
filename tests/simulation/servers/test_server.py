"""A server that we start is ready when it answers; what it does instead is told."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
import time
from types import SimpleNamespace

import pytest

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.headless.installation import install
from bestrand_drive.headless.options import ServeOptions
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.processes.identity import identify
from bestrand_drive.simulation.processes.marks import new_mark
from bestrand_drive.simulation.servers import placement
from bestrand_drive.simulation.servers import server as server_module
from bestrand_drive.simulation.servers.command import ServerCommand
from bestrand_drive.simulation.servers.gpus import Gpu
from bestrand_drive.simulation.servers.headless import headless_command
from bestrand_drive.simulation.servers.probe import Answer, Health
from bestrand_drive.simulation.servers.server import ServerFault, ServerPlan, start_server
from tests.headless.processes import ROAD
from tests.simulation.processes.trees import gone
from tests.simulation.servers.stand_in import asked
from tests.simulation.servers.test_placement import Nvml


@pytest.fixture
def start(tmp_path, carla_root, lease):
    """Start a stand-in with faults; it is ended with the test."""
    started = []

    def begin(faults: str = "", announces: str = "0.9.15", cancelled=lambda: False, leased=None, **plan):
        environment = {
            **os.environ,
            "STAND_IN": faults,
            "STAND_IN_VERSION": announces,
            "STAND_IN_ARGV": f"{tmp_path}/argv",
        }
        usual = {
            "command": ServerCommand(carla_root, extra=("-opengl",)),
            "run": new_mark(),
            "environment": environment,
            "folder": tmp_path,
            "gpu": Gpu("1", 2),
            "ready_s": 30.0,
        }
        with leased or lease() as leased:
            server = start_server(ServerPlan(**usual | plan), leased.ports, tmp_path / "server.log", cancelled)
        started.append(server)
        return server

    yield begin
    for server in started:
        server.stop(0.0)


@pytest.mark.parametrize("faults", ["", "slow"])
def test_it_is_ready_when_it_answers(start, tmp_path, faults):
    server = start(faults)
    assert (server.version, server.health()) == ("0.9.15", Health.ANSWERS)
    ((pid, *arguments),) = asked(tmp_path / "argv")
    flags = ["-RenderOffScreen", "-nosound", f"-carla-rpc-port={server.ports.rpc}", "-graphicsadapter=2", "-opengl"]
    assert arguments == flags
    known = identify(int(pid))
    assert known.pid in server.process.pids()
    server.stop()
    assert gone(known)
    assert server.health() is Health.CLOSED


def test_a_server_that_ends_is_told_with_its_log(start):
    with pytest.raises(
        ServerFault, match=r"ended with code 3 before it answered\. Its log says: Out of video memory"
    ) as raised:
        start("exits")
    assert raised.value.reason is Reason.GPU_MEMORY


def test_a_server_whose_port_is_taken(start, tmp_path):
    with pytest.raises(ServerFault, match=r"signal 6 .*bind error: Address already in use.*server\.log") as raised:
        start("taken-once")
    assert raised.value.reason is Reason.PORT_TAKEN


@pytest.fixture
def stranger():
    """Another program on a port, which answers as CARLA does."""
    taken = socket.socket()

    def listen(port: int) -> None:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        threading.Thread(target=answer, daemon=True).start()

    def answer() -> None:
        with contextlib.suppress(OSError):
            while True:
                peer, _ = taken.accept()
                peer.recv(100)
                peer.sendall(b"\x94\x01\x01\xc0\x91\x92\x01\xa60.9.15")
                peer.close()

    yield listen
    taken.shutdown(socket.SHUT_RDWR)
    taken.close()


@pytest.mark.parametrize("more", [{}, {"command": headless_command((), "Town01", "0.9.15")}], ids=["carla", "headless"])
def test_another_programs_server_is_not_taken_for_ours(start, lease, stranger, tmp_path, more):
    """F4: it took the port while ours, which needs half a minute for that, was still to listen on it."""
    with lease() as leased:
        stranger(leased.ports.rpc)
    with pytest.raises(ServerFault, match=r"port 2\d+ was free, and another program listens there now") as raised:
        start("boots", leased=leased, **more)
    assert raised.value.reason is Reason.PORT_TAKEN, "another block is tried"
    assert more or [pid for pid, *_ in asked(tmp_path / "argv") if identify(int(pid))] == []


def test_the_server_of_a_command_may_be_no_child_of_it(start, lease, stranger):
    """A container's is its daemon's."""
    with lease() as leased:
        stranger(leased.ports.rpc)
    assert start(command=ServerCommand(template=("sleep", "{port}")), leased=leased).version == "0.9.15"


def test_a_silent_server_is_given_up_and_ended(start, tmp_path, monkeypatch):
    """Its time is over as soon as it was silent once: how long it takes to listen is the machine's affair."""
    passed_s, ask = [0.0], server_module.ask_version

    def asked_once(port: int, _: float) -> Answer:
        answer = ask(port, 0.2)
        passed_s[0] = 600.0 if answer.health is Health.SILENT else 0.0
        return answer

    monkeypatch.setattr(server_module, "ask_version", asked_once)
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + passed_s[0])
    monkeypatch.setattr(server_module, "time", clock)
    with pytest.raises(ServerFault, match=r"does not answer on port 2\d+ after 30 s \(silent\)") as raised:
        start("silent")
    assert raised.value.reason is Reason.SERVER_NOT_READY
    ((pid, *_),) = asked(tmp_path / "argv")
    assert identify(int(pid)) is None


def test_waiting_can_be_cancelled(start, tmp_path):
    with pytest.raises(ServerFault) as raised:
        start("silent", cancelled=lambda: bool(asked(tmp_path / "argv")))
    assert raised.value.reason is Reason.INTERRUPTED


def test_a_command_that_is_not_there_is_no_fault_of_a_server(start):
    with pytest.raises(EnvironmentFault, match="/absent/docker: No such file") as raised:
        start(command=ServerCommand(template=("/absent/docker", "{port}")))
    assert not isinstance(raised.value, ServerFault), "trying again would not help"


@pytest.mark.parametrize("announced", ["0.9.15", "0.9.15-dirty", "0.9.15-187-g8b3d"])
def test_a_build_of_the_version_is_taken(start, announced):
    assert start(announces=announced, version="0.9.15").version == announced


@pytest.mark.parametrize("announced", ["0.9.16", "0.9.1", "0.9.150", "5ff9ab1"])
def test_another_version_is_refused(start, tmp_path, announced):
    with pytest.raises(EnvironmentFault, match=f"announces version '{announced}', not '0.9.15'") as raised:
        start(announces=announced, version="0.9.15")
    assert not isinstance(raised.value, ServerFault)
    ((pid, *_),) = asked(tmp_path / "argv")
    assert identify(int(pid)) is None


def test_a_server_on_another_gpu_is_refused(start, tmp_path, monkeypatch):
    """F8: the driver lists its process under GPU 0."""

    monkeypatch.setattr(placement, "_has_the_hosts_ids", lambda: True)

    def nvml() -> Nvml:
        return Nvml(graphics=([int(pid) for pid, *_ in asked(tmp_path / "argv")], ()))

    monkeypatch.setattr(placement, "_pynvml", nvml)
    with pytest.raises(EnvironmentFault, match=r"on GPU 1 .* with -graphicsadapter=2, and runs on GPU-aaa"):
        start()
    ((pid, *_),) = asked(tmp_path / "argv")
    assert identify(int(pid)) is None


def test_a_container_is_ended_by_its_own_command(start, tmp_path, carla_root):
    """The client that we started is not the server; its stop command is told the same port."""
    stop = ("sh", "-c", 'echo "$1" > stopped', "sh", "{port}.{gpu}")
    server = start(
        command=ServerCommand(template=("sh", "-c", 'exec ./*/CarlaUE4.sh "$@"', "sh", "{flags}"), stop=stop)
    )
    assert server.health() is Health.ANSWERS
    server.stop()
    assert (tmp_path / "stopped").read_text() == f"{server.ports.rpc}.2\n"


def test_a_container_whose_name_is_taken_is_not_stopped(start, tmp_path):
    """It is somebody else's: ``docker run`` has ended with 125."""
    command = ServerCommand(template=("sh", "-c", "exit 125", "{port}"), stop=("touch", "stopped"))
    with pytest.raises(ServerFault, match="ended with code 125"):
        start(command=command)
    assert not list(tmp_path.rglob("stopped"))


def test_the_headless_server_and_its_hang(start, tmp_path):
    """The real protocol; a hung process accepts connections and answers nothing."""
    maps = tmp_path / "maps"
    maps.mkdir()
    (maps / "Town01.xodr").write_text(ROAD)
    install(tmp_path / "headless", ServeOptions(maps=(maps,), carla_version="0.9.15"))
    server = start(command=ServerCommand(tmp_path / "headless"), version="0.9.15")
    assert server.health() is Health.ANSWERS
    for pid in server.process.pids():
        os.kill(pid, signal.SIGSTOP)
    assert server.health(0.2) is Health.SILENT
    server.stop(0.0)
    assert server.health() is Health.CLOSED
