"""Judging attempts: the policy's result counts whatever came after; everything else has one reason word."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.simulation.attempts.outcome import Ending, Judgement, judge
from bestrand_drive.simulation.attempts.reasons import Reason
from tests.simulation.attempts.made import failed, result

BAD_ENDINGS = (
    Ending(exit_code=-9),
    Ending(exit_code=255),
    Ending(verdict=Reason.NO_PROGRESS),
    Ending(signature=Reason.SIMULATION_CRASH),
    Ending(server_died=True),
    Ending(interrupted=True),
)


def judged(content: bytes | None, ending: Ending = Ending(), route: str = "1711") -> Judgement:  # noqa: B008
    return judge(content, ending, route_id=route, benchmark="bench2drive")


DRIVEN = (
    "Perfect",
    "Completed",
    "Failed",
    "Failed - Agent timed out",
    "Failed - Agent deviated from the route",
    "Failed - Agent got blocked",
    "Failed - TickRuntime",
)


@pytest.mark.parametrize("status", DRIVEN)
@pytest.mark.parametrize("ending", [Ending(), *BAD_ENDINGS, Ending(signature=Reason.GPU_MEMORY)])
def test_a_driven_route_counts_however_the_processes_ended(status, ending):
    """Otherwise a policy whose failures make the simulator hang afterwards would be given another chance."""
    found = judged(result(status=status), ending)
    assert (found.outcome, found.reason, found.status, found.kept) == (Outcome.SCORED, None, status, True)
    assert (found.game_s, found.system_s) == (20.0, 60.0)


def test_an_agent_crash_is_the_policys():
    """F3: an agent that raises is not tried again."""
    full = Ending(signature=Reason.GPU_MEMORY)  # F7: somewhere in its log, not in its last traceback
    taken = Ending(crash=Reason.PORT_TAKEN)
    more = (Ending(), Ending(exit_code=255), Ending(verdict=Reason.WALL_LIMIT), Ending(interrupted=True))
    for ending in (full, taken, *more):
        found = judged(result(status="Failed - Agent crashed", completion=12.0), ending)
        assert (found.outcome, found.reason) == (Outcome.AGENT_CRASHED, None)


@pytest.mark.parametrize(
    ("ending", "reason"),
    [
        (Ending(crash=Reason.GPU_MEMORY), Reason.GPU_MEMORY),
        (Ending(server_died=True), Reason.SIMULATION_CRASH),
        (Ending(server_died=True, signature=Reason.GPU_MEMORY), Reason.GPU_MEMORY),
        (Ending(server_died=True, interrupted=True), Reason.INTERRUPTED),  # a batch system has told the server, too
    ],
)
def test_an_agent_that_lost_its_memory_or_its_server_did_not_crash_by_itself(ending, reason):
    found = judged(result(status="Failed - Agent crashed"), ending)
    assert (found.outcome, found.reason) == (Outcome.INFRASTRUCTURE, reason)


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("Failed - Simulation crashed", Reason.SIMULATION_CRASH),
        ("Failed - Agent couldn't be set up", Reason.SETUP_FAILED),
        ("Failed - Agent's sensors were invalid", Reason.SENSORS_INVALID),
        ("Started", Reason.UNFINISHED),
        ("Failed - Aliens", Reason.UNKNOWN_STATUS),
    ],
)
def test_other_statuses_are_the_infrastructures(status, reason):
    found = judged(result(status=status))
    assert (found.outcome, found.reason, found.status, found.counts) == (Outcome.INFRASTRUCTURE, reason, status, False)
    by_watchdog = judged(result(status=status), Ending(verdict=Reason.LOAD_HANG))
    assert by_watchdog.reason is Reason.LOAD_HANG


@pytest.mark.parametrize("signature", [Reason.GPU_MEMORY, Reason.PORT_TAKEN, Reason.EVALUATOR_DEFECT])
def test_the_log_can_say_more_than_the_status(signature):
    found = judged(result(status="Failed - Simulation crashed"), Ending(signature=signature))
    assert (found.outcome, found.reason) == (Outcome.INFRASTRUCTURE, signature)


def test_a_crash_in_the_log_says_less_than_the_status():
    """What the evaluator's own server prints when it is ended looks like one."""
    found = judged(result(status="Failed - Agent couldn't be set up"), Ending(signature=Reason.SIMULATION_CRASH))
    assert found.reason is Reason.SETUP_FAILED


NO_RECORDS = json.dumps({"_checkpoint": {"records": [], "progress": [0, 1]}, "entry_status": "Started"}).encode()


