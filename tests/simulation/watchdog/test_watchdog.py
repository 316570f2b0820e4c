"""Verdicts on attempts that do not move; the clock is the test's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.signatures import scan
from bestrand_drive.simulation.heartbeat import Beat, State
from bestrand_drive.simulation.watchdog import FINE, Limits, Look, Server, Verdict, Watchdog

ROOT = Path(__file__).resolve().parents[3]
LIMITS = Limits(timeout_s=300, ready_s=200, start_s=500, load_s=400, tick_s=120, grace_s=60, gone_s=30)
BEAT = Beat(State.BETWEEN, 1, 7, 3, 90, 0.0, "Town12")


def watched(look: Look, duration_s: float, limits: Limits = LIMITS, step_s: float = 5.0, **options) -> Verdict:
    """The same look again and again, for so long; the first verdict that is not fine, else fine."""
    dog = Watchdog(limits, **options)
    dog.look(replace(look, server=Server.ANSWERS))
    for number in range(1, int(duration_s / step_s) + 1):
        verdict = dog.look(replace(look, now_s=look.now_s + number * step_s))
        if not verdict.fine:
            return verdict
    return FINE


def look(state: State | None, server: Server = Server.ANSWERS, **more) -> Look:
    return Look(1000.0, beat=replace(BEAT, state=state) if state is not None else None, server=server, **more)


@pytest.mark.parametrize(
    ("state", "server", "limit_s", "reason"),
    [
        (None, Server.ANSWERS, 500, Reason.NO_PROGRESS),
        (None, Server.SILENT, 200, Reason.SERVER_NOT_READY),
        (State.START, Server.SILENT, 200, Reason.SERVER_NOT_READY),
        (State.START, Server.ANSWERS, 500, Reason.NO_PROGRESS),
        (State.START, Server.UNKNOWN, 500, Reason.NO_PROGRESS),
        (State.LOAD, Server.ANSWERS, 400, Reason.LOAD_HANG),
        (State.LOAD, Server.SILENT, 400, Reason.LOAD_HANG),
        (State.TICK, Server.ANSWERS, 120, Reason.TM_STALL),
        (State.TICK, Server.SILENT, 120, Reason.TICK_HANG),
        (State.TICK, Server.UNKNOWN, 120, Reason.TICK_HANG),
        (State.BETWEEN, Server.ANSWERS, 360, Reason.NO_PROGRESS),
        (State.BETWEEN, Server.SILENT, 360, Reason.NO_PROGRESS),
        (State.TICK, Server.GONE, 30, Reason.SIMULATION_CRASH),
        (State.BETWEEN, Server.GONE, 30, Reason.SIMULATION_CRASH),
    ],
)
def test_each_state_has_its_limit(state, server, limit_s, reason):
    """The agent's own clock (300 s) is left to act first."""
    assert watched(look(state, server), limit_s) == FINE
    verdict = watched(look(state, server), limit_s + 5)
    assert verdict.reason is reason
    assert server.value in verdict.text or "gone" in verdict.text


@pytest.mark.parametrize("timeout_s", [60.0, 300.0, 600.0])
def test_the_evaluators_own_clocks_act_first_while_a_world_is_loaded_and_between_calls(timeout_s):
    """By default, whatever its ``--timeout``: its client gives a load up by itself, and its record tells more."""
    limits = Limits(timeout_s=timeout_s)
    for state in (State.LOAD, State.BETWEEN):
        assert watched(look(state), timeout_s + 55, limits) == FINE
        assert not watched(look(state), timeout_s + 70, limits).fine


def test_the_limits_are_those_of_the_docs():
    limits, text = Limits(timeout_s=600), " ".join((ROOT / "docs/running.md").read_text().split())
    for said in (
        f"wait for `--timeout` and `grace` ({limits.grace_s:g})",
        f"A `tick` has {limits.tick_s:g} s",
        f"`ready` {limits.ready_s:g}, `start` {limits.start_s:g} (imports), `gone` {limits.gone_s:g}.",
    ):
        assert said in text


def test_what_it_rests_on():
    evidence = watched(look(State.TICK, result_mtime_ns=1), 200).evidence
    assert evidence == ("tick in Town12, 3 ticks, frame 90", "server answers", "a result file")


