"""``bestrand study --theory-check`` as it is called."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from tests.study.worlds import binary_table


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    scores = binary_table()
    frame = pd.DataFrame(scores.masked(0), columns=list(scores.policies))
    frame.insert(0, "item_id", list(scores.items))
    frame["twin"] = frame["m3"]
    path = tmp_path_factory.mktemp("theory") / "toy.csv.gz"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def run(bestrand, table, tmp_path):
    def call(*options):
        base = ("study", "--scores", table, "--seeds", 20, "--keep", "0.1,0.5", "--out", tmp_path / "out")
        return bestrand(*base, "--theory-check", *options)

    return call


def test_the_document(run, tmp_path):
    ran = run("--json")
    assert ran.code == 0, ran.err
    (scores,) = ran.json["assumptions"]
    assert (scores["benchmark"], scores["items"], scores["models"]) == ("toy", 120, 12), "the copy is left out"
    assert 0 < scores["rho"] < 1
    assert [(row["selector"], row["k"]) for row in ran.json["rows"]] == [
        *(("random", 12), ("bestrand", 12), ("random", 60), ("bestrand", 60)),
    ]
    assert all(row["targets"] == 7 and 0.5 < row["p95_ratio"] < 1.6 for row in ran.json["rows"])
    assert json.loads((tmp_path / "out" / "theory.json").read_text()) == ran.json
    again = run("--json")
    assert again.out == ran.out
    assert "4 blocks were there already" in again.err


def test_the_table_says_what_fails_and_how_to_read_it(bestrand, table, tmp_path):
    """A model that scores where another does not covaries negatively with all that resemble that one."""
    frame = pd.read_csv(table)
    frame["anti"] = 1 - frame["m5"]
    frame.to_csv(tmp_path / "anti.csv", index=False)
    base = ("study", "--scores", tmp_path / "anti.csv", "--seeds", 5, "--keep", "0.1,0.5", "--out", tmp_path / "out")
    ran = bestrand(*base, "--theory-check", "--selectors", "random")
    assert ran.code == 0, ran.err
    assert "of the pairs do not covary positively" in ran.out
    assert "fails: score: correlations differ" in ran.out
    assert "twin repeats m3 and is left out" in ran.out
    assert len([line for line in ran.out.splitlines() if line.startswith("score")]) == 2
    assert "published y0 (1 + C0 / sqrt(M))" in ran.out
    assert "theory.json" in ran.out


def test_what_has_no_part_in_a_check_is_said(run):
    ran = run("--family", "A=m0,m1", "--n-probes", 9)
    assert ran.code == 0, ran.err
    assert "--family is of --split family and has no part in this study" in ran.out
    assert "12 models: 6 of them are probes, not 9" in ran.out


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--selectors", "random,balanced"), "not of balanced"),
        (("--estimators", "expc"), "plain mean"),
        (("--sweep", "m"), "plain mean"),
        (("--split", "score"), "--split"),
        (("--probe-choice", "low"), "--probe-choice"),
        (("--seeds", 1), "2 seeds"),
    ],
)
def test_mistakes_are_told(run, options, word):
    ran = run(*options)
    assert ran.code == 2
    assert word in ran.err
    assert ran.out == ""


def test_bench2drive(bestrand, bench, tmp_path):
    policies = [part for name in ("Ann", "Bob", "Cid", "Dan") for part in ("--policy", f"{name}={bench.results(name)}")]
    base = ("study", "bench2drive", "--routes", bench.routes, *policies, "--seeds", 12, "--keep", 0.4)
    ran = bestrand(*base, "--theory-check", "--family", "Oak=Ann,Bob", "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    assert "families are not left out here" in ran.out
    written = json.loads((tmp_path / "out" / "theory.json").read_text())
    assert {row["metric"] for row in written["rows"]} >= {"driving_score", "success"}
    assert all(row["targets"] == 2 for row in written["rows"])


def test_fail2drive_averages_runs(bestrand, fail, tmp_path):
    policies = [part for name in ("Ann", "Bob", "Dan") for part in ("--policy", f"{name}={fail.results(name)}")]
    base = ("study", "fail2drive", "--routes", fail.routes, *policies, "--seeds", 12, "--keep", 0.4)
    ran = bestrand(*base, "--theory-check", "--out", tmp_path / "out", "--json")
    assert ran.code == 0, ran.err
    assert {one["models"] for one in ran.json["assumptions"]} == {3}


def test_a_real_matrix(bestrand, shared_data, tmp_path):
    """The exact law within four standard errors of its P95 (or of that of the scores' own covariances)."""
    path = shared_data / "matrices" / "helmlite_openbookqa.csv.gz"
    base = ("study", "--scores", path, "--seeds", 100, "--keep", 0.1, "--out", tmp_path)
    ran = bestrand(*base, "--theory-check", "--json")
    assert ran.code == 0, ran.err
    for row in ran.json["rows"]:
        ratios = (row["p95_ratio"], row["p95_covariance_ratio"])
        assert min(abs(ratio - 1) for ratio in ratios) < 4 * row["p95_ratio_se"], row
        assert row["mode_formula"] >= row["mode_exact"] * 0.999
