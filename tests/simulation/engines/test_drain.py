"""A place where nothing succeeds while others do is given nothing more, and its failures are not the routes'."""

from __future__ import annotations

import json
import shlex
import sys
import threading
import time
from collections import Counter

import pytest

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.attempts.plan import Action
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.stops import name_of
from bestrand_drive.simulation.engines import dispatch
from bestrand_drive.simulation.engines.drain import Drains, Spot, spot_of
from tests.faults.stand_in.checkout import HERE
from tests.simulation.attempts.made import empty_store, failed, hung, key, scored
from tests.simulation.engines.toys import Toy, ToyCrew, drive

BAD, GOOD, THIRD = Spot("a", "1", None), Spot("a", "0", None), Spot("b", None, 4)
BOTH = {BAD, GOOD}
ROUTES = range(1, 17)


def fails(*routes, reason=Reason.LOAD_HANG, number=1):
    return [failed(number, key(route), reason) for route in routes]


def test_three_routes_in_a_row_once_others_succeed():
    drains = Drains()
    streak = [*fails(1, 2), *fails(3, reason=Reason.SIMULATION_CRASH)]
    assert [drains.add(BAD, one, BOTH) for one in streak[:2]] == [None, None]
    assert drains.add(GOOD, scored(of=key(9)), BOTH) is None
    found = drains.add(BAD, streak[2], BOTH)
    assert (found.spot, found.attempts) == (BAD, tuple(streak))
    assert found.reasons == (Reason.LOAD_HANG, Reason.LOAD_HANG, Reason.SIMULATION_CRASH)
    assert (drains.out(BAD), drains.out(GOOD), drains.drained) == (True, False, [found])


def test_the_success_of_another_may_come_last():
    drains = Drains()
    assert not any(drains.add(BAD, one, BOTH) for one in fails(1, 2, 3, 4))
    assert drains.add(GOOD, scored(of=key(9)), BOTH).spot == BAD


def test_an_earlier_success_of_another_says_nothing():
    """What was well before the streak may be broken for all."""
    drains = Drains()
    drains.add(GOOD, scored(of=key(9)), BOTH)
    assert not any(drains.add(BAD, one, BOTH) for one in fails(*range(1, 20)))


@pytest.mark.parametrize("own", [scored(of=key(8)), hung(of=key(8))])
def test_its_own_success_begins_anew(own):
    drains = Drains()
    for one in (*fails(1, 2), own, *fails(3, 4)):
        assert drains.add(BAD, one, BOTH) is None
        assert drains.add(GOOD, scored(of=key(9)), BOTH) is None


def test_one_route_that_fails_everywhere_drains_nothing():
    drains = Drains()
    for number in range(1, 30):
        assert drains.add(BAD, *fails(1, number=number), BOTH) is None
        assert drains.add(GOOD, scored(of=key(100 + number)), BOTH) is None


def test_the_last_place_is_never_drained():
    drains = Drains()
    for one in fails(1, 2, 3):
        drains.add(BAD, one, BOTH)
    assert drains.add(GOOD, scored(of=key(9)), BOTH).spot == BAD
    for one in fails(4, 5, 6):
        assert drains.add(GOOD, one, BOTH) is None
    assert drains.add(THIRD, scored(of=key(10)), {GOOD}) is None
    assert drains.add(THIRD, scored(of=key(11)), {GOOD, THIRD}).spot == GOOD


def test_what_ends_there_later_is_not_counted_either():
    drains = Drains()
    for one in fails(1, 2, 3):
        drains.add(BAD, one, BOTH)
    drains.add(GOOD, scored(of=key(9)), BOTH)
    (late,) = fails(4)
    assert drains.add(BAD, late, BOTH).attempts == (late,)
    assert drains.add(BAD, scored(of=key(5)), BOTH) is None
    assert len(drains.drained) == 1


def test_slots_without_a_gpu_are_places_of_their_own():
    slots = [Toy(0, None), Toy(1, None), Toy(2, None, gpu_name="0"), Toy(3, None, gpu_name="0"), Toy(4, None, "b", "0")]
    assert len({spot_of(slot) for slot in slots}) == 4
    assert [str(spot_of(slot)) for slot in slots[1:3]] == ["slot 1 on a", "GPU 0 of a"]


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(dispatch, "_PAUSE_S", 0.002)


