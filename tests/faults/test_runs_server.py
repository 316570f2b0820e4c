"""F1, F2, F8: what a server does to a run. The route is driven again; nobody else's server is touched."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import pytest

from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.processes.identity import is_running
from bestrand_drive.simulation.servers import placement
from tests.simulation.processes.trees import foreign

CRASH = Reason.SIMULATION_CRASH.value


@pytest.mark.parametrize("benchmark", ["bench2drive", "fail2drive"])
def test_a_crash_in_the_middle_costs_one_attempt(make_runs, benchmark):
    """The second server dies of SIGSEGV; Bench2Drive's evaluator then kills by rank, and must not reach its sibling."""
    runs = make_runs(benchmark)
    runs.routes(11, 12, 13, 14)
    runs.order("slow=1", server="crash=12@2")
    with foreign() as carla:
        runs.run("--servers", 2, "--timeout", 10)
        assert is_running(carla)
    assert sorted(runs.endings()) == ["Completed"] * 4 + [CRASH]
    (failed,) = [one for one in runs.attempts() if not one.counts]
    assert any("Signal 11" in line for line in failed.log_lines)
    assert runs.left() == []


def test_a_server_that_answers_no_more(make_runs):
    """The evaluator's own limit ends it, before the watchdog must."""
    runs = make_runs()
    runs.routes(11, 12)
    runs.order(server="hang=12@1")
    runs.run("--timeout", 2)
    assert runs.endings(11) == [CRASH, "Completed"]
    assert runs.endings(12) == ["Completed"]


@pytest.mark.parametrize(
    ("order", "limit", "reason"),
    [
        ("hang_load", "load=1", Reason.LOAD_HANG),
        ("hang_tick", "tick=1", Reason.TM_STALL),
        ("hang_start", "start=1", Reason.NO_PROGRESS),
        ("hang_evaluator", "grace=1", Reason.NO_PROGRESS),
    ],
)
def test_what_stands_still_is_ended_and_run_again(make_runs, order, limit, reason):
    runs = make_runs()
    runs.routes(11)
    runs.order(f"{order}@1")
    runs.run("--limit", limit, "--timeout", 2, "--max-attempts", 1, code=6)
    runs.run()  # without the short limit, which a busy machine does not keep
    assert runs.endings() == [reason.value, "Completed"]
    assert runs.left() == []
    log = (runs.path / "logs" / runs.attempts()[0].logs[0]).read_text()
    assert order == "hang_start" or "most recent call first" in log, "the stacks are in the log"


def test_an_agent_that_hangs_is_not_tried_again(make_runs):
    """F3: a second try would do better, so it must not be made; no score, counted and shown."""
    runs = make_runs()
    runs.routes(11, 12)
    runs.order("11:hang@1")
    options = ("--limit", "grace=1", "--timeout", 1)
    ran = runs.run(*options, "--keep-on-failure", "log", "--keep-failures", "policy", code=6)
    why = "attempt 1 hung in the agent's own code (agent_hang): not tried again"
    assert "route 11, repeat 0: no result in" in ran.out
    assert "; in the agent's own code for" in ran.out
    assert "attempts of this start: 2 (1 scored, 1 agent hung)" in ran.out
    assert f"missing: route 11, repeat 0: {why}" in ran.out
    assert [path.name.split(".")[0] for path in (runs.path / "kept").iterdir()] == ["11"]
    runs.run(*options, "--max-attempts", 9, code=6)
    assert runs.endings() == [Reason.AGENT_HANG.value, "Completed"]
    assert runs.results() == ["0/RouteScenario_12.json"]
    assert why in " ".join(runs.run("--explain").out.split())
    assert runs.left() == []


def test_a_result_counts_though_its_evaluator_never_ends(make_runs):
    runs = make_runs()
    runs.routes(11)
    runs.order("hang_end")
    runs.run("--limit", "grace=1", "--timeout", 2)
    assert runs.endings() == ["Completed"]


def test_an_attempt_that_takes_too_long(make_runs):
    runs = make_runs()
    runs.routes(11)
    runs.order("slow=60@1")
    runs.run("--route-limit", 2, "--max-attempts", 1, code=6)
    runs.run()  # without the limit, which a busy machine does not keep
    assert runs.endings() == [Reason.WALL_LIMIT.value, "Completed"]


def test_a_flood_of_output_holds_nobody_up(make_runs):
    runs = make_runs()
    runs.routes(11)
    runs.order("flood=100")
    runs.run()
    (attempt,) = runs.attempts()
    assert attempt.counts
    assert (runs.path / "logs" / attempt.logs[0]).stat().st_size <= 16 << 20


def test_a_server_that_never_comes_up(make_runs):
    """Of ours (Fail2Drive's): each attempt says so, and after three routes it is enough."""
    runs = make_runs("fail2drive")
    runs.routes(*range(6))
    runs.order(server="exit")
    ran = runs.run(code=7)
    assert runs.endings() == [Reason.SERVER_NOT_READY.value] * 3
    assert "3 routes in a row had no result for the same reason, server_not_ready" in ran.err
    runs.order()
    runs.run()
    assert [one.counts for one in runs.attempts()] == [False, True] * 3 + [True] * 3


def test_a_server_of_another_version_stops_the_run(make_runs):
    runs = make_runs()
    runs.routes(11, 12)
    runs.order("slow=30")
    ran = runs.run("--carla-version", "0.9.10", code=7)
    assert "announces version '0.9.15', not '0.9.10'" in ran.err
    assert runs.attempts() == ()
    assert runs.left() == []


class Nvml:
    """NVML as it would be on a machine whose Vulkan counts otherwise: every server sits on GPU 1."""

    NVMLError = RuntimeError
    pids: tuple[int, ...] = ()

    def __getattr__(self, name: str) -> Any:
        return lambda *_: None

    def nvmlDeviceGetCount(self) -> int:
        return 2

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:
        return index

    def nvmlDeviceGetUUID(self, handle: int) -> str:
        return f"GPU-{handle}"

    def nvmlDeviceGetGraphicsRunningProcesses(self, handle: int) -> list[SimpleNamespace]:
        return [SimpleNamespace(pid=int(pid)) for pid in os.listdir("/proc") if pid.isdigit() and handle == 1]

    def nvmlDeviceGetComputeRunningProcesses(self, _: int) -> list[SimpleNamespace]:
        return []


@pytest.mark.parametrize("benchmark", ["bench2drive", "fail2drive"])
def test_a_server_on_another_gpu_stops_the_run(make_runs, monkeypatch, benchmark):
    monkeypatch.setattr(placement, "_pynvml", Nvml)
    monkeypatch.setattr(placement, "_has_the_hosts_ids", lambda: True)
    runs = make_runs(benchmark)
    runs.routes(11)
    runs.order("slow=30")
    ran = runs.run("--gpus", "0", code=7)
    assert "the server was to run on GPU 0 (GPU-0)" in ran.err
    assert "--gpus 0:ADAPTER" in ran.err
    assert runs.attempts() == ()
    runs.order()
    runs.run("--gpus", "1")
    assert [one.gpu for one in runs.attempts()] == ["1"]
