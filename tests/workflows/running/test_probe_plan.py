"""The pool that is drawn before any probe was run."""

from __future__ import annotations

from pathlib import Path

import pytest

from bestrand_drive import compress
from bestrand_drive.errors import UsageError
from bestrand_drive.workflows.choosing.request import CompressRequest
from bestrand_drive.workflows.running.probe_file import ProbeEntry
from bestrand_drive.workflows.running.probe_plan import ProbePlan, ProbeRequest, plan_probes
from bestrand_drive.workflows.running.run_request import RunRequest


def planned(benchmark: str, routes: Path, out: Path, *, exclude: tuple[str, ...] = (), **choice: object) -> ProbePlan:
    run = RunRequest(benchmark, None, routes, "", out)
    request = CompressRequest(**choice)  # type: ignore[arg-type]
    probes = (ProbeEntry(name="A", agent="a.py"),)
    return plan_probes(ProbeRequest(run, probes, request, out, out.with_name("runs"), exclude=exclude))


@pytest.mark.parametrize("selector", ["balanced", "bestrand", "random"])
@pytest.mark.parametrize("seed", [0, 5])
def test_it_is_the_pool_that_compress_draws_when_probes_have_all_results(bench, tmp_path, selector, seed):
    """The same items, so that a probe is run on no route that a choice with all results would not look at."""
    excluded = (bench.ids[3],)
    options = {"k": 8, "selector": selector, "pool_factor": 2.0, "seed": seed}
    plan = planned("bench2drive", bench.routes, tmp_path / "s", exclude=excluded, **options)
    probes = {name: bench.results(name) for name in ("Ann", "Bob")}
    suite = compress("bench2drive", routes=bench.routes, probes=probes, exclude=excluded, **options)
    assert list(plan.pool) == [item.id for item in suite.items if item.in_pool]
    assert len(plan.pool) == 16
    assert plan.runs[0].request.only == plan.pool


def test_without_a_factor_the_selector_decides(bench, tmp_path):
    assert len(planned("bench2drive", bench.routes, tmp_path / "s", k=8).pool) == len(bench.ids)
    assert len(planned("bench2drive", bench.routes, tmp_path / "s", k=8, selector="bestrand").pool) == 32


def test_both_routes_of_a_pair_are_run(fail, tmp_path):
    plan = planned("fail2drive", fail.routes, tmp_path / "s", k=3, pool_factor=2.0)
    only = plan.runs[0].request.only
    assert len(plan.pool) == 6
    assert len(only) == 12
    assert {one[-4:] for one in plan.pool} == {f"{int(one) % 1000:04d}" for one in only}


def test_a_budget_of_hours_needs_durations_that_nobody_has_yet(bench, tmp_path):
    with pytest.raises(UsageError, match="--hours needs durations"):
        planned("bench2drive", bench.routes, tmp_path / "s", hours=1.0)