@pytest.mark.parametrize("content", [None, NO_RECORDS])
@pytest.mark.parametrize(
    ("ending", "reason"),
    [
        (Ending(exit_code=1), Reason.NO_RECORD),
        (Ending(exit_code=None), Reason.NO_RECORD),
        (Ending(exit_code=-9), Reason.EVALUATOR_KILLED),
        (Ending(exit_code=None, lost=True), Reason.EVALUATOR_KILLED),
        (Ending(exit_code=None, lost=True, signature=Reason.SIMULATION_CRASH), Reason.EVALUATOR_KILLED),
        (Ending(exit_code=1, signature=Reason.AGENT_IMPORT), Reason.AGENT_IMPORT),
        (Ending(exit_code=-9, verdict=Reason.TICK_HANG, signature=Reason.PORT_TAKEN), Reason.TICK_HANG),
        (Ending(exit_code=1, signature=Reason.PORT_TAKEN), Reason.PORT_TAKEN),
        (Ending(exit_code=1, server_died=True), Reason.SIMULATION_CRASH),
    ],
)
def test_without_a_record_the_ending_decides(content, ending, reason):
    found = judged(content, ending)
    assert (found.outcome, found.reason) == (Outcome.INFRASTRUCTURE, reason)


@pytest.mark.parametrize("content", [None, NO_RECORDS, b"{", result(status="Started")])
@pytest.mark.parametrize(
    ("verdict", "outcome"), [(Reason.AGENT_HANG, Outcome.AGENT_HUNG), (Reason.WALL_LIMIT, Outcome.OVER_LIMIT)]
)
def test_a_hang_of_the_agent_or_too_long_a_drive_is_the_policys_and_has_no_score(content, verdict, outcome):
    """F3: neither scored nor tried again."""
    found = judged(content, Ending(exit_code=-9, verdict=verdict))
    assert (found.outcome, found.reason) == (outcome, verdict)
    assert (found.counts, found.kept) == (False, True)


def test_a_drive_that_the_simulator_had_ended_is_not_held_against_the_policy():
    """Its evaluator stood still afterwards."""
    found = judged(result(status="Failed - Simulation crashed"), Ending(exit_code=-9, verdict=Reason.WALL_LIMIT))
    assert (found.outcome, found.reason) == (Outcome.INFRASTRUCTURE, Reason.SIMULATION_CRASH)


def test_a_hang_after_the_result_costs_nothing():
    assert judged(result(), Ending(exit_code=-9, verdict=Reason.AGENT_HANG)).outcome is Outcome.SCORED


CRASHED = result(status="Failed - Simulation crashed")  # its server may have been signalled, too


@pytest.mark.parametrize("content", [None, NO_RECORDS, b"{", result(status="Started"), CRASHED])
def test_an_interrupted_attempt_without_a_result_leaves_no_record(content):
    found = judged(content, Ending(exit_code=-15, interrupted=True))
    assert (found.reason, found.kept) == (Reason.INTERRUPTED, False)


SEVERAL = result(1711).replace(b'"records": [', b'"records": [{"route_id": "RouteScenario_1711_rep0"}, ')


@pytest.mark.parametrize("content", [result(1712), SEVERAL])
def test_a_file_of_another_or_of_several_routes_is_foreign(content):
    assert judged(content).reason is Reason.FOREIGN_RESULT


@pytest.mark.parametrize("name", ["RouteScenario_75_rep0", "Base_Animals_0075-273b"])
def test_fail2drives_names_of_records_are_known(name):
    content = result().replace(b"RouteScenario_1711_rep0", name.encode())
    assert judge(content, Ending(), route_id="75", benchmark="fail2drive").counts


BAD_NUMBERS = [math.nan, math.inf, -math.inf, 1e400]


@pytest.mark.parametrize("name", ["score_route", "score_penalty", "score_composed"])
@pytest.mark.parametrize("number", BAD_NUMBERS)
def test_a_score_that_is_no_number_is_missing_and_never_zero(name, number):
    """F9, F15: CARLA's evaluators write the literal NaN."""
    raw = json.loads(result())
    raw["_checkpoint"]["records"][0]["scores"][name] = number
    found = judged(json.dumps(raw).encode())
    assert (found.outcome, found.reason) == (Outcome.INFRASTRUCTURE, Reason.NOT_A_NUMBER)


@pytest.mark.parametrize("field", ["status", "route_id"])
def test_a_word_that_no_file_can_hold_is_damage_and_no_crash(field):
    """F15: JSON can write half a character, and the attempt's record is to be UTF-8."""
    raw = json.loads(result())
    raw["_checkpoint"]["records"][0][field] += "\ud800"
    found = judged(json.dumps(raw).encode())
    assert found.outcome is Outcome.INFRASTRUCTURE
    assert failed(reason=found.reason, status=found.status, detail=found.detail).to_json()


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_any_composed_score_is_scored_missing_or_corrupt(number):
    """F15: inside 0 to 100 (and a rounding error) it is scored, no number is missing, everything else is damaged."""
    raw = json.loads(result())
    raw["_checkpoint"]["records"][0]["scores"]["score_composed"] = number
    found = judged(json.dumps(raw).encode())
    if not math.isfinite(number):
        assert found.reason is Reason.NOT_A_NUMBER
    elif -1e-6 <= number <= 100 + 1e-6:
        assert found.outcome is Outcome.SCORED
    else:
        assert found.reason is Reason.CORRUPT_RESULT


def test_durations_that_are_no_numbers_are_missing():
    raw = json.loads(result())
    raw["_checkpoint"]["records"][0]["meta"] = {"duration_game": math.nan}
    found = judged(json.dumps(raw).encode())
    assert (found.outcome, found.game_s, found.system_s) == (Outcome.SCORED, None, None)
