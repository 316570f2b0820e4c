"""``bestrand homogeneity``: what it prints can be passed to compress."""

from __future__ import annotations

import shlex

import numpy as np
import pytest

from tests.workflows.toys import write_wide


@pytest.fixture
def table(tmp_path):
    """Six models over 200 items: a family of two, a copy, and strangers."""
    rng = np.random.default_rng(4)
    difficulty = rng.normal(size=200)
    own = {name: rng.normal(size=200) for name in "abcde"}
    columns = {name: difficulty + noise for name, noise in own.items()}
    columns["b"] = difficulty + 0.9 * own["a"] + 0.3 * own["b"]
    columns["twin of c"] = columns["c"]
    return write_wide(tmp_path / "scores.csv", [f"q{n}" for n in range(200)], columns)


def test_families_and_copies_are_told_and_can_be_passed_on(bestrand, table, tmp_path):
    found = bestrand("homogeneity", "scores", "--scores", table, "--json").json
    assert found["copies"] == {"twin of c": "c"}
    assert [family["members"] for family in found["families"]] == [["a", "b"]]
    said = bestrand("homogeneity", "scores", "--scores", table).out
    line = next(line for line in said.splitlines() if line.startswith("for compress: "))
    options = shlex.split(line.removeprefix("for compress: "))
    assert options == ["--family", "a-like=a,b", "--family", "c-like=c,twin of c"]
    probes = [part for name in ("a", "b", "c", "twin of c", "d") for part in ("--probe", name)]
    made = bestrand("compress", "scores", "--scores", table, *probes, *options, "--k", 20, "--out", tmp_path / "s")
    assert made.code == 0, made.err


def test_rho_is_that_of_the_theory(bestrand, table):
    metric = bestrand("homogeneity", "scores", "--scores", table, "--json").json["metrics"]["score"]
    matrix = np.array([[np.nan if v is None else v for v in row] for row in metric["correlations"]])
    assert metric["mean_correlation"] == pytest.approx(matrix[np.triu_indices(5, 1)].mean())
    assert metric["rho"] == pytest.approx(metric["mean_correlation"], abs=0.05)
    assert metric["between_families"] < metric["mean_correlation"]


def test_driving_results_by_every_metric(bestrand, bench, fail):
    ran = bestrand("homogeneity", "bench2drive", "--routes", bench.routes, *bench.probes(("Ann", "Bob", "Cid", "Dan")))
    assert ran.code == 0, ran.err
    assert "driving_score" in ran.out
    assert "success" in ran.out
    names = ("Ann", "Bob", "Dan")
    few = bestrand("homogeneity", "fail2drive", "--routes", fail.routes, *fail.probes(names), "--json")
    assert few.json["clustered"] is False
    assert few.json["families"] == []


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--cut", "3"), "--cut"),
        (("--metric", "speed"), "speed"),
        (("--probe", "a"), "two or more"),
        (("--probe", "z"), "z"),
    ],
)
def test_wrong_options_are_usage_errors(bestrand, table, options, word):
    ran = bestrand("homogeneity", "scores", "--scores", table, *options)
    assert ran.code == 2
    assert word in ran.err


def test_the_known_families_of_bench2drive(bestrand, shared_data):
    results = shared_data / "bench2drive" / "results"
    policies = [path.name for path in sorted(results.iterdir()) if path.name != "UniAD-all-crashed"]
    probes = [part for name in policies for part in ("--probe", f"{name}={results / name}")]
    routes = shared_data / "bench2drive" / "routes" / "bench2drive220.xml"
    found = bestrand("homogeneity", "bench2drive", "--routes", routes, *probes, "--json").json
    assert [family["members"] for family in found["families"]] == [
        ["SimLingo", "SimLingo-repeat"],
        ["UniAD-30bc-sharded", "UniAD-Base", "UniAD-Tiny"],
    ]
