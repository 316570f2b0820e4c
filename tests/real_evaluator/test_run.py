"""``bestrand run`` with the benchmarks' own evaluators, unedited, on headless servers, one of which crashes."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.store import AttemptStore
from bestrand_drive.simulation.processes.marks import RUN, marked, run_mark
from tests.conftest import Ran
from tests.real_evaluator.at_hand import maps, routes
from tests.real_evaluator.driving import install, towns_in
from tests.real_evaluator.evaluators import HERE, Evaluator, NotAtHand, evaluator
from tests.real_evaluator.speed_limits import scenario_runner

pytestmark = pytest.mark.real_evaluator
ROUTES = ("24211", "26401")
KNOWN = {Reason.TM_STALL, Reason.EVALUATOR_KILLED}
"""What the client itself does now and then: it stalls in a tick, or aborts."""


def crashing_once(folder: Path, root: Path) -> Path:
    """A CARLA_ROOT whose first server dies of SIGSEGV in the middle of its drive."""
    folder.mkdir()
    script = folder / "CarlaUE4.sh"
    real, once = shlex.quote(str(root / "CarlaUE4.sh")), shlex.quote(str(folder / "once"))
    fault = "BESTRAND_HEADLESS_OPTIONS='--fault crash@tick=60'"
    script.write_text(f'#!/bin/sh\nmkdir {once} 2>/dev/null && export {fault}\nexec {real} "$@"\n')
    script.chmod(0o755)
    (folder / "VERSION").write_text("0.9.15\n")
    return folder


def python_path(judge: Evaluator, folder: Path) -> str:
    """What the headless server's CARLA_ROOT lacks, and Fail2Drive's tables of speed limits."""
    folders = [judge.agents.parent]
    if judge.name == "fail2drive":
        folders += [HERE / "stubs", scenario_runner(judge.root / "scenario_runner", ["Town01"], judge.python, folder)]
    return os.pathsep.join(map(str, folders))


def given(benchmark: str, tmp_path: Path) -> Path:
    """The routes in the form that the benchmark takes; Fail2Drive's files are named by ids of four digits."""
    jobs = routes("bench2drive", ROUTES)
    if len(jobs) < len(ROUTES):
        pytest.skip("needs Bench2Drive's routes and towns")
    if benchmark == "bench2drive":
        return jobs[0].routes
    text = jobs[0].routes.read_text()
    (tmp_path / "split").mkdir()
    for number, job in enumerate(jobs):
        start = text.index(f'<route id="{job.route}"')
        element = text[start : text.index("</route>", start) + 8].replace(job.route, str(number), 1)
        (tmp_path / "split" / f"Base_Borrowed_{number:04d}.xml").write_text(f"<routes>\n{element}\n</routes>\n")
    return tmp_path / "split"


@pytest.fixture(scope="module")
def carla_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CARLA_ROOT whose start script is the headless server, with all towns at hand."""
    if not towns_in(maps()):
        pytest.skip(f"no town in {maps()}; set EVALUATOR_MAPS to a folder of OpenDRIVE files")
    return install(tmp_path_factory.mktemp("carla") / "root", maps())


@pytest.mark.parametrize("benchmark", ["bench2drive", "fail2drive"])
def test_a_server_crash_costs_one_attempt_and_no_result(
    bestrand: Callable[..., Ran], carla_root: Path, tmp_path: Path, benchmark: str
) -> None:
    try:
        judge = evaluator(benchmark)
    except NotAtHand as missing:
        pytest.skip(str(missing))
    out = tmp_path / "run"
    only = () if benchmark == "fail2drive" else ("--only", ",".join(ROUTES))
    command = (
        *("run", benchmark, "--root", judge.root, "--carla-root", crashing_once(tmp_path / "carla", carla_root)),
        *("--routes", given(benchmark, tmp_path), "--agent", judge.agent("rolling"), "--out", out, *only),
        *("--python", judge.python, "--env", f"PYTHONPATH={python_path(judge, tmp_path / 'made')}"),
        *("--simulator", "headless", "--servers", 2, "--max-attempts", 5, "--timeout", 120, "--track", "SENSORS"),
    )
    ran = bestrand(*command)
    assert ran.code == 0, ran.out + ran.err
    attempts = AttemptStore(Layout(out), repair=False).attempts
    counted = [one for one in attempts if one.counts]
    failed = [one for one in attempts if not one.counts and one.reason not in KNOWN]
    assert [one.status in ("Completed", "Perfect") for one in counted] == [True, True]
    assert [one.reason for one in failed] == [Reason.SIMULATION_CRASH]
    assert any("Signal 11" in line for line in failed[0].log_lines)
    assert all(one.carla_build == "0.9.15" and one.ticks and one.speed for one in counted)
    assert list(marked(RUN, run_mark(out))) == []
    assert bestrand(*command, "--explain").out.count("attempt 2 counts") >= 1
    assert "headless" in ran.out