def crew_with_a_bad_gpu(reasons=(Reason.LOAD_HANG,)):
    """Two slots on a bad GPU, one on a good one, which takes its time."""
    made = Counter()

    def ends(slot, _):
        if slot.gpu_name == "0":
            return None
        made["bad"] += 1
        return reasons[made["bad"] % len(reasons)]

    return ToyCrew(Toy(0, ends, gpu_name="1"), Toy(1, ends, gpu_name="1"), Toy(2, ends, gpu_name="0"))


def test_a_bad_gpu_takes_no_routes_with_it(tmp_path, quick):
    """With one attempt a route, every one that failed there would be given up."""
    reasons = (Reason.LOAD_HANG, Reason.SIMULATION_CRASH, Reason.SERVER_NOT_READY)
    books, heard = drive(tmp_path, crew_with_a_bad_gpu(reasons), ROUTES, max_attempts=1, succeeded=True)
    assert {one.action for one in books.plan([key(route) for route in ROUTES])} == {Action.DONE}
    assert Counter(one.key.route_id for one in books.made if one.counts) == Counter(map(str, ROUTES))
    (drained,) = heard.drains
    assert drained.spot == Spot("a", "1", None)
    lost = [one for one in books.made if not one.counts]
    assert 3 <= len(lost) <= 5, "it was given more than what ran already"
    again = empty_store(tmp_path)
    assert again.excused == frozenset(map(name_of, lost))
    assert {(stop.host, stop.gpu) for stop in again._stops.values()} == {("a", "1")}


def test_a_run_does_not_wait_for_ever_beside_places_that_get_nothing(tmp_path, quick, monkeypatch):
    """The good GPU's host leaves: jobs or leases of the others would be held all night."""
    monkeypatch.setattr(dispatch, "STRANDED_S", 0.1)
    crew = crew_with_a_bad_gpu()
    good, made = crew.there[2], crew.there[2].ends
    crew.there[0].ends = crew.there[1].ends = lambda slot, cell: leave() or Reason.LOAD_HANG
    failures = Counter()

    def leave():
        failures["bad"] += 1

    def ends(slot, cell):
        if len(slot.ran) == 3:
            while failures["bad"] < 3:
                time.sleep(0.002)
            crew.there.remove(good)
        return made(slot, cell)

    good.ends = ends
    with pytest.raises(EnvironmentFault, match=r"given nothing more .GPU 1 of a.*add others"):
        drive(tmp_path, crew, ROUTES, max_attempts=3, succeeded=True)


def test_where_all_fail_it_is_the_breakers(tmp_path, quick):
    crew = ToyCrew(*(Toy(number, lambda *_: Reason.LOAD_HANG, gpu_name=str(number)) for number in range(3)))
    with pytest.raises(EnvironmentFault, match="3 routes in a row"):
        drive(tmp_path, crew, ROUTES, servers=3)


def test_a_gpu_that_is_bad_from_the_start_waits_for_what_others_show(tmp_path, quick):
    """It fails at once, many times before the first route on another one is over: neither stops it the run, nor does
    it take routes with it."""  # fmt: skip
    bad, first = Counter(), threading.Event()

    def ends(slot, _):
        if slot.gpu_name == "1":
            bad["attempts"] += 1
            return Reason.SERVER_NOT_READY
        if not first.is_set():
            first.wait(0.3)
            first.set()
        return None

    crew = ToyCrew(Toy(0, ends, gpu_name="0"), Toy(1, ends, gpu_name="1"))
    books, heard = drive(tmp_path, crew, ROUTES, max_attempts=1)
    assert {one.action for one in books.plan([key(route) for route in ROUTES])} == {Action.DONE}
    assert bad["attempts"] == 3
    assert len(heard.drains) == 1


def test_the_report_names_a_bad_gpu(make_runs):
    """Servers do not come up on it; with one attempt a route, every route has its result all the same."""
    runs = make_runs("fail2drive")
    runs.routes(*range(6))
    start = (
        f"sh -c 'test {{gpu}} = 0 && exec {shlex.quote(sys.executable)} {HERE / 'server.py'} -carla-rpc-port={{port}}'"
    )
    ran = runs.run("--server-command", start, "--gpus", "0,1", "--servers", 2, "--max-attempts", 1, "--json")
    said = json.loads(ran.out)
    assert said["done"] == 6
    (drained,) = said["drained"]
    assert (drained["gpu"], drained["slot"], set(drained["reasons"])) == ("1", None, {"server_not_ready"})
    assert f"GPU 1 of {drained['host']} is given nothing more in this start" in ran.err
    assert {one.gpu for one in runs.attempts() if one.counts} == {"0"}
