"""Which cell comes next, and when it is enough."""

from __future__ import annotations

from pathlib import Path

import pytest

from bestrand_drive.benchmarks.routes import parse_routes
from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.engines.breaker import Breaker, last_lines
from bestrand_drive.simulation.engines.waiting import Waiting
from bestrand_drive.simulation.slots.attendance import Pace
from bestrand_drive.simulation.slots.cell import Cell
from tests.conftest import Builders
from tests.simulation.attempts.made import failed, hung, key, over_limit, scored

FILE = parse_routes(Path("routes.xml"), Builders.routes(Builders.route(1)))


def cell(route: int, town: str = "Town12") -> Cell:
    return Cell(key(route, town=town), 1, FILE)


def taken(waiting: Waiting, town: str | None = None) -> list[str]:
    found = []
    while (one := waiting.take(town)) is not None:
        found.append(one.key.route_id)
        town = one.key.town
    return found


def test_in_their_order_and_retries_last():
    waiting = Waiting([cell(3), cell(1), cell(2)], by_town=False)
    waiting.put_back(cell(9))
    assert len(waiting) == 4
    assert taken(waiting, "Town01") == ["3", "1", "2", "9"]
    assert waiting.take() is None


def test_the_longest_expected_first_and_unknown_ones_in_their_order():
    waiting = Waiting([cell(1), cell(2), cell(3), cell(4)], by_town=False, expected={"3": 9.0, "2": 4.0})
    waiting.put_back(cell(3))
    assert taken(waiting) == ["3", "2", "1", "4", "3"]


def test_a_slot_stays_in_its_town_and_then_goes_where_most_is_to_be_done():
    towns = {1: "A", 2: "B", 3: "B", 4: "C", 5: "A", 6: "B"}
    cells = [cell(route, town) for route, town in towns.items()]
    assert taken(Waiting(cells, by_town=True), "C") == ["4", "2", "3", "6", "1", "5"]
    assert taken(Waiting(cells, by_town=True)) == ["2", "3", "6", "1", "5", "4"]
    assert taken(Waiting(cells, by_town=True, expected={"1": 9.0})) == ["1", "5", "2", "3", "6", "4"]


def test_where_slots_share_them_long_cells_do_not_wait_for_a_town():
    cells = [cell(1, "A"), cell(2, "B"), cell(3, "A"), cell(4, "B")]
    waiting = Waiting(cells, by_town=True, expected={"4": 200.0, "1": 100.0}, slots=2)
    assert taken(waiting, "A") == ["4", "1", "3", "2"]


LOG = Path("/nonexistent.log")


def feed(breaker: Breaker, *attempts) -> int:
    """How many it takes before it breaks; all of them when it does not."""
    for number, attempt in enumerate(attempts):
        try:
            breaker.add(attempt)
            breaker.check(LOG)
        except EnvironmentFault:
            return number + 1
    return len(attempts) + 1


def fails(routes, reason=Reason.NO_RECORD):
    return [failed(of=key(route), reason=reason) for route in routes]


@pytest.mark.parametrize(("servers", "enough"), [(1, 3), (2, 3), (8, 8)])
def test_as_many_routes_in_a_row_as_there_are_servers_but_three(servers, enough):
    assert feed(Breaker(servers), *fails(range(1, 20))) == enough


def test_one_route_alone_never_breaks_it():
    assert feed(Breaker(1), *fails([1] * 20)) == 21


def test_a_worker_that_takes_many_attempts_with_it_is_one_event():
    """A node with eight servers dies before anything has a result; only workers that die one after the other tell."""

    def lost(worker, routes):
        return [failed(of=key(route), reason=Reason.WORKER_LOST, detail=f"worker {worker}") for route in routes]

    assert feed(Breaker(1), *lost("a", range(1, 9)), *lost("b", range(9, 17))) == 17
    assert feed(Breaker(1), *lost("a", [1, 2]), *lost("b", [3]), *lost("c", [4])) == 4
    assert feed(Breaker(1), *lost("a", [1]), *lost("b", [1]), *lost("c", [1])) == 4


def test_other_reasons_begin_anew():
    mixed = [*fails([1, 2]), *fails([3, 4], Reason.LOAD_HANG), *fails([5, 6, 7])]
    assert feed(Breaker(1), *mixed) == 7


def test_after_a_result_it_is_more_patient():
    """Some routes do crash every simulator, and lie side by side in the file."""
    assert feed(Breaker(1), scored(), *fails(range(2, 30))) == 10
    assert feed(Breaker(1), *fails([1, 2]), scored(of=key(3)), *fails(range(4, 30))) == 12


def test_hangs_of_the_agent_are_no_streak():
    """F3: they are the policy's, so they end one, and show that the machine can drive."""
    assert feed(Breaker(1), *(hung(of=key(route)) for route in range(1, 20))) == 20
    assert feed(Breaker(1), *(over_limit(of=key(route)) for route in range(1, 20))) == 20
    assert feed(Breaker(1), *fails([1, 2]), hung(of=key(3)), *fails(range(4, 30))) == 12


def test_a_result_of_an_earlier_start_makes_it_patient_too():
    assert feed(Breaker(1, succeeded=True), *fails(range(2, 30))) == 9


def test_the_whole_streak_is_named_and_what_joins_it_later():
    """F3: but neither what came before it, nor another reason, nor a result."""
    before, streak = fails([1, 2], Reason.LOAD_HANG), fails([3, 3, 4, 5])
    breaker = Breaker(1)
    named = [breaker.add(attempt) for attempt in (*before, *streak)]
    assert named == [()] * 5 + [tuple(streak)]
    late, other = fails([6]), fails([7], Reason.LOAD_HANG)
    assert [breaker.add(one) for one in (*late, scored(of=key(8)), *other, *late)] == [tuple(late), (), (), tuple(late)]


def test_what_it_says(tmp_path):
    log = tmp_path / "a.log"
    log.write_text("".join(f"line {number}\n\n" for number in range(40)))
    breaker = Breaker(1)
    for attempt in fails([1, 2]):
        breaker.add(attempt)
        breaker.check(log)
    breaker.add(*fails([3]))
    with pytest.raises(EnvironmentFault, match=r"3 routes in a row.*no_record(?s:.)*  \| line 39$"):
        breaker.check(log)
    assert last_lines(log) == [f"line {number}" for number in range(28, 40)]
    assert last_lines(tmp_path / "absent") == []


def test_speed_from_the_heartbeat():
    """100 ticks of 0.05 s: 5 simulated seconds in 2, then none in 8."""
    pace = Pace()
    assert (pace.lately, pace.overall) == (None, None)
    for at_s, ticks in ((10.0, 0), (11.0, 20), (12.0, 70), (13.0, 120)):
        pace.add(at_s, ticks)
    assert (pace.ticks, pace.lately, pace.overall) == (120, pytest.approx(2.5), pytest.approx(2.5))
    for second in range(14, 40):
        pace.add(float(second), 120)
    assert pace.lately == 0.0
    assert pace.overall == pytest.approx(5.0 / 28.0)
