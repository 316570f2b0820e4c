"""By which source the longest routes are known, and that they run first."""

from __future__ import annotations

from pathlib import Path

import pytest

from bestrand_drive.simulation.attempts.route_set import read_route_set
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.workflows.running.durations import find_durations
from tests.conftest import Builders
from tests.faults.conftest import base, make_runs, runs

__all__ = ["base", "make_runs", "runs"]


def results(path: Path, **seconds: float | tuple[str, float]) -> Path:
    """A result file: route -> seconds, or a status and seconds."""
    records = []
    for name, value in seconds.items():
        status, duration = value if isinstance(value, tuple) else ("Completed", value)
        meta = {"route_length": 100.0, "duration_game": 20.0, "duration_system": duration}
        records.append(Builders.record(f"RouteScenario_{name[1:]}_rep0", status, meta=meta))
    return Builders.write(path, records)


def test_the_longest_runs_first(runs, tmp_path):
    quick = results(tmp_path / "quick.json", r1711=10.0, r1712=30.0, r1713=20.0)
    crashed = ("Failed - Simulation crashed", 9e9)
    slow = results(tmp_path / "slow.json", r1711=10.0, r1712=30.0, r1713=400.0, r1714=crashed)
    ran = runs.run("--durations", quick, "--durations", slow, "--json").json
    assert [one["route"] for one in ran["attempts"]] == ["1713", "1714", "1712", "1711"]  # 1714 at its type's pace
    assert ran["order"] == {"source": f"earlier results ({quick}, {slow})", "unit": "s", "known_routes": 3}


def test_what_it_says_before_it_starts(runs, tmp_path):
    earlier = results(tmp_path / "earlier.json", r1711=10.0, r1714=50.0)
    said = runs.run("--durations", earlier, "--explain").out
    assert f"order: longest expected route first, by earlier results ({earlier}); 2 without one by their length" in (
        " ".join(said.split())
    )
    commands = runs.run("--durations", earlier, "--dry-run").out.splitlines()
    assert commands[1].startswith("# order: longest expected route first, by earlier results")
    first = next(line for line in commands if "--routes=" in line)
    assert "1714" in first.split("--routes=")[1].split()[0]
    cells = runs.run("--durations", earlier, "--explain", "--json").json["cells"]
    assert [one["expected"] for one in cells] == pytest.approx([16.0, 30.0, 30.0, 44.0])
    assert "order: longest route first, by route length" in runs.run("--explain").out
    assert runs.run("--explain", "--json").json["order"]["unit"] == "m"


def test_results_of_other_routes_or_damaged_ones_are_refused(runs, tmp_path):
    other = results(tmp_path / "other.json", r9=10.0)
    assert f"--durations {other}: records no duration" in runs.run("--durations", other, code=2).err
    other.write_text("{")
    assert str(other) in runs.run("--durations", other, code=4).err
    assert not runs.path.exists()


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf"), 1e300])
def test_what_can_be_no_drive_is_left_out(bench, tmp_path, seconds):
    routes = read_route_set(bench.routes, "bench2drive")
    one, two, three = list(routes.routes)[:3]
    earlier = results(tmp_path / "earlier.json", **{f"r{one}": 10.0, f"r{two}": seconds, f"r{three}": seconds})
    found = find_durations(routes, "bench2drive", (earlier,))
    assert (found.known, found.expected[one]) == (1, 10.0)


def test_the_suites_own_costs(bench_suite):
    found = find_durations(read_route_set(bench_suite, "bench2drive"), "bench2drive", ())
    suite = read_suite(bench_suite)
    costs = {item.id: item.cost_s for item in suite.items if item.id in suite.chosen}
    assert found.known == len(suite.chosen) == 24
    assert found.source == f"the suite's probes ({bench_suite / 'suite.json'})"
    assert sum(found.expected.values()) == pytest.approx(sum(cost for cost in costs.values() if cost))


def test_a_pairs_cost_is_its_two_routes(fail_suite):
    found = find_durations(read_route_set(fail_suite, "fail2drive"), "fail2drive", ())
    suite = read_suite(fail_suite)
    whole = sum(item.cost_s or 0.0 for item in suite.items if item.id in suite.chosen)
    assert (found.known, found.unit) == (24, "s")
    assert sum(found.expected.values()) == pytest.approx(whole)
