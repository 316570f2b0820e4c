"""F6, F12, F19: runs whose workers are jobs, by submitit's local executor; ``tests/real_slurm`` does it by Slurm."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from bestrand_drive.simulation.crews import mailbox
from bestrand_drive.simulation.crews.letters import Hello
from bestrand_drive.simulation.processes.identity import identify, is_running
from tests.simulation.crews.test_workers import exactly_once
from tests.simulation.crews.workers import LIMIT_S, command, ended, said
from tests.simulation.processes.trees import until

pytest.importorskip("submitit")


ROUTES = ["1711", "1712"]


@pytest.fixture
def place(runs):
    runs.routes(*map(int, ROUTES))
    folder = runs.folder / "scratch"
    folder.mkdir()
    return folder


def driver(runs, place: Path, *more: object):
    words = runs.arguments("--engine", "slurm", "--scratch", place, *more)
    return command(runs, "driver", *words, program="tests.simulation.crews.local_jobs")


def drives(place: Path) -> bool:
    """Whether an evaluator of a job drives."""
    return any("Preparing" in path.read_text(errors="replace") for path in place.rglob("logs/*.log"))


def hellos(runs) -> list[Hello]:
    session = mailbox.current(runs.path / "crew")
    found = [mailbox.take(Hello, session.hello(name)) for name in session.names()] if session else []
    return [hello for hello in found if hello]


def job_logs(runs) -> str:
    return "".join(path.read_text() for path in sorted((runs.path / "logs/slurm").glob("*.out")))


def test_a_preempted_job_gives_its_route_back_and_joins_again(runs, place):
    """SIGTERM: no record, no attempt counted; submitit's checkpoint requeues it, and the same job takes the rest."""
    runs.order("1711:slow=300@1")
    with driver(runs, place, "--max-attempts", 1) as process:
        until(lambda: drives(place), "it drives", LIMIT_S)
        (first,) = hellos(runs)
        os.kill(first.pid, signal.SIGTERM)
        assert ended(process) == 0, said(runs, "driver") + job_logs(runs)
    assert len(exactly_once(runs, ROUTES)) == 2
    assert "it has left" in said(runs, "driver")
    assert said(runs, "driver").count("joins with 1 server") == 2
    assert "it was told to leave" in job_logs(runs)
    assert "Requeued job" in job_logs(runs)
    assert list(place.iterdir()) == []


def test_the_same_command_after_the_driver_was_killed_on_weak_files(runs, place):
    """Its jobs work for no other driver: they leave, new ones come, and no route is driven for both.

    The run folder has no locks (ENOLCK), and what others wrote is seen late, letters as they were before.
    """
    runs.monkeypatch.setenv("BESTRAND_TEST_WEAK_FILES", "0.5")
    runs.order("slow=300@1")
    with driver(runs, place, "--servers", 2) as process:
        until(lambda: drives(place), "they drive", LIMIT_S)
        until(lambda: len(hellos(runs)) == 2, "both are there", LIMIT_S)
        old = [found for hello in hellos(runs) if (found := identify(hello.pid))]
        process.send_signal(signal.SIGKILL)
        ended(process)
    runs.order()
    with driver(runs, place, "--servers", 2) as process:
        assert ended(process) == 0, said(runs, "driver") + job_logs(runs)
    until(lambda: not any(is_running(one) for one in old), "the old ones have left", LIMIT_S)
    assert len(exactly_once(runs, ROUTES)) == 2
    assert said(runs, "driver").count("joins with") == 4
    assert "another one has begun" in job_logs(runs)
    assert list(place.iterdir()) == []


def test_ctrl_c_leaves_no_record_and_no_job(runs, place):
    runs.order("slow=300")
    with driver(runs, place) as process:
        until(lambda: drives(place), "it drives", LIMIT_S)
        (hello,) = hellos(runs)
        job = identify(hello.pid)
        process.send_signal(signal.SIGINT)
        assert ended(process) == 130, said(runs, "driver")
    assert job is not None
    until(lambda: not is_running(job), "it has left", LIMIT_S)
    assert runs.attempts() == ()
    assert runs.left() == []


def test_jobs_that_all_end_are_no_run_that_waits_for_ever(runs, place):
    """Their scratch is not there on the nodes: each says so and ends."""
    with driver(runs, place / "nowhere", "--servers", 2) as process:
        assert ended(process) == 7
    assert "every job has ended" in said(runs, "driver")
    assert "nowhere" in job_logs(runs)
    assert runs.attempts() == ()
