"""The register of driving benchmarks: what differs between them, totals by each benchmark's own rule."""

from __future__ import annotations

import pytest

from bestrand_drive.benchmarks import bench2drive, fail2drive
from bestrand_drive.benchmarks.catalog import load_rules
from bestrand_drive.benchmarks.definitions import DEFINITIONS, definition
from bestrand_drive.benchmarks.records import read_results
from bestrand_drive.errors import UsageError


def test_each_benchmark_is_found_by_its_name():
    assert list(DEFINITIONS) == ["bench2drive", "fail2drive", "builtin"]
    for name in DEFINITIONS:
        assert definition(name).name == name == load_rules(name).benchmark
    with pytest.raises(UsageError, match="'nuplan'; known are bench2drive, fail2drive, builtin"):
        definition("nuplan")


@pytest.mark.parametrize("name", DEFINITIONS)
def test_what_a_benchmark_derives_comes_from_its_metrics(name):
    kind, metrics = definition(name), load_rules(name).metrics
    assert kind.domain_metric in {"", *metrics}
    for rule, score, success in kind.harmonic:
        assert {score, success} <= set(metrics)
        assert rule not in metrics
        assert metrics[success].binary


@pytest.mark.parametrize(
    ("name", "binary"), [("bench2drive", {"success"}), ("fail2drive", {"base_success", "generalization_success"})]
)
def test_only_success_is_all_or_nothing(name, binary):
    assert {metric.name for metric in load_rules(name).descriptions() if metric.binary} == binary


def test_bench2drive_has_figures_for_flawless_suites():
    """How often a 95 % interval held on suites without a failure, by size (from the replays of scripts/figures.py)."""
    cases = load_rules("bench2drive").ceiling_coverage["success"]
    assert cases
    for k, (held, count) in cases.items():
        assert 0 < k <= 220
        assert 0 <= held <= count
        assert count > 0


@pytest.fixture
def four(build, tmp_path):
    """Four routes; one perfect, one half, one lost to the simulator, one without a record."""
    (tmp_path / "routes.xml").write_bytes(build.routes(*(build.route(number) for number in (9, 2, 3, 4))))
    build.write(
        tmp_path / "results" / "a.json",
        [
            build.record("RouteScenario_2_rep0", completion=50),
            build.record("RouteScenario_9_rep0"),
            build.record("RouteScenario_3_rep0", status="Failed - Simulation crashed", completion=10),
        ],
    )
    return definition("bench2drive").load(tmp_path / "routes.xml"), tmp_path / "results"


@pytest.mark.parametrize(("missing", "score"), [("zero", 150 / 4), ("exclude", 75.0)])
def test_bench2drive_divides_by_all_routes_when_missing_ones_score_zero(four, missing, score):
    benchmark, folder = four
    results = read_results(folder, name="P", benchmark="bench2drive")
    kind = definition("bench2drive")
    table = kind.scores(benchmark, results, None)
    totals = kind.totals(benchmark, results, table, missing)
    assert totals["driving_score"] == pytest.approx(score)
    assert totals["route_completion"] == pytest.approx(score)
    assert "comfort" not in totals


@pytest.mark.parametrize(("missing", "overtaking", "mean"), [("zero", 50.0, 90.0), ("exclude", 100.0, 100.0)])
def test_the_mean_of_the_abilities_is_that_of_those_beside_it(build, tmp_path, missing, overtaking, mean):
    """Also where a route without a record counts as lost."""
    types = ("Accident", "Accident", "HighwayCutIn", "ParkingCutIn", "YieldToEmergencyVehicle", "T_Junction")
    routes = [build.route(number, kind) for number, kind in enumerate(types, 1)]
    (tmp_path / "routes.xml").write_bytes(build.routes(*routes))
    records = [build.record(f"RouteScenario_{number}_rep0") for number in range(2, 7)]
    build.write(tmp_path / "results" / "a.json", records)
    kind = definition("bench2drive")
    benchmark = kind.load(tmp_path / "routes.xml")
    results = read_results(tmp_path / "results", name="P", benchmark="bench2drive")
    totals = kind.totals(benchmark, results, kind.scores(benchmark, results, None), missing)
    assert totals["ability_overtaking"] == overtaking
    assert totals["ability_mean"] == pytest.approx(mean)


def test_a_drive_that_the_simulator_ended_tells_no_duration(four):
    benchmark, folder = four
    table = definition("bench2drive").scores(benchmark, read_results(folder, name="P", benchmark="bench2drive"), None)
    assert sorted(table.costs["item_id"]) == ["2", "9"]


def test_bench2drive_s_suite_has_a_route_file_and_ids_in_file_order(four):
    files = definition("bench2drive").suite_files(four[0], ["3", "9", "2"])
    assert set(files) == {"routes.xml", "routes-subset.txt"}
    assert files["routes-subset.txt"] == b"9,2,3\n"
    assert files["routes.xml"].count(b"<route ") == 3


def test_fail2drive_rounds_the_parts_first():
    """Harmonic mean of 66.7 and 33.3 as printed, not of what they were before."""
    found = fail2drive.rounded({"base_driving_score": 66.749, "base_success": 33.25, "generalization_success": 1.0})
    assert found["base_driving_score"] == 66.7
    assert found["base_success"] == pytest.approx(33.2, abs=0.06)
    assert found["base_harmonic_mean"] == round(2 / (1 / 66.7 + 1 / found["base_success"]), 1)
    assert "generalization_harmonic_mean" not in found
    assert definition("bench2drive").rounded is None


@pytest.mark.parametrize(
    ("own", "foreign", "refused"), [(4, 5, True), (5, 6, False), (4, 4, False), (1, 0, False), (1, 2, True)]
)
def test_results_mostly_of_other_routes_are_refused(build, tmp_path, own, foreign, refused):
    """Ten routes: most of the results are of others, and they are of less than half of the ten."""
    from bestrand_drive.benchmarks.tallies import split_foreign
    from bestrand_drive.errors import DataRefused

    (tmp_path / "routes.xml").write_bytes(build.routes(*(build.route(number) for number in range(10))))
    ids = [*range(own), *range(90, 90 + foreign)]
    build.write(tmp_path / "r" / "a.json", [build.record(f"RouteScenario_{number}_rep0") for number in ids])
    benchmark = bench2drive.load(tmp_path / "routes.xml")
    results = read_results(tmp_path / "r", name="P", benchmark="bench2drive")
    if refused:
        with pytest.raises(DataRefused, match=f"{foreign} of its {own + foreign} routes"):
            split_foreign(benchmark, results)
    else:
        assert split_foreign(benchmark, results)[1] == [str(number) for number in range(90, 90 + foreign)]
