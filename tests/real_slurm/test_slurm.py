"""A run by the Slurm of this machine: one that preempts, requeues, and is told to cancel. Its partition is the default.

``BESTRAND_SLURM_HIGH`` names a partition whose jobs take all nodes of the default one (PreemptType=partition_prio).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.faults.conftest import base, make_runs, runs
from tests.simulation.crews.test_slurm_runs import ROUTES, drives, hellos, job_logs, place
from tests.simulation.crews.test_workers import exactly_once
from tests.simulation.crews.workers import Process, command, ended, said
from tests.simulation.processes.trees import until

__all__ = ["base", "make_runs", "place", "runs"]
pytestmark = pytest.mark.slurm
PORTS = 15000
"""Away from those of other tests, whose stand-ins take no lease: one attempt is all that some of these allow."""
LIMIT_S = 300
"""A job that was requeued waits for two minutes before Slurm starts it again."""


def ask(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=60).stdout.strip()


@pytest.fixture(autouse=True, scope="module")
def _slurm():
    try:
        answers = bool(ask("sinfo", "--noheader"))
    except OSError:
        answers = False
    if not answers:
        pytest.skip("no Slurm answers here")


def driver(runs, place: Path, *more: object):
    words = runs.arguments("--engine", "slurm", "--scratch", place, "--port-base", PORTS, *more)
    return command(runs, "driver", *words, program="bestrand_drive")


def array(runs) -> str:
    """Id of the array that was submitted last."""
    return said(runs, "driver").rpartition("squeue -j ")[2].partition("`")[0]


def states(runs) -> list[str]:
    return ask("squeue", "--noheader", "--array", "--format=%T", f"--jobs={array(runs)}").split()


def fine(process: Process, runs, code: int = 0) -> None:
    assert process.wait(LIMIT_S) == code, said(runs, "driver") + job_logs(runs)
    until(lambda: not states(runs), "nothing is left in the queue", LIMIT_S)


def test_two_jobs_share_a_run(runs, place):
    with driver(runs, place, "--servers", 2) as process:
        fine(process, runs)
    exactly_once(runs, ROUTES)
    assert list(place.iterdir()) == []


def test_a_preempted_job_gives_its_route_back_is_requeued_and_joins_again(runs, place):
    """By a job of a higher partition; nothing is counted against the route."""
    high = os.environ.get("BESTRAND_SLURM_HIGH")
    if not high:
        pytest.skip("BESTRAND_SLURM_HIGH names no partition that preempts")
    runs.order("1711:slow=300@1")
    with driver(runs, place, "--max-attempts", 1) as process:
        until(lambda: drives(place), "it drives", LIMIT_S)
        ask("sbatch", f"--partition={high}", "--exclusive", "--output=/dev/null", "--wrap=sleep 5")
        fine(process, runs)
    assert len(exactly_once(runs, ROUTES)) == 2
    assert said(runs, "driver").count("joins with") == 2
    assert "Requeued job" in job_logs(runs)


@pytest.mark.parametrize("number", ["TERM", "USR2"])
def test_a_job_that_is_signalled_before_its_time_limit_comes_back(runs, place, number):
    runs.order("1711:slow=300@1")
    with driver(runs, place, "--max-attempts", 1) as process:
        until(lambda: drives(place), "it drives", LIMIT_S)
        ask("scancel", f"--signal={number}", array(runs))
        fine(process, runs)
    assert len(exactly_once(runs, ROUTES)) == 2
    assert said(runs, "driver").count("joins with") == 2


def test_a_job_that_somebody_cancels_does_not_come_back(runs, place):
    """Slurm signals it as one that it preempts; nothing is counted, and a run without jobs says so."""
    runs.order("1711:slow=300@1")
    with driver(runs, place, "--max-attempts", 1) as process:
        until(lambda: drives(place), "it drives", LIMIT_S)
        ask("scancel", array(runs))
        fine(process, runs, 7)
    assert "every job has ended" in said(runs, "driver")
    assert "it was told to leave" in job_logs(runs)
    assert "Requeued" not in job_logs(runs)
    assert runs.attempts() == ()


def test_a_job_that_starts_late_joins_late(runs, place):
    """Both routes are slow, and the second job is held until the first one drives."""
    runs.order("slow=2")
    with driver(runs, place, "--servers", 2, "--slurm", "begin=now+0") as process:
        until(lambda: array(runs), "it is submitted", LIMIT_S)
        ask("scontrol", "hold", f"{array(runs)}_1")
        until(lambda: drives(place) or len(hellos(runs)) == 1, "the first one is there", LIMIT_S)
        ask("scontrol", "release", f"{array(runs)}_1")
        fine(process, runs)
    exactly_once(runs, ROUTES)


def test_the_same_command_after_the_driver_was_killed(runs, place):
    runs.order("slow=300")
    with driver(runs, place, "--servers", 2) as process:
        until(lambda: drives(place), "they drive", LIMIT_S)
        process.send_signal(signal.SIGKILL)
        ended(process)
    old = array(runs)
    runs.order()
    with driver(runs, place, "--servers", 2) as process:
        fine(process, runs)
    assert array(runs) != old
    assert f"cancelled what an earlier start had left: job {old}" in said(runs, "driver")
    assert ask("squeue", "--noheader", f"--jobs={old}") == ""
    assert len(exactly_once(runs, ROUTES)) == 2


def test_ctrl_c_leaves_no_record_and_no_job(runs, place):
    """One of the jobs waits in the queue for more than there is."""
    runs.order("slow=300")
    with driver(runs, place, "--servers", 30) as process:
        until(lambda: drives(place), "some drive", LIMIT_S)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        fine(process, runs, 130)
    assert time.monotonic() - began < LIMIT_S
    assert runs.attempts() == ()


def test_the_driver_may_be_a_job_itself(runs, place):
    words = runs.arguments("--engine", "slurm", "--scratch", place)
    line = " ".join([sys.executable, "-m", "bestrand_drive", *words])
    output = runs.folder / "driver.said"
    ask("sbatch", "--wait", f"--output={output}", f"--wrap={line}")
    assert "2 of 2 routes and repeats have a result" in output.read_text()
    exactly_once(runs, ROUTES)
