"""F3, F7: what is the policy's counts at once, and is never tried again; what is not is tried again, up to a cap."""

from __future__ import annotations

import pytest

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.simulation.attempts.reasons import Reason
from tests.faults.runs import record_of


@pytest.mark.parametrize(
    ("order", "status"),
    [
        ("agent_crash@1", "Failed - Agent crashed"),
        ("status=Failed - Agent got blocked@1", "Failed - Agent got blocked"),
        ("status=Failed - TickRuntime@1", "Failed - TickRuntime"),
    ],
)
def test_what_the_policy_did_counts_though_a_second_try_would_do_better(make_runs, order, status):
    runs = make_runs()
    runs.routes(11)
    runs.order(order)
    runs.run()
    runs.run()
    assert runs.endings() == [status]
    assert record_of(runs.path / "results/0/RouteScenario_11.json")["status"] == status


def test_an_agent_that_cannot_be_imported_stops_the_run_early(make_runs):
    """F3: 220 routes x 3 attempts would end alike; it is the environment's, not a score."""
    runs = make_runs()
    runs.routes(*range(11, 31))
    runs.order("import_error")
    ran = runs.run("--servers", 2, code=7)
    assert 3 <= len(runs.attempts()) <= 4
    assert "for the same reason, agent_import" in ran.err
    assert {one.outcome for one in runs.attempts()} == {Outcome.INFRASTRUCTURE}
    assert "ModuleNotFoundError: No module named 'a_model'" in ran.err
    assert "bestrand doctor" in ran.err
    assert runs.left() == []


def test_starts_on_a_broken_machine_exhaust_no_route(make_runs):
    """F3: the same command goes on once the cause is gone, however often it was given before."""
    runs = make_runs()
    runs.routes(11, 12, 13)
    runs.order("import_error")
    for _ in range(4):
        runs.run(code=7)
    assert [one.number for one in runs.attempts(12)] == [1, 2, 3, 4]
    for cell in runs.run("--explain", "--json").json["cells"]:
        assert "1, 2, 3, 4 not counted: all routes failed so then and there; try 1 of 3" in cell["why"]
    runs.order()
    runs.run()
    assert [runs.endings(route)[4:] for route in (11, 12, 13)] == [["Completed"]] * 3


def test_routes_that_always_fail_are_given_up_though_others_had_results_in_an_earlier_start(make_runs):
    """F22: else every start would stop at them and excuse their attempts, for ever."""
    runs = make_runs()
    runs.routes(11, 12, 13, 14)
    runs.order("12:setup,13:setup,14:setup")
    runs.run("--only", "11")
    runs.run("--max-attempts", 1, code=6)
    assert list((runs.path / "stops").glob("*")) == []
    assert [runs.endings(route) for route in (12, 13, 14)] == [[Reason.SETUP_FAILED.value]] * 3


def test_what_was_said_to_be_given_up_and_is_not_counted_is_taken_back(make_runs):
    """F3: with one attempt a route each line is the last word, until it is known that it was not the routes."""
    runs = make_runs()
    runs.routes(11, 12, 13, 14)
    runs.order("import_error")
    lines = [line for line in runs.run("--max-attempts", 1, code=7).out.splitlines() if not line.startswith("slot")]
    words = [line.rpartition("; ")[2] for line in lines if line.startswith("route") and "agent_import" in line]
    assert words == ["given up", "given up", "not counted"]
    (taken_back,) = (line for line in lines if line.startswith("not counted"))
    assert taken_back.endswith(": " + "; ".join(f"route {one}, repeat 0, attempt 1" for one in (11, 12, 13)))
    cells = runs.run("--explain", "--json", "--max-attempts", 1).json["cells"]
    assert {cell["action"] for cell in cells} == {"run"}


def test_what_fails_beside_a_streak_is_counted(make_runs):
    """F22: one route's own failures are its own, though the run stops later for another reason."""
    runs = make_runs()
    runs.routes(11, 12, 13, 14)
    runs.order("11:setup,import_error")
    runs.run("--max-attempts", 1, code=7)
    said = {line.split()[0]: line for line in runs.run("--explain", "--max-attempts", 1).out.splitlines() if line}
    assert [said[route].split()[2] for route in ("11", "12", "13", "14")] == ["exhausted", "run", "run", "run"]


def test_an_agent_that_could_not_be_imported_is_mended_where_it_is(make_runs):
    """F3: as long as nothing counts; after that it is another policy."""
    runs = make_runs()
    runs.routes(11, 12, 13)
    runs.order("import_error")
    runs.run(code=7)
    runs.order()
    agent = runs.folder / "team/agent.py"
    agent.write_text(agent.read_text() + "# mended\n")
    runs.run()
    assert [one.counts for one in runs.attempts(12)] == [False, True]
    assert len({one.key.policy for one in runs.attempts(12)}) == 2
    agent.write_text(agent.read_text() + "# tuned\n")
    assert "choose another --out" in runs.run(code=2).err


