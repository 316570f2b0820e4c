"""The plan: what counts, what runs, what is given up, each with its reason."""

from __future__ import annotations

import pytest

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.attempts.plan import Action, counted_attempts, plan
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.route_set import read_route_set
from bestrand_drive.simulation.attempts.stops import name_of
from tests.simulation.attempts.made import KEY, failed, hung, key, over_limit, scored


def one(attempts, wanted=KEY, **options):
    (cell,) = plan([wanted], attempts, **options)
    return cell


def test_nothing_was_tried():
    cell = one([])
    assert (cell.action, cell.number, cell.counted, cell.why) == (Action.RUN, 1, None, "no attempt yet")


def test_a_result_ends_the_cell():
    cell = one([scored()])
    assert (cell.action, cell.number, cell.why) == (Action.DONE, 1, "attempt 1 counts: Completed")


@pytest.mark.parametrize("outcome", [Outcome.SCORED, Outcome.AGENT_CRASHED])
def test_the_first_of_the_policys_results_counts_whatever_the_later_ones_say(outcome):
    bad = scored(2, outcome=outcome, status="Failed - Agent got blocked")
    attempts = [scored(3, status="Perfect"), failed(1, reason=Reason.TM_STALL), bad]
    cell = one(attempts)
    assert (cell.counted, cell.number) == (bad, 2)
    assert cell.why == ("attempt 2 counts: Failed - Agent got blocked; attempt 1 ended without a result (tm_stall)")


def test_infrastructure_is_tried_again_up_to_the_cap():
    attempts = [failed(1, reason=Reason.LOAD_HANG), failed(2)]
    cell = one(attempts)
    assert (cell.action, cell.number) == (Action.RUN, 3)
    assert cell.why == "attempts 1, 2 ended without a result (load_hang, simulation_crash); try 3 of 3"
    cell = one([*attempts, failed(3)])
    assert (cell.action, cell.number, cell.counted) == (Action.EXHAUSTED, 3, None)
    assert "no more than 3 are made (--max-attempts)" in cell.why
    assert one([*attempts, failed(3)], max_attempts=4).number == 4
    assert one(attempts, max_attempts=2).action is Action.EXHAUSTED


def test_what_pulled_the_breaker_is_not_counted_against_the_cap():
    """F3: three starts on a broken machine exhaust nothing; the route's own failures still do."""
    attempts = [failed(number) for number in (1, 2, 3, 4)]
    excused = frozenset(name_of(attempt) for attempt in attempts[:3])
    cell = one(attempts, excused=excused)
    assert (cell.action, cell.number) == (Action.RUN, 5)
    assert "1, 2, 3 not counted: all routes failed so then and there; try 2 of 3" in cell.why
    own = [failed(number) for number in (5, 6)]
    cell = one([*attempts, *own], excused=excused)
    assert (cell.action, cell.number) == (Action.EXHAUSTED, 6)
    assert "1, 2, 3 not counted" in cell.why


def test_an_excuse_never_touches_a_result():
    """F22: the first of the policy's results counts, whatever a record of a stop says."""
    bad = scored(1, status="Failed - Agent got blocked")
    for attempts in ([bad, scored(2)], [bad, failed(2), scored(3)]):
        assert one(attempts, excused=frozenset(map(name_of, attempts))).counted == bad


def test_a_hang_of_the_agent_ends_the_cell_without_a_result():
    """F3: no cap and no later attempt undoes it, or retrying could raise a score."""
    attempts = [failed(1), hung(2), scored(3)]
    cell = one(attempts, max_attempts=9)
    assert (cell.action, cell.number, cell.counted) == (Action.EXHAUSTED, 2, None)
    assert cell.why == (
        "attempt 2 hung in the agent's own code (agent_hang): not tried again; "
        "attempt 1 ended without a result (simulation_crash)"
    )
    assert counted_attempts([KEY], attempts, KEY) == []
    assert one([scored(1), hung(2)]).action is Action.DONE


def test_a_drive_over_the_limit_ends_the_cell_without_a_result():
    """F3: bad drives are the long ones."""
    cell = one([over_limit(1), scored(2)], max_attempts=9)
    assert (cell.action, cell.number, cell.counted) == (Action.EXHAUSTED, 1, None)
    assert cell.why == "attempt 1 was not over at --route-limit (wall_limit): not tried again"


def test_the_cap_does_not_undo_a_result():
    assert one([failed(1), failed(2), failed(3), scored(4)], max_attempts=1).action is Action.DONE


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"route_sha256": "b" * 64}, "the route's content was"),
        ({"seed": 7}, "the traffic seed was 7, now 0"),
        ({"policy": "id:yours"}, "the policy was id:yours, now id:mine"),
        ({"town": "Town13"}, "the town was Town13, now Town12"),
    ],
)
@pytest.mark.parametrize("pool", [False, True])
def test_another_kind_of_attempt_never_counts(change, word, pool):
    cell = one([scored(1, key(**change))], pool_builds=pool)
    assert (cell.action, cell.number) == (Action.RUN, 2)
    assert word in cell.why
    assert "--pool-builds" not in cell.why


