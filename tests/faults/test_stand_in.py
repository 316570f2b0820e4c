"""The stand-in evaluators do what they are told: every kind, and how the attempt is judged that met it."""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.benchmarks.routes import parse_routes
from bestrand_drive.simulation.adapters.agent import find_agent
from bestrand_drive.simulation.adapters.catalog import find_adapter
from bestrand_drive.simulation.adapters.command import Command
from bestrand_drive.simulation.adapters.job import Job
from bestrand_drive.simulation.attempts.outcome import Ending, Judgement, judge
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.signatures import scan
from bestrand_drive.simulation.heartbeat import State, read_beat
from bestrand_drive.simulation.watchdog import Limits, Look, Server, Watchdog
from tests.faults.stand_in import orders
from tests.faults.stand_in.checkout import make_agent, make_carla_root, make_checkout
from tests.ports import free_ports

ALL = ("bench2drive", "fail2drive", "fail2drive_local")
PYTHON = os.environ.get("EVALUATOR_PYTHON") or sys.executable


@pytest.fixture
def command(tmp_path: Path, build: Any) -> Callable[..., Command]:
    """A prepared command of route 1711; without a server unless one is given."""

    def make(name: str = "bench2drive", order: str = "", *, python: str = sys.executable, **fields: Any) -> Command:
        adapter = find_adapter(name)
        if not (tmp_path / name).exists():
            make_checkout(tmp_path / name, adapter.benchmark)
        port = fields.pop("port", None) or free_ports(5)
        variables = {"BESTRAND_STAND_IN": order, "BESTRAND_STAND_IN_SERVER": fields.pop("server", "none")}
        agent = find_agent(str(make_agent(tmp_path / "team")), root=tmp_path)
        town = fields.pop("town", "Town12")
        routes = parse_routes(tmp_path / "routes.xml", build.routes(build.route(1711, town=town)))
        job = Job(adapter.checkout(tmp_path / name), (python,), tmp_path / "carla", routes, "1711", 0, agent,
                  tmp_path / "work", port, port + 3, rank_token=random.randrange(9_000_000, 10_000_000))  # fmt: skip
        made = adapter.command(replace(job, **{"variables": variables, **fields}))
        made.prepare()
        return made

    return make