def test_what_fails_again_and_again_is_given_up_and_said(make_runs):
    """Exit 6; the same command does not go on with it, a higher cap does."""
    runs = make_runs()
    runs.routes(11, 12, 13)
    runs.order("12:setup@1-3")
    ran = runs.run("--servers", 2, code=6)
    assert runs.endings(12) == [Reason.SETUP_FAILED.value] * 3
    assert [one.counts for one in runs.attempts() if one.key.route_id != "12"] == [True, True]
    assert "missing: route 12, repeat 0: attempts 1, 2, 3 ended without a result" in ran.out
    assert "run: 2 of 3 routes" in ran.out
    runs.run(code=6)
    assert len(runs.attempts(12)) == 3
    runs.run("--max-attempts", 4)
    assert runs.endings(12)[3] == "Completed"


def test_others_come_before_a_retry(make_runs):
    runs = make_runs()
    runs.routes(11, 12, 13)
    runs.order("11:setup@1")
    runs.run()
    order = sorted(runs.attempts(), key=lambda one: one.started)
    assert [one.key.route_id for one in order] == ["11", "12", "13", "11"]


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ("truncated@1", Reason.CORRUPT_RESULT),
        ("segv@1", Reason.CORRUPT_RESULT),
        ("empty@1", Reason.CORRUPT_RESULT),
        ("foreign@1", Reason.FOREIGN_RESULT),
        ("no_file@1", Reason.NO_RECORD),
        ("address@1", Reason.PORT_TAKEN),
    ],
)
def test_what_is_no_result_is_tried_again_and_kept_as_it_was(make_runs, order, reason):
    """F4, F9: never taken for a result, never lost."""
    runs = make_runs()
    runs.routes(11)
    runs.order(order)
    runs.run()
    assert runs.endings() == [reason.value, "Completed"]
    first = runs.attempts()[0]
    assert (first.result_file is None) == (reason in (Reason.NO_RECORD, Reason.PORT_TAKEN))
    assert runs.results() == ["0/RouteScenario_11.json"]


def test_a_full_gpu_is_shared_by_fewer_and_the_route_tried_again(make_runs):
    """F7: CUDA's words in the log, whatever the evaluator makes of them."""
    runs = make_runs()
    runs.routes(*range(11, 17))
    runs.order("12:oom@1", server="")
    ran = runs.run("--servers", 2, "--gpus", "0", "--servers-per-gpu", 2)
    assert runs.endings(12) == [Reason.GPU_MEMORY.value, "Completed"]
    (failed,) = [one for one in runs.attempts() if not one.counts]
    assert failed.outcome is Outcome.INFRASTRUCTURE
    assert "is given up: its GPU has not the memory" in ran.out
    later = sorted((one for one in runs.attempts() if one.started > failed.ended), key=lambda one: one.started)
    assert later[-1].key.route_id == "12", "a retry comes last"
    assert {one.load.servers for one in (*later[1:], later[-1])} == {1}


def test_a_full_gpu_that_an_agent_survived_is_not_why_it_crashed(make_runs):
    """F7: the words stand in the log, the crash is of another kind; else a policy that prints them is tried again."""
    runs = make_runs()
    runs.routes(11)
    runs.order("oom_survived@1")
    runs.run()
    (attempt,) = runs.attempts()
    assert (attempt.outcome, attempt.status) == (Outcome.AGENT_CRASHED, "Failed - Agent crashed")
    assert any("CUDA out of memory" in line for line in attempt.log_lines), "it was there to be misread"


def test_a_full_gpu_after_which_the_world_went_on_is_not_why_a_simulation_crashed(make_runs):
    """F7: no server is given up for it."""
    runs = make_runs()
    runs.routes(11, 12)
    runs.order("11:oom_early=8@1")
    ran = runs.run("--servers", 2, "--gpus", "0", "--servers-per-gpu", 2)
    assert runs.endings(11) == [Reason.SIMULATION_CRASH.value, "Completed"]
    assert "is given up" not in ran.out


def test_a_port_that_was_found_after_all_is_not_why_a_simulation_crashed(make_runs):
    """F4: the evaluator met a taken port and took another one."""
    runs = make_runs()
    runs.routes(11)
    runs.order("address_survived@1")
    runs.run()
    assert runs.endings() == [Reason.SIMULATION_CRASH.value, "Completed"]
    assert any("bind error" in line for line in runs.attempts()[0].log_lines)


def test_what_an_earlier_route_left_in_a_servers_log_does_not_matter(make_runs):
    """F7: one server of Fail2Drive's drives both routes; it complained of its GPU during the first."""
    runs = make_runs("fail2drive")
    runs.routes(11, 12)
    runs.order("12:simulation_crash@1", server="full=12")
    runs.run()
    assert runs.endings(11) == ["Completed"]
    assert runs.endings(12) == [Reason.SIMULATION_CRASH.value, "Completed"]
    first, second = (one.logs[1] for one in (*runs.attempts(11), runs.attempts(12)[0]))
    assert first == second
    assert "Out of video memory" in (runs.path / "logs" / first).read_text()


def test_the_last_slot_of_a_gpu_is_never_given_up(make_runs):
    runs = make_runs()
    runs.routes(11, 12)
    runs.order("*:oom_setup@1")
    ran = runs.run("--gpus", "0")
    assert [one.counts for one in runs.attempts()] == [False, True] * 2
    assert "is given up" not in ran.out