BUILDS = {"carla_version": "0.9.14", "evaluator_commit": "0ld", "simulator": "headless", "adapter": "bench2drive/0"}


@pytest.mark.parametrize("name", BUILDS)
def test_another_build_counts_by_a_flag_only(name):
    old = scored(1, key(**{name: BUILDS[name]}))
    cell = one([old])
    assert (cell.action, cell.number) == (Action.RUN, 2)
    assert f"was {BUILDS[name]}, now {getattr(KEY, name)}" in cell.why
    assert "not pooled; --pool-builds counts them" in cell.why
    cell = one([old], pool_builds=True)
    assert (cell.action, cell.counted) == (Action.DONE, old)
    assert "(pooled: " in cell.why


def test_pooled_builds_share_the_order_and_the_cap():
    other = key(carla_version="0.9.14")
    attempts = [failed(1, other), scored(2, other, status="Failed"), scored(3)]
    assert one(attempts, pool_builds=True).number == 2
    assert one(attempts).number == 3
    assert one([failed(1, other), failed(2), failed(3, other)], pool_builds=True).action is Action.EXHAUSTED
    assert one([failed(1, other), failed(2), failed(3, other)]).number == 4


def test_adopted_attempts_count_where_they_declare_nothing_else():
    adopted = scored(1, key(seed=None, route_sha256=None, town=None, adapter=None), adopted_from="a.json#3")
    cell = one([adopted])
    assert cell.why == "attempt 1 counts: Completed, adopted from a.json#3"
    edited = scored(1, key(seed=None, route_sha256="b" * 64, adapter=None), adopted_from="a.json#3")
    assert one([edited]).action is Action.RUN


def test_stamps_play_no_part():
    """F17: a clock that was set back must not make a later attempt the first."""
    late = scored(1, started="2030-01-01T00:00:00+00:00", status="Failed")
    early = scored(2, started="2020-01-01T00:00:00+00:00")
    assert one([early, late]).counted == late


def test_the_order_of_what_is_wanted_and_of_what_is_stored_does_not_matter():
    wanted = [key(route, repeat) for route in (5, 3, 9) for repeat in (0, 1)]
    attempts = [scored(1, wanted[0]), failed(1, wanted[3]), failed(2, wanted[3])]
    forward, backward = plan(wanted, attempts), plan(wanted[::-1], attempts[::-1])
    assert forward == backward[::-1]
    assert [cell.key for cell in forward] == wanted


def test_a_cell_wanted_twice_is_refused():
    """F13."""
    with pytest.raises(UsageError, match="route 1711, repeat 0 is wanted twice"):
        plan([KEY, key(seed=3)], [])


def test_at_least_one_attempt():
    with pytest.raises(UsageError, match="--max-attempts 0"):
        plan([KEY], [], max_attempts=0)


def keys_of(path):
    found = read_route_set(path, "bench2drive")
    return [key(name, town=route.town, route_sha256=route.sha256) for name, route in found.routes.items()]


def test_an_edited_waypoint_runs_that_route_only(build, tmp_path):
    """F14: white space, comments, the order of attributes and of routes change nothing; a waypoint does."""
    elements = [build.route(number) for number in (11, 12, 13)]
    path = tmp_path / "routes.xml"
    path.write_bytes(build.routes(*elements))
    attempts = [scored(1, one) for one in keys_of(path)]
    assert {cell.action for cell in plan(keys_of(path), attempts)} == {Action.DONE}

    spaced = elements[1].replace("\n", "\r\n\t").replace('id="12" town="Town12"', 'town="Town12" id="12"')
    path.write_bytes(build.routes(elements[2], "<!-- moved -->" + spaced, elements[0]))
    assert {cell.action for cell in plan(keys_of(path), attempts)} == {Action.DONE}

    path.write_bytes(build.routes(elements[0], elements[1].replace('x="3.0"', 'x="3.1"'), elements[2]))
    cells = {cell.key.route_id: cell for cell in plan(keys_of(path), attempts)}
    assert {route for route, cell in cells.items() if cell.action is Action.RUN} == {"12"}
    assert "the route's content was" in cells["12"].why


def test_what_counts_includes_cells_that_are_not_wanted_now():
    """A start on fewer routes or repeats must not empty the results of the others."""
    attempts = [scored(1), scored(1, key(1712)), scored(1, key(1712, 1)), failed(1, key(1713))]
    assert counted_attempts([KEY], attempts, KEY) == attempts[:3]
    other = key(carla_version="0.9.16")
    assert counted_attempts([other], attempts, other) == []
    assert counted_attempts([other], attempts, other, pool_builds=True) == attempts[:3]


def test_of_an_unwanted_route_the_newest_content_counts():
    old, new = scored(1, key(1712)), scored(2, key(1712, route_sha256="b" * 64))
    assert counted_attempts([KEY], [old, new], KEY) == [new]
    assert counted_attempts([key(1712)], [old, new], KEY) == [old]