def test_progress_sets_the_clock_back():
    dog = Watchdog(LIMITS)
    for second in range(0, 4000, 10):
        beat = replace(BEAT, state=State.TICK, changes=second // 110)
        assert dog.look(Look(float(second), beat=beat, server=Server.ANSWERS)).fine


def test_a_written_result_is_progress():
    """After the last tick an evaluator writes, and tidies up."""
    dog = Watchdog(LIMITS)
    for second in range(0, 700, 10):
        assert dog.look(Look(float(second), beat=BEAT, result_mtime_ns=second // 350)).fine


def test_a_server_that_comes_back_was_only_slow():
    dog = Watchdog(LIMITS)
    for second in range(0, 300, 10):
        server = Server.GONE if second % 30 else Server.ANSWERS
        assert dog.look(Look(float(second), beat=BEAT, server=server)).fine


def test_a_server_that_never_was_is_not_gone():
    """The evaluator starts it some time after its own start."""
    dog = Watchdog(LIMITS)
    for second in range(0, 200, 10):
        assert dog.look(Look(float(second), server=Server.GONE)).fine
    assert dog.look(Look(210.0, server=Server.GONE)).reason is Reason.SERVER_NOT_READY


def test_a_limit_of_the_start_below_that_of_the_server_holds():
    """As ``--limit start=100`` says it; whose fault it is cannot be told then."""
    limits = replace(LIMITS, ready_s=200, start_s=100)
    assert watched(look(State.START, Server.SILENT), 100, limits) == FINE
    assert watched(look(State.START, Server.SILENT), 105, limits).reason is Reason.NO_PROGRESS


def test_an_evaluator_that_ended_is_judged_by_its_result():
    assert watched(look(State.TICK, Server.GONE, alive=False), 10_000) == FINE


def test_without_hooks_only_server_and_wall_are_watched():
    assert watched(look(None), 10_000, hooks=False) == FINE
    assert watched(look(None, Server.GONE), 100, hooks=False).reason is Reason.SIMULATION_CRASH


def test_hooks_that_python_leaves_out_are_noticed():
    """An interpreter started with -I reads no PYTHONPATH; the evaluator's first write shows that it runs."""
    assert watched(look(None, result_mtime_ns=1), 10_000) == FINE


def over_the_wall(state: State | None, server: Server, ticks: int = 0, *, hooks: bool = True) -> Verdict:
    """The verdict on an attempt that moves all the time, when its wall limit is over."""
    dog = Watchdog(replace(LIMITS, wall_s=600), hooks=hooks)
    for second in range(0, 620, 10):
        beat = None if state is None else replace(BEAT, state=state, ticks=ticks, changes=second)
        verdict = dog.look(Look(float(second), beat=beat, server=Server.ANSWERS if second < 600 else server))
        assert verdict.fine == (second <= 600)
    return verdict


@pytest.mark.parametrize(
    ("state", "ticks", "server", "reason"),
    [
        (State.BETWEEN, 1, Server.ANSWERS, Reason.WALL_LIMIT),
        (State.TICK, 1, Server.SILENT, Reason.WALL_LIMIT),
        (State.TICK, 1, Server.GONE, Reason.SIMULATION_CRASH),
        (State.BETWEEN, 0, Server.ANSWERS, Reason.NO_PROGRESS),
        (State.TICK, 0, Server.SILENT, Reason.TICK_HANG),
        (State.LOAD, 0, Server.ANSWERS, Reason.LOAD_HANG),
        (State.START, 0, Server.ANSWERS, Reason.NO_PROGRESS),
        (State.START, 0, Server.SILENT, Reason.SERVER_NOT_READY),
    ],
)
def test_the_wall_limit_is_the_policys_once_it_drives(state, ticks, server, reason):
    """F3: how long a drive takes depends on it; before the first step it is for what is waited for."""
    verdict = over_the_wall(state, server, ticks)
    assert verdict.reason is reason
    assert verdict.text.startswith("the attempt takes longer than 600 s")


@pytest.mark.parametrize(
    ("server", "reason"),
    [
        (Server.ANSWERS, Reason.WALL_LIMIT),
        (Server.SILENT, Reason.SERVER_NOT_READY),
        (Server.GONE, Reason.SIMULATION_CRASH),
    ],
)
def test_the_wall_limit_without_hooks_is_the_policys_while_the_server_answers(server, reason):
    assert over_the_wall(None, server, hooks=False).reason is reason


def test_a_driver_that_was_stopped_saw_nothing():
    """SIGSTOP and SIGCONT of the whole job: an hour passed, and nothing could move."""
    dog = Watchdog(replace(LIMITS, wall_s=600))
    tick = look(State.TICK)
    assert dog.look(tick).fine
    assert dog.look(replace(tick, now_s=tick.now_s + 3600)).fine
    assert dog.look(replace(tick, now_s=tick.now_s + 3601)).fine


def test_a_clock_that_goes_back_is_no_time():
    dog = Watchdog(LIMITS)
    tick = look(State.TICK)
    assert all(dog.look(replace(tick, now_s=tick.now_s - 50 * number)).fine for number in range(50))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("CUDA out of memory", Reason.GPU_MEMORY),
        ("bind: Address already in use", Reason.PORT_TAKEN),
        ("Signal 11 caught.", Reason.SIMULATION_CRASH),
        ("Watchdog exception - Timeout of 301.0 seconds occured", Reason.SIMULATION_CRASH),
    ],
)
def test_a_log_says_why_a_server_went(line, reason):
    verdict = watched(look(State.TICK, Server.GONE, signature=scan([line])), 60)
    assert verdict.reason is reason
    assert line in verdict.evidence


def test_a_log_says_nothing_of_a_server_that_answers():
    """An agent that met a full GPU earlier and went on may still stall in a tick."""
    verdict = watched(look(State.TICK, signature=scan(["CUDA out of memory"])), 200)
    assert verdict.reason is Reason.TM_STALL


@pytest.mark.parametrize(
    ("state", "server", "between"),
    [
        (State.BETWEEN, Server.ANSWERS, True),
        (State.BETWEEN, Server.SILENT, False),
        (State.BETWEEN, Server.UNKNOWN, False),
        (State.START, Server.ANSWERS, False),
        (None, Server.ANSWERS, False),
        (State.TICK, Server.ANSWERS, False),
        (State.LOAD, Server.ANSWERS, False),
    ],
)
def test_where_the_agent_can_be_why(state, server, between):
    """F3: only between calls of a server that answers; then the stacks decide, and the words follow."""
    verdict = watched(look(state, server), 1000)
    assert not verdict.fine
    assert verdict.between == between
    if between:
        found = verdict.of_agent()
        assert (found.reason, found.evidence) == (Reason.AGENT_HANG, verdict.evidence)
        assert found.text.startswith("in the agent's own code for ")
