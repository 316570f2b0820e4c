"""The benchmark that comes with this package: its routes, parts, and rules."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from bestrand_drive.benchmarks import bench2drive, builtin
from bestrand_drive.benchmarks.builtin_routes import part_ids, read_routes, routes_path, towns_path
from bestrand_drive.benchmarks.catalog import load_rules
from bestrand_drive.benchmarks.definitions import definition
from bestrand_drive.benchmarks.records import read_results
from bestrand_drive.errors import DataRefused, UsageError


def test_the_shipped_routes_are_known_and_whole():
    benchmark = builtin.load(routes_path())
    assert (benchmark.name, benchmark.route_set, benchmark.findings) == ("builtin", "builtin", ())
    assert len(benchmark.items) >= 120
    assert set(benchmark.items["town"]) == {path.stem for path in towns_path().glob("*.xodr")}
    assert set(benchmark.domains) == set(load_rules("bench2drive").abilities)


def test_the_demo_is_a_part_of_them_byte_for_byte():
    part, whole = read_routes(routes_path(), "demo"), read_routes(routes_path())
    assert sorted(route.id for route in part.routes) == sorted(part_ids("demo"))
    assert len(part.routes) == 40
    elements = {route.id: whole.content[route.start : route.end] for route in whole.routes}
    assert all(part.content[route.start : route.end] == elements[route.id] for route in part.routes)
    benchmark = builtin.load(routes_path(), "demo")
    assert (benchmark.route_set, benchmark.findings) == ("builtin-demo", ())
    assert benchmark.route_ids == set(part_ids("demo"))


def test_its_types_and_metrics_are_bench2drive_s():
    """Both are judged by one rule, so that a metric of one name means one thing."""
    ours, theirs = load_rules("builtin"), load_rules("bench2drive")
    assert ours.metrics.keys() == theirs.metrics.keys()
    for ability, kinds in ours.abilities.items():
        assert set(kinds) <= set(theirs.abilities[ability])
    assert {name: (m.low, m.high, m.ratio) for name, m in ours.metrics.items()} == {
        name: (m.low, m.high, m.ratio) for name, m in theirs.metrics.items()
    }


def test_records_are_scored_as_bench2drive_s_without_its_note(build, tmp_path):
    (tmp_path / "routes.xml").write_bytes(build.routes(build.route(1), build.route(2)))
    penalised = {"collisions_vehicle": ["Agent collided against object with type=a and id=1"]}
    records = [
        build.record("RouteScenario_1_rep0"),
        build.record("RouteScenario_2_rep0", penalty=0.6, infractions=penalised),
    ]
    build.write(tmp_path / "results" / "a.json", records)
    tables = {}
    for name, kind in (("builtin", builtin), ("bench2drive", bench2drive)):
        results = read_results(tmp_path / "results", name="P", benchmark=name)
        tables[name] = kind.scores(kind.load(tmp_path / "routes.xml"), results)
    assert tables["builtin"].values.equals(tables["bench2drive"].values)
    assert not any("traffic_signs" in note for note in tables["builtin"].notes)
    meta = records[0]["meta"]
    assert meta["duration_game"] != meta["duration_system"]
    assert set(tables["builtin"].costs["duration_s"]) == {meta["duration_game"]}  # the machine's speed is no property
    assert set(tables["bench2drive"].costs["duration_s"]) == {meta["duration_system"]}


def test_a_suite_folder_stands_for_its_routes(tmp_path):
    shutil.copyfile(routes_path(), tmp_path / "routes.xml")
    assert builtin.load(tmp_path).route_set == "builtin"


def test_a_part_that_is_not_there(build, tmp_path):
    with pytest.raises(UsageError, match="--part x: there is no such part; there are demo"):
        builtin.load(routes_path(), "x")
    (tmp_path / "routes.xml").write_bytes(build.routes(build.route(1)))
    with pytest.raises(DataRefused, match="no route with id"):
        read_routes(tmp_path / "routes.xml", "demo")


def test_compress_takes_the_shipped_routes_by_itself(bestrand, tmp_path):
    assert bestrand("compress", "builtin", "--part", "demo", "--k", 8, "--out", tmp_path / "suite").code == 0
    said = bestrand("inspect", tmp_path / "suite").out
    assert "8 of 40 routes" in said
    assert "builtin-demo" in said
    assert definition("builtin").load(tmp_path / "suite").route_set == "unknown"


def test_others_have_no_routes_of_their_own_and_no_parts(bestrand, bench, tmp_path):
    out = tmp_path / "suite"
    assert "--routes is needed" in bestrand("compress", "bench2drive", "--k", 8, "--out", out).err
    ran = bestrand("compress", "bench2drive", "--routes", bench.routes, "--part", "demo", "--k", 8, "--out", out)
    assert (ran.code, "has no parts" in ran.err) == (2, True)


def test_a_driver_reads_them_without_pandas():
    script = (
        "import sys; from bestrand_drive.benchmarks.builtin_routes import read_routes, routes_path;"
        "read_routes(routes_path(), 'demo'); print({'torch', 'pandas', 'scipy', 'carla'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "set()\n"
