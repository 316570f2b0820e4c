"""Which evaluator wrote a file: each rule against hand-computed penalties, and every real policy."""

import pytest

from bestrand_drive.benchmarks.penalties import RULES, check_evaluator, identify_evaluator
from bestrand_drive.benchmarks.records import read_results

POLICIES = {
    "bench2drive": ("PDM-Lite", "VAD", "TCP-traj", "SimLingo", "LEAD-TFv6", "ORION"),
    "fail2drive": ("AlignDrive", "BevAD", "TFv6"),
}
SLOW = "Average speed is 50.0% of the surrounding traffic's one"
FAST = "Average speed is 150.0% of the surrounding traffic's one"
OUTSIDE = "Agent went outside its route lanes for about 5.002 meters (10.0% of the completed route)"
CASE = {
    "collisions_pedestrian": ["a"],
    "collisions_vehicle": ["a", "b"],
    "collisions_layout": ["a"],
    "red_light": ["a"],
    "stop_infraction": ["a"],
    "scenario_timeouts": ["a"],
    "yield_emergency_vehicle_infractions": ["a"],
    "outside_route_lanes": [OUTSIDE],
    "min_speed_infractions": [SLOW, FAST],
    "route_dev": ["no penalty"],
}
BASIC = 0.5 * 0.6 * 0.6 * 0.65 * 0.7 * 0.8 * 0.9
EXPECTED = {
    "leaderboard-1.0": BASIC,
    "bench2drive": BASIC * 0.7 * 0.7,
    "leaderboard-2.0": BASIC * 0.7 * 0.7 * 0.85,
    "leaderboard-2.1": 0.9 / (1 + 1.0 + 2 * 0.7 + 0.6 + 0.4 + 0.25 + 0.4 + 0.4 + 0.4 * 0.5),
}


def results_of(build, tmp_path, records):
    build.write(tmp_path / "a.json", records)
    return read_results(tmp_path, name="P", benchmark="bench2drive")


@pytest.mark.parametrize("rule", EXPECTED)
def test_each_rule_by_hand(build, tmp_path, rule):
    (record,) = results_of(build, tmp_path, [build.record(penalty=0.5, infractions=CASE)]).records
    assert RULES[rule](record) == pytest.approx(EXPECTED[rule], rel=1e-12)


@pytest.mark.parametrize("rule", EXPECTED)
def test_each_evaluator_is_recognised_and_a_wrong_one_named(build, tmp_path, rule):
    results = results_of(build, tmp_path, [build.record(penalty=EXPECTED[rule], infractions=CASE)])
    assert identify_evaluator(results.records).best == rule
    message = check_evaluator(results, "bench2drive")
    if rule == "bench2drive":
        assert message is None
    else:
        assert message is not None
        assert all(word in message for word in (rule, "route 1", "(100%)", "--allow-evaluator-mismatch"))
    assert (check_evaluator(results, "fail2drive") is None) == (rule == "leaderboard-2.0")


@pytest.mark.parametrize(("benchmark", "policy"), [(b, p) for b, policies in POLICIES.items() for p in policies])
def test_every_real_policy_follows_its_benchmark_and_not_the_other(shared_data, benchmark, policy):
    results = read_results(shared_data / benchmark / "results" / policy, name=policy, benchmark=benchmark)
    (other,) = set(POLICIES) - {benchmark}
    assert check_evaluator(results, benchmark) is None
    assert "--allow-evaluator-mismatch" in (check_evaluator(results, other) or "")


@pytest.mark.parametrize(("wrong", "accepted"), [(0, True), (1, True), (2, False)])
def test_one_in_twenty_records_may_disagree(build, tmp_path, wrong, accepted):
    slow = {"min_speed_infractions": [SLOW]}
    records = [
        build.record(f"RouteScenario_{i + 1}_rep0", penalty=0.85 if i < wrong else 1.0, infractions=slow)
        for i in range(20)
    ]
    assert (check_evaluator(results_of(build, tmp_path, records), "bench2drive") is None) is accepted


def test_few_telling_records_among_many_silent_ones_still_tell(build, tmp_path):
    silent = [build.record(f"RouteScenario_{i + 10}_rep0") for i in range(300)]
    slow = {"min_speed_infractions": [SLOW]}
    telling = [build.record(f"RouteScenario_{i}_rep0", penalty=0.85, infractions=slow) for i in range(1, 5)]
    assert "leaderboard-2.0" in (check_evaluator(results_of(build, tmp_path, silent + telling), "bench2drive") or "")


def test_nothing_to_tell_is_no_mismatch(build, tmp_path):
    records = [build.record(), build.record("RouteScenario_2_rep0", status="Failed - Simulation crashed")]
    results = results_of(build, tmp_path, records)
    assert check_evaluator(results, "bench2drive") is None
    assert {match.checked for match in identify_evaluator(results.records).rules.values()} == {1}


def test_penalties_that_no_rule_explains_are_a_mismatch(build, tmp_path):
    assert check_evaluator(results_of(build, tmp_path, [build.record(penalty=0.123)]), "bench2drive") is not None


@pytest.mark.parametrize(("edited", "accepted"), [(1, True), (2, False)])
def test_scores_that_completion_and_penalty_do_not_make_are_a_mismatch(build, tmp_path, edited, accepted):
    """One in twenty may be so; the penalties themselves are all the rule's."""
    records = [build.record(f"RouteScenario_{i + 1}_rep0", completion=50) for i in range(20)]
    for record in records[:edited]:
        record["scores"]["score_composed"] = 50.1
    message = check_evaluator(results_of(build, tmp_path, records), "bench2drive")
    if accepted:
        assert message is None
    else:
        assert message is not None
        assert "in 2 of 20 records the driving score is not completion x penalty, first route 1 " in message
        assert "50.1 instead of 50." in message
