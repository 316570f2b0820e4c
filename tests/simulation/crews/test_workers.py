"""F6, F19: workers and driver are killed, told to leave, fall silent; each route has one attempt that counts."""

from __future__ import annotations

import signal
from collections import Counter

from bestrand_drive.simulation.attempts.reasons import Reason
from tests.simulation.crews.workers import LIMIT_S, driver, driving, ended, said, scratch, worker
from tests.simulation.processes.trees import until

ROUTES = [str(route) for route in range(1711, 1715)]


def exactly_once(runs, routes=ROUTES):
    """What is stored: one attempt a route counts, numbers follow on each other, results are those that count."""
    attempts = runs.attempts()
    assert Counter(one.key.route_id for one in attempts if one.counts) == Counter(routes)
    for route in routes:
        assert [one.number for one in attempts if one.key.route_id == route] == list(
            range(1, 1 + sum(one.key.route_id == route for one in attempts)))  # fmt: skip
    assert runs.results() == [f"0/RouteScenario_{route}.json" for route in routes]
    assert runs.left() == []
    return attempts


def test_two_workers_share_a_run(runs):
    """One was there before the driver; scratch is gone, logs are where the records say."""
    with worker(runs, "a") as first, driver(runs) as drives, worker(runs, "b", "--servers", 2) as second:
        assert ended(drives) == 0, said(runs, "driver")
        assert [ended(first), ended(second)] == [0, 0], said(runs, "a") + said(runs, "b")
    attempts = exactly_once(runs)
    assert len(attempts) == 4
    for one in attempts:
        assert all((runs.path / "logs" / name).is_file() for name in one.logs)
        assert one.logs
    assert scratch(runs, "a") == scratch(runs, "b") == []
    assert "joins with 2 servers" in said(runs, "driver")


def test_a_worker_killed_in_an_attempt_is_lost_and_the_route_driven_elsewhere(runs):
    runs.order("1711:slow=300@1")
    with driver(runs) as drives, worker(runs, "a") as dies:
        until(lambda: driving(runs, "a"), "it drives", LIMIT_S)
        dies.send_signal(signal.SIGKILL)
        with worker(runs, "b"):
            assert ended(drives) == 0, said(runs, "driver")
    attempts = exactly_once(runs)
    (lost,) = [one for one in attempts if not one.counts]
    assert (lost.key.route_id, lost.number, lost.reason) == ("1711", 1, Reason.WORKER_LOST)
    assert "was silent" in lost.detail


def test_what_a_killed_worker_left_is_removed_by_the_next_one(runs):
    runs.order("1711:slow=300@1")
    with driver(runs) as drives:
        with worker(runs, "a") as dies:
            until(lambda: driving(runs, "a"), "it drives", LIMIT_S)
            dies.send_signal(signal.SIGKILL)
        (left,) = scratch(runs, "a")
        with worker(runs, "a") as again:
            assert ended(drives) == 0, said(runs, "driver")
            assert ended(again) == 0
    assert not left.exists()
    exactly_once(runs)


def test_a_worker_that_is_told_to_leave_gives_its_route_back(runs):
    """A preemption: no record, nothing counted against the route."""
    runs.order("1711:slow=300@1")
    with driver(runs, "--max-attempts", 1) as drives, worker(runs, "a") as leaves:
        until(lambda: driving(runs, "a"), "it drives", LIMIT_S)
        leaves.send_signal(signal.SIGTERM)
        assert ended(leaves) == 143, said(runs, "a")
        until(lambda: "it has left" in said(runs, "driver"), "the driver knows", LIMIT_S)
        with worker(runs, "b"):
            assert ended(drives) == 0, said(runs, "driver")
    assert len(exactly_once(runs)) == 4
    assert scratch(runs, "a") == []


def test_a_killed_driver_and_the_same_command_again(runs):
    """The worker outlives it, drops what it did for it, and works for the next one."""
    runs.order("1711:slow=300@1")
    with worker(runs, "a") as works:
        with driver(runs) as dies:
            until(lambda: driving(runs, "a"), "it drives", LIMIT_S)
            dies.send_signal(signal.SIGKILL)
            ended(dies)
        assert runs.attempts() == ()
        with driver(runs) as drives:
            assert ended(drives) == 0, said(runs, "driver")
        assert ended(works) == 0, said(runs, "a")
    assert len(exactly_once(runs)) == 4


def test_a_worker_that_was_silent_and_comes_back_is_not_heard_twice(runs):
    """It was stopped for so long that its route was given to another one; then both have it."""
    runs.order("1711:slow=9@1")
    with driver(runs) as drives, worker(runs, "a") as silent:
        until(lambda: driving(runs, "a"), "it drives", LIMIT_S)
        silent.send_signal(signal.SIGSTOP)
        until(lambda: "it was silent for" in said(runs, "driver"), "it is given up", LIMIT_S)
        runs.order()
        with worker(runs, "b"):
            until(lambda: any(one.counts for one in runs.attempts()), "another one works", LIMIT_S)
            silent.send_signal(signal.SIGCONT)
            assert ended(drives) == 0, said(runs, "driver")
    attempts = exactly_once(runs)
    assert [one.reason for one in attempts if not one.counts] == [Reason.WORKER_LOST]
    assert [one.number for one in attempts if one.key.route_id == "1711"] == [1, 2]


def test_ctrl_c_at_the_driver_leaves_no_record_and_no_worker(runs):
    runs.order("slow=300")
    with driver(runs) as drives, worker(runs, "a") as works:
        until(lambda: driving(runs, "a"), "it drives", LIMIT_S)
        drives.send_signal(signal.SIGINT)
        assert ended(drives) == 130, said(runs, "driver")
        assert ended(works) == 0, said(runs, "a")
    assert runs.attempts() == ()
    assert runs.left() == []


def test_a_worker_that_sees_another_agent_is_refused_and_says_so(runs, tmp_path):
    """Its node has an older copy; the driver goes on with who sees the same."""
    with driver(runs) as drives:
        until((runs.path / "crew/current.json").exists, "the driver is there", LIMIT_S)
        agent = runs.folder / "team/agent.py"
        before = agent.read_text()
        agent.write_text(before + "\n# an older one\n")
        with worker(runs, "a") as other:
            assert ended(other) == 7
        agent.write_text(before)
        assert "does not see what the driver sees: route 1711" in said(runs, "a")
        assert "the policy is here" in said(runs, "a")
        assert ended(drives) == 7
        assert "does not see what the driver sees" in said(runs, "driver")
    assert runs.attempts() == ()