@contextlib.contextmanager
def started(command: Command, **env: str) -> Iterator[subprocess.Popen[bytes]]:
    """The evaluator; what it started in its own session ends with it. A pipe would be held by what it leaves behind."""
    with log_of(command).open("wb") as log:
        process = subprocess.Popen(
            command.argv,
            env={**os.environ, **command.env, **env},
            cwd=command.cwd,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def log_of(command: Command) -> Path:
    return command.result.with_name("log.txt")


def run(command: Command, **env: str) -> tuple[int, str]:
    """Exit code and output."""
    with started(command, **env) as process:
        code = process.wait(timeout=60)
    return code, log_of(command).read_text(errors="replace")


def judged(command: Command, code: int, output: str) -> Judgement:
    result = command.result.read_bytes() if command.result.exists() else None
    benchmark = "bench2drive" if "gpu-rank" in command.argv[-1] else "fail2drive"
    said = scan(output.splitlines())
    ending = Ending(code, signature=said.reason, crash=said.crash)
    return judge(result, ending, route_id="1711", benchmark=benchmark)


def record(command: Command) -> dict[str, Any]:
    (only,) = json.loads(command.result.read_text())["_checkpoint"]["records"]
    return only


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("python", dict.fromkeys((sys.executable, PYTHON)))
def test_a_drive_to_the_end(command, name, python):
    ran = command(name, python=python)
    code, output = run(ran)
    assert code == 0, output
    assert judged(ran, code, output).outcome is Outcome.SCORED
    own = {"bench2drive": {"scenario_name", "weather_id", "save_name", "town_name"}, "fail2drive_local": {"timestamp"}}
    common = {"index", "route_id", "status", "num_infractions", "infractions", "scores", "meta"}
    assert set(record(ran)) == common | own.get(name, set())
    beat = read_beat(ran.heartbeat)
    assert (beat.ticks, beat.town, beat.state) == (20, "Town12", State.BETWEEN)


@pytest.mark.parametrize(
    ("order", "code", "judgement"),
    [
        ("ok", 0, Outcome.SCORED),
        ("slow=0.2", 0, Outcome.SCORED),
        ("status=Failed - Agent got blocked", 0, Outcome.SCORED),
        ("status=Failed - TickRuntime", 0, Outcome.SCORED),
        ("flood=8", 0, Outcome.SCORED),
        ("agent_crash", 0, Outcome.AGENT_CRASHED),
        ("oom", 0, Reason.GPU_MEMORY),
        ("oom_setup", 255, Reason.GPU_MEMORY),
        ("setup", 255, Reason.SETUP_FAILED),
        ("sensors", 255, Reason.SENSORS_INVALID),
        ("simulation_crash", 255, Reason.SIMULATION_CRASH),
        ("oom_survived", 0, Outcome.AGENT_CRASHED),
        ("import_error", 1, Reason.AGENT_IMPORT),
        ("address", 1, Reason.PORT_TAKEN),
        ("address_survived", 255, Reason.SIMULATION_CRASH),
        ("segv", -signal.SIGSEGV, Reason.CORRUPT_RESULT),
        ("truncated", 0, Reason.CORRUPT_RESULT),
        ("empty", 0, Reason.CORRUPT_RESULT),
        ("foreign", 0, Reason.FOREIGN_RESULT),
        ("no_record", 0, Reason.NO_RECORD),
        ("no_file", 0, Reason.NO_RECORD),
        ("exit=0", 0, Reason.NO_RECORD),
        ("exit=255", 255, Reason.NO_RECORD),
    ],
)
def test_every_ending(command, order, code, judgement):
    """F1, F3, F4, F7 and F9: each with the exit code of the real evaluator, and told apart by the judge."""
    ran = command(order=order)
    found, output = run(ran)
    assert found == code, output
    verdict = judged(ran, found, output)
    assert (verdict.reason or verdict.outcome) is judgement


@pytest.mark.parametrize(("name", "code"), [("bench2drive", 255), ("fail2drive", 0), ("fail2drive_local", 0)])
def test_only_bench2drive_stops_at_an_agent_that_cannot_be_set_up(command, name, code):
    assert run(command(name, "setup"))[0] == code


@pytest.mark.parametrize(
    ("order", "state", "server", "reason"),
    [
        ("hang_start", State.START, Server.ANSWERS, Reason.NO_PROGRESS),
        ("hang_load", State.LOAD, Server.ANSWERS, Reason.LOAD_HANG),
        ("hang_tick", State.TICK, Server.ANSWERS, Reason.TM_STALL),
        ("hang_tick", State.TICK, Server.SILENT, Reason.TICK_HANG),
        ("hang", State.BETWEEN, Server.ANSWERS, Reason.NO_PROGRESS),
        ("hang_evaluator", State.BETWEEN, Server.ANSWERS, Reason.NO_PROGRESS),
        ("hang_end", State.BETWEEN, Server.ANSWERS, Reason.NO_PROGRESS),
    ],
)
def test_every_hang_is_seen_by_the_watchdog(command, order, state, server, reason):
    """F2 and F3: the evaluator stands still, the heartbeat says where, and the watchdog why."""
    ran = command(order=order)
    dog = Watchdog(Limits(timeout_s=1.0, ready_s=1, start_s=1, load_s=1, tick_s=1, grace_s=0.5))
    with started(ran) as process:
        wait_for(lambda: stands(ran, state))  # on a busy machine the start alone can take longer than its limit here
        verdict = watch(dog, ran, process, server)
        beat = read_beat(ran.heartbeat)
    assert (beat.state, verdict.reason) == (state, reason)


def stands(command: Command, state: State) -> bool:
    beat = read_beat(command.heartbeat)
    return beat is not None and beat.state is state


def watch(dog: Watchdog, ran: Command, process: subprocess.Popen[bytes], server: Server) -> Any:
    """Until the verdict is not fine."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        mtime = ran.result.stat().st_mtime_ns if ran.result.exists() else None
        look = Look(time.monotonic(), process.poll() is None, read_beat(ran.heartbeat), mtime, server)
        verdict = dog.look(look)
        if not verdict.fine:
            return verdict
        time.sleep(0.1)
    raise AssertionError("the watchdog saw nothing")


def test_a_hang_after_the_result_does_not_cost_the_result(command):
    ran = command(order="hang_end")
    with started(ran):
        wait_for(lambda: "standing still" in log_of(ran).read_text())
    ending = Ending(-9, Reason.NO_PROGRESS)
    judgement = judge(ran.result.read_bytes(), ending, route_id="1711", benchmark="bench2drive")
    assert judgement.outcome is Outcome.SCORED


def wait_for(done: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not done():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_orders_for_some_routes_and_attempts(command, tmp_path):
    ran = command(order="9:exit=9,1711:setup@1-2,*:agent_crash@4+")
    codes = [run(ran, BESTRAND_STAND_IN_STATE=str(tmp_path))[0] for _ in range(4)]
    assert codes == [255, 255, 0, 0]
    assert record(ran)["status"] == "Failed - Agent crashed"


def test_an_unknown_kind_is_said(command):
    code, output = run(command(order="hung"))
    assert code == 1
    assert "no kind 'hung'" in output
    assert set(orders.KINDS) > {"hang", "segv"}


def test_a_grandchild_outlives_the_evaluator(command):
    code, output = run(command(order="grandchild"))
    child = int(output.split("grandchild ")[1].split()[0])
    try:
        assert code == 0
        os.kill(child, 0)
    finally:
        os.kill(child, signal.SIGKILL)


@pytest.mark.client
def test_with_the_real_client_on_the_headless_server(command, shared_data, tmp_path):
    """An order for the agent, met while the real client drives; nothing is Unreal's, all else is as in a run."""
    if importlib.util.find_spec("carla") is None or not (shared_data / "towns/Town02.xodr").is_file():
        pytest.skip("needs carla and Town02.xodr")
    version = importlib.metadata.version("carla")
    install = ["headless", "install", str(tmp_path / "carla"), "--maps", str(shared_data / "towns"), "--map", "Town02"]
    call = [sys.executable, "-m", "bestrand_drive", *install, "--carla-version", version]
    subprocess.run(call, check=True, capture_output=True, timeout=60)
    ran = command(order="agent_crash", server="headless", town="Town02", timeout_s=20)
    code, output = run(ran, BESTRAND_STAND_IN_CARLA="real")
    assert judged(ran, code, output).outcome is Outcome.AGENT_CRASHED, output
    beat = read_beat(ran.heartbeat)
    assert (beat.ticks, beat.town) == (10, "Town02")


class TestWithAServer:
    """Bench2Drive's evaluator starts it through a shell; the hooks end its wait of half a minute."""

    @pytest.fixture(autouse=True)
    def carla_root(self, tmp_path):
        return make_carla_root(tmp_path / "carla")

    def test_it_is_started_asked_and_ended(self, command):
        port = free_ports(5)
        started_s = time.monotonic()
        code, output = run(command(server="slow=0.5", port=port))
        assert code == 0, output
        assert time.monotonic() - started_s < 25, "the hooks end the wait"
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("127.0.0.1", port), timeout=5)

    def test_a_crash_of_the_server_is_the_simulations(self, command):
        """F1: SIGSEGV in the middle; the evaluator writes what it knows, and ends with 255."""
        ran = command(server="crash=12")
        code, output = run(ran)
        assert code == 255
        assert "re-raising signal 11" in output
        assert judged(ran, code, output).reason is Reason.SIMULATION_CRASH

    def test_a_server_that_hangs_runs_into_the_evaluators_own_limit(self, command):
        ran = command(server="hang=12", timeout_s=1.0)
        code, output = run(ran)
        assert judged(ran, code, output).reason is Reason.SIMULATION_CRASH
        assert "time-out of 1000ms" in output

    def test_the_kill_by_name_reaches_the_same_rank_only(self, command, carla_root):
        """A server of another slot with its own token survives a crash; one with the same would not."""
        ran = command(order="simulation_crash")
        token = ran.argv[-1].split("=")[1]
        ours, other = free_ports(5), free_ports(5)
        with serving(carla_root, other, "8999999") as sibling, serving(carla_root, ours, token) as victim:
            assert run(ran)[0] == 255
            assert victim.wait(timeout=20) == -signal.SIGKILL
            assert sibling.poll() is None


@contextlib.contextmanager
def serving(carla_root: Path, port: int, token: str) -> Iterator[subprocess.Popen[bytes]]:
    """A server of the stand-in's, of our own; the script replaces itself by it."""
    command = [str(carla_root / "CarlaUE4.sh"), f"-carla-rpc-port={port}", f"-graphicsadapter={token}"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
