"""``bestrand study`` as it is called: rows, table, plots, resuming, and one message for every mistake."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from bestrand_drive import import_logs
from bestrand_drive.workflows.studying.tables import TableStudy, read_scores
from tests.study.worlds import binary_table

KEYS = (
    *("benchmark", "selector", "estimator", "metric", "keep", "k", "seeds", "mae", "mae_se", "mae_sd", "p95"),
    *("risk_p70", "spearman", "coverage95", "coverage95_worst", "cost"),
)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Twelve models on 120 items, and one that repeats another."""
    scores = binary_table()
    frame = pd.DataFrame(scores.masked(0), columns=list(scores.policies))
    frame.insert(0, "item_id", list(scores.items))
    frame["twin"] = frame["m3"]
    path = tmp_path_factory.mktemp("study") / "toy.csv.gz"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def plots():
    """Asked for by the tests that look at them."""


@pytest.fixture(autouse=True)
def no_plots(request, monkeypatch):
    """Drawing takes most of a small study's time, and most tests here look at its rows and its words alone."""
    if "plots" not in request.fixturenames:
        monkeypatch.setattr("bestrand_drive.reports.study_plots.write_plots", lambda *_: [])


@pytest.fixture
def run(bestrand, table, tmp_path):
    def call(*options):
        base = ("study", "--scores", table, "--seeds", 6, "--keep", "0.1,0.5", "--out", tmp_path / "out")
        return bestrand(*base, *options)

    return call


def test_json_rows(run, tmp_path):
    ran = run("--json")
    assert ran.code == 0, ran.err
    assert [tuple(row) for row in ran.json] == [KEYS] * 6
    assert [(row["selector"], row["keep"], row["k"]) for row in ran.json] == [
        (name, keep, k) for keep, k in ((0.1, 12), (0.5, 60)) for name in ("random", "bestrand", "balanced")
    ]
    assert all(0 < row["mae"] < 0.3 and row["seeds"] == 6 and row["benchmark"] == "toy" for row in ran.json)
    full = json.loads((tmp_path / "out" / "rows.json").read_text())
    assert {"rmse", "bias", "kendall", "pairwise", "top3", "width", "risk_mean", "coverage95_high"} <= set(full[0])
    assert [{key: row[key] for key in KEYS} for row in full] == ran.json
    assert all(list(row)[-2:] == ["split", "probes"] for row in full)


def test_rows_tell_the_split_and_that_others_were_replaced(run, tmp_path):
    found = []
    for options in (("--probe-choice", "low"), ("--split", "score", "--n-probes", 3)):
        ran = run(*options, "--selectors", "random", "--keep", 0.1)
        full = json.loads((tmp_path / "out" / "rows.json").read_text())
        found.append(({(row["split"], row["probes"]) for row in full}, "held rows of other options" in ran.out))
    assert found == [({("random, low probes", 5)}, False), ({("score", 3)}, True)]
    assert "held rows" not in run(*options, "--selectors", "random", "--keep", 0.1).out


@pytest.mark.usefixtures("plots")
def test_the_same_command_goes_on_and_changes_nothing(run, tmp_path):
    first = run("--json")
    parts = {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "parts").iterdir()}
    plot = tmp_path / "out" / "toy-score.svg"
    drawn = plot.read_bytes()
    again = run("--json")
    assert again.out == first.out
    assert {path: path.stat().st_mtime_ns for path in parts} == parts
    assert plot.read_bytes() == drawn, "the same rows give the same plot"
    assert drawn.startswith(b"<?xml")
    assert "6 blocks were there already" in again.err


def test_a_table_for_people_says_what_was_left_out(run):
    ran = run("--selectors", "balanced", "--estimators", "mean,expc")
    assert ran.code == 0, ran.err
    assert "note: twin repeats m3 and is left out" in ran.out
    lines = [line.split() for line in ran.out.splitlines() if line.startswith("toy")]
    assert [(line[4], line[5]) for line in lines[:4]] == [
        ("random", "mean"),
        ("random", "expc"),
        ("balanced", "mean"),
        ("balanced", "expc"),
    ]


def test_sweeps_vary_one_thing_at_a_time(run):
    ran = run("--sweep", "m,distance,probe-choice,objective", "--json")
    assert ran.code == 0, ran.err
    names = {row["selector"] for row in ran.json}
    assert {"random", "bestrand m=1", "bestrand m=2048", "bestrand distance=max", "bestrand probe-choice=low"} <= names
    mae = {(row["selector"], row["keep"]): row["mae"] for row in ran.json}
    same = [mae[f"bestrand {label}", 0.1] for label in ("m=128", "distance=l2", "objective=scores")]
    assert same == same[:1] * 3, "all are the published setting"
    assert mae["bestrand objective=ranking", 0.1] != same[0]


def test_a_sweep_of_probes_ends_at_half_of_the_models(run):
    """Twelve different models: ten probes would be six under the name of ten."""
    ran = run("--sweep", "p", "--keep", 0.1, "--json")
    assert ran.code == 0, ran.err
    swept = {row["selector"]: row["cost"] for row in ran.json if row["selector"].startswith("bestrand ")}
    assert swept == {f"bestrand p={p}": pytest.approx(p * 48 / 120) for p in (1, 2, 3, 5)}


def test_few_models_have_fewer_probes(bestrand, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame((rng.random((30, 4)) < 0.5).astype(int), columns=list("abcd"))
    frame.insert(0, "item_id", [f"q{number}" for number in range(30)])
    frame.to_csv(tmp_path / "few.csv", index=False)
    base = ("study", "--scores", tmp_path / "few.csv", "--seeds", 3, "--keep", 0.2, "--out", tmp_path / "out")
    ran = bestrand(*base)
    assert ran.code == 0, ran.err
    assert "4 models: 2 of them are probes, not 5" in ran.out
    assert [row["cost"] for row in bestrand(*base, "--json").json] == [0, pytest.approx(1.6), 2]


def test_splits_by_family_and_time(run, table, tmp_path):
    models = [f"m{number}" for number in range(12)]
    days = [f"2024-{1 + number:02d}-03" for number in range(12)]
    frame = pd.DataFrame({"model": models, "family": [f"f{n % 7}" for n in range(12)], "date": days})
    frame.to_csv(tmp_path / "models.csv", index=False)
    told = ("--models", tmp_path / "models.csv")
    named = ("--family", "A=m0,m1,m2", "--family", "B=m3,m4", "--n-probes", 3)
    maes = {}
    for split, options in (("random", ()), ("family", told), ("time", told), ("score", ()), ("family", named)):
        ran = run("--split", split, *options, "--selectors", "random", "--keep", 0.1, "--json")
        assert ran.code == 0, ran.err
        rows = json.loads((tmp_path / "out" / "rows.json").read_text())
        assert {row["split"].split(",")[0] for row in rows} == {split}
        maes[split, len(options)] = rows[0]["mae"]
    assert len(set(maes.values())) == 5, "each leaves other models out"
    for split in ("time", "family"):
        ran = run("--split", split)
        assert (ran.code, f"--split {split}" in ran.err) == (2, True), ran.err


@pytest.mark.parametrize(
    ("split", "change", "word"),
    [
        ("time", {"date": ""}, "have no date"),
        ("time", {"date": "yesterday"}, "is no date"),
        ("time", {"date": "NaT"}, "is no date"),
        ("family", {"family": ""}, "have no family"),
        ("family", {"model": "m0"}, "more than one row"),
    ],
)
def test_a_table_of_models_with_a_hole_is_refused_by_name(run, tmp_path, split, change, word):
    rows = [{"model": f"m{n}", "family": f"f{n % 7}", "date": "2024-01-03"} for n in range(12)]
    rows[3] |= change
    pd.DataFrame(rows).to_csv(tmp_path / "models.csv", index=False)
    ran = run("--split", split, "--models", tmp_path / "models.csv")
    assert ran.code == 4
    assert word in ran.err


def test_what_has_no_part_in_a_study_is_said(run, tmp_path):
    items = pd.DataFrame({"item_id": [f"q{n}" for n in range(120)], "group": [f"g{n // 2}" for n in range(120)]})
    items.to_csv(tmp_path / "items.csv", index=False)
    ran = run("--family", "A=m0,m1", "--models", tmp_path / "absent.csv", "--items", tmp_path / "items.csv")
    assert ran.code == 0, ran.err
    notes = [line for line in ran.out.splitlines() if line.startswith("note: ")]
    assert [word for word in ("--family", "--models", "no column stratum", "groups of") if word in str(notes)] == [
        *("--family", "--models", "no column stratum", "groups of"),
    ]
    ran = run("--sweep", "p,probe-choice", "--n-probes", 3, "--probe-choice", "low", "--keep", 0.1, "--seeds", 1)
    assert "note: --n-probes has no part in a sweep of p" in ran.out
    assert "note: --probe-choice has no part in a sweep of it" in ran.out


def test_pairs_that_cannot_be_are_left_out_before_anything_is_computed(run, tmp_path):
    ran = run("--selectors", "bestrand,datbench", "--estimators", "mean,aipw", "--json")
    assert ran.code == 0, ran.err
    made = {(row["selector"], row["estimator"], row["keep"]) for row in ran.json}
    assert {("bestrand", "aipw", 0.5), ("datbench", "aipw", 0.1), ("random", "aipw", 0.1)} <= made
    assert ("bestrand", "aipw", 0.1) not in made, "its pool of 48 items is not the whole benchmark"
    lines = run("--selectors", "anchor-predictor", "--estimators", "anchor-predictor", "--json")
    assert lines.code == 0, lines.err
    assert [(row["selector"], row["estimator"]) for row in lines.json[:2]] == [
        ("random", "mean"),
        ("anchor-predictor", "anchor-predictor"),
    ]


@pytest.mark.parametrize(
    "options",
    [
        ("--selectors", "bestrand", "--estimators", "aipw", "--keep", "0.1"),
        ("--selectors", "random", "--estimators", "mean,gpirt"),
        ("--selectors", "datbench", "--estimators", "sparse-network"),
    ],
)
def test_a_selector_or_estimator_without_partner_is_refused_at_once(run, tmp_path, options):
    ran = run(*options)
    assert ran.code == 2
    assert "among those given" in ran.err
    assert not (tmp_path / "out").exists()


def test_a_sweep_of_probes_goes_as_far_as_the_models(run):
    ran = run("--sweep", "p", "--keep", "0.1")
    assert ran.code == 0, ran.err
    assert "note: 7, 10 probes are more than these models allow and are left out" in ran.out
    lines = [line.split() for line in ran.out.splitlines() if line.startswith("toy")]
    assert [line[5] for line in lines if line[4] == "bestrand"] == ["p=1", "p=2", "p=3", "p=5"]


@pytest.mark.usefixtures("plots")
def test_names_are_names_in_plots(bestrand, table, tmp_path):
    path = tmp_path / "a$^$b_$x_{$.csv"
    frame = pd.read_csv(table).melt("item_id", var_name="model")
    both = pd.concat([frame.assign(metric=name) for name in ("x y", "x-y")])
    both.to_csv(path, index=False)
    ran = bestrand("study", "--scores", path, "--seeds", 2, "--keep", "0.1,1", "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    plots = sorted((tmp_path / "out").glob("*.svg"))
    assert len(plots) == 2, "two metrics whose names are spelled alike in a file name"
    assert "Warning" not in ran.err


def test_every_head_of_the_table_is_explained(run):
    ran = run("--keep", "0.1,1")
    legend = " ".join(ran.out.partition("MAE: mean over")[2].split())
    heads = ("SE", "spread", "P95", "bias", "risk", "Spearman", "pairs", "top 3", "held", "worst", "width", "cost")
    assert [head for head in heads if head not in legend] == []
    whole = [line.split() for line in ran.out.splitlines() if line.startswith("toy") and line.split()[2] == "1"]
    assert [(line[6], line[10], line[11]) for line in whole] == [("0.0000", "0.0000", "0.000")] * 3, (
        "no risk of nothing"
    )


def test_what_a_seed_lacks_is_told_before_anything_is_computed(run, table, bestrand, tmp_path):
    assert "stratum" in run("--selectors", "random,stratified").err
    frame = pd.read_csv(table)
    frame.loc[5, frame.columns[1:11]] = np.nan
    frame.to_csv(tmp_path / "holes.csv", index=False)
    base = ("study", "--scores", tmp_path / "holes.csv", "--seeds", 40, "--keep", 0.2, "--out", tmp_path / "out")
    for options in (("--selectors", "anchor-points"), ("--selectors", "random", "--estimators", "mean,aipw")):
        ran = bestrand(*base, *options)
        assert ran.code == 2
        assert "have no score on 1 of 120 items" in ran.err
    assert not (tmp_path / "out").exists()


@pytest.fixture
def timed(tmp_path):
    """A long table of accuracy and of latency, which is not known of one item."""
    rng = np.random.default_rng(0)
    cells = [(f"q{item}", f"m{model}", float(rng.random() < 0.1 * model)) for item in range(40) for model in range(8)]
    rows = [(*cell, "accuracy") for cell in cells]
    rows += [(item, model, 0.4 + int(model[1:]) + right, "latency") for item, model, right in cells if item != "q3"]
    frame = pd.DataFrame(rows, columns=["item_id", "model", "value", "metric"])
    frame.to_csv(tmp_path / "timed.csv", index=False)
    return ("study", "--scores", tmp_path / "timed.csv", "--n-probes", 3, "--seeds", 2, "--out", tmp_path / "out")


@pytest.mark.parametrize("options", [("aipw",), ("tinybenchmarks",), ("zipbench", "--estimators", "mean,pirt")])
def test_what_models_every_metric_needs_full_histories_of_each(bestrand, timed, tmp_path, options):
    """Else a seed would refuse, with the advice to choose by the selector that did choose."""
    ran = bestrand(*timed, "--selectors", *options)
    assert ran.code == 2
    assert f"{options[0]} learns from full histories, but the probes of seed 0 have no latency on 1 of 40" in ran.err
    assert not (tmp_path / "out").exists()
    assert bestrand(*timed, "--keep", 0.2, "--selectors", "datbench").code == 0, "it chooses by the first metric alone"


def test_metrics_are_told_as_to_a_choice(bestrand, timed):
    base = (*timed, "--selectors", "random", "--keep", 0.2, "--json")
    assert {row["metric"] for row in bestrand(*base).json} == {"accuracy", "latency"}
    told = ("--metric", "latency", "--lower-is-better", "latency", "--bounds", "latency=0:20")
    scores, notes = read_scores(TableStudy(timed[2], ("latency",), {"latency": (0.0, 20.0)}, ("latency",)))
    assert [(spec.name, spec.bounds, spec.higher_is_better) for spec in scores.metrics] == [("latency", (0, 20), False)]
    assert notes == ["1 of 40 items left out, on which no model has a score: q3"]
    ran = bestrand(*base, *told)
    assert ran.code == 0, ran.err
    assert {row["metric"] for row in ran.json} == {"latency"}
    for wrong in (("--metric", "speed"), ("--bounds", "latency=0:2"), ("--lower-is-better", "speed")):
        assert "latency" in bestrand(*base, *wrong).err


def test_items_without_any_score_are_left_out(bestrand, table, tmp_path):
    """Else no selector that learns from histories could be studied."""
    frame = pd.read_csv(table)
    frame.loc[[5, 9], frame.columns[1:]] = np.nan
    frame.to_csv(tmp_path / "holes.csv", index=False)
    items = pd.DataFrame({"item_id": frame["item_id"], "stratum": [f"s{n % 2}" for n in range(120)]})
    items.to_csv(tmp_path / "items.csv", index=False)
    base = ("study", "--scores", tmp_path / "holes.csv", "--items", tmp_path / "items.csv", "--selectors", "datbench")
    ran = bestrand(*base, "--seeds", 2, "--keep", 0.5, "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    assert "note: 2 of 120 items left out, on which no model has a score: q5, q9" in ran.out
    assert {line.split()[3] for line in ran.out.splitlines() if line.startswith("holes")} == {"59"}


def test_too_few_probes_are_told_before_anything_is_computed(bestrand, table, tmp_path):
    base = ("study", "--scores", table, "--seeds", 40, "--keep", 0.2, "--out", tmp_path / "out")
    assert "at least 2 probes; seed 0 has 1" in bestrand(*base, "--selectors", "datbench", "--n-probes", 1).err
    assert not (tmp_path / "out").exists()


def test_too_few_different_models_are_named_with_what_they_repeat(bestrand, tmp_path):
    frame = pd.DataFrame({"item_id": ["a", "b"], "x": [0, 1], "y": [0, 1], "z": [0, 1]})
    frame.to_csv(tmp_path / "same.csv", index=False)
    ran = bestrand("study", "--scores", tmp_path / "same.csv", "--out", tmp_path / "out")
    assert (ran.code, "1 different model (y repeats x, z repeats x)" in ran.err) == (4, True)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--selectors", "best"), "known are"),
        (("--estimators", "median"), "known are"),
        (("--keep", "0.1,half"), "shares"),
        (("--keep", "1.5"), "above 0"),
        (("--seeds", 0), "1 or more"),
        (("--split", "odd"), "known are"),
        (("--sweep", "q"), "known are"),
        (("--n-probes", 0), "at least 1"),
        (("--probe-choice", "best"), "known are"),
        (("--selectors", "stratified"), "stratum"),
        (("--family", "A=m0,zz", "--split", "family"), "zz"),
        (("--family", "A=m0,m1", "--family", "B=m1", "--split", "family"), "m1 is already in A"),
        (("--probe-choice", "low", "--split", "score"), "random split"),
        (("--sweep", "m", "--selectors", "random"), "beside random"),
        (("--sweep", "distance", "--selectors", "balanced,datbench"), "not datbench"),
    ],
)
def test_mistakes_are_told(run, options, word):
    ran = run(*options)
    assert ran.code == 2
    assert word in ran.err
    assert ran.out == ""


def test_options_before_a_driving_benchmark_are_not_passed_over(bestrand, tmp_path):
    ran = bestrand("study", "--seeds", 5, "--json", "bench2drive", "--routes", tmp_path, "--policy", f"A={tmp_path}")
    assert ran.code == 2
    assert "--seeds, --json: write the options of bench2drive after it" in ran.err


def test_what_is_missing_is_counted(bestrand, table, tmp_path):
    frame = pd.read_csv(table)
    frame.loc[:8, "m1"] = frame.loc[3, "m2"] = np.nan
    frame.to_csv(tmp_path / "holes.csv", index=False)
    ran = bestrand("study", "--scores", tmp_path / "holes.csv", "--seeds", 2, "--keep", 0.1, "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    assert "note: items of 120 without a score, which have no part in the truth: m1 9, m2 1" in ran.out


def test_something_to_study_must_be_given(bestrand, tmp_path):
    for options, code, said in (
        (("--seeds", 3), 2, "Give --scores TABLE"),
        (("--scores", tmp_path / "absent.csv"), 4, "absent.csv"),
    ):
        ran = bestrand("study", *options)
        assert (ran.code, said in ran.err) == (code, True), ran.err


def test_bench2drive(bestrand, bench, tmp_path):
    policies = [part for name in ("Ann", "Bob", "Cid", "Dan") for part in ("--policy", f"{name}={bench.results(name)}")]
    base = ("study", "bench2drive", "--routes", bench.routes, *policies, "--seeds", 4, "--keep", 0.4)
    ran = bestrand(*base, "--out", tmp_path / "out", "--json")
    assert ran.code == 0, ran.err
    assert {row["metric"] for row in ran.json} >= {"driving_score", "success"}
    assert {row["selector"] for row in ran.json} == {"random", "bestrand", "balanced", "stratified"}
    two = bestrand(*base, "--family", "Oak=Ann,Bob", "--family", "Elm=Cid,Dan", "--out", tmp_path / "two")
    assert two.code == 2
    assert "2 families" in two.err
    assert bestrand(*base, "--family", "Oak=Ann,Eve", "--out", tmp_path / "eve").code == 2
    other = bestrand(*base, "--family", "Ann=Bob,Cid", "--out", tmp_path / "ann")
    assert other.code == 2, "Ann would join a family that does not name her"
    assert "name the family otherwise" in other.err
    twice = bestrand(*base, "--family", "Oak=Ann,Bob", "--family", "Elm=Bob", "--out", tmp_path / "twice")
    assert twice.code == 2
    assert "Bob is already in Oak" in twice.err
    again = ("--policy", f"Eve={bench.results('Ann')}", "--family", "Oak=Bob,Eve", "--selectors", "random")
    copied = bestrand(*base, *again, "--out", tmp_path / "copy")
    assert copied.code == 0, copied.err
    assert "note: Eve repeats Ann and is left out" in copied.out


def test_fail2drive_runs_are_targets(bestrand, fail, tmp_path):
    policies = [part for name in ("Ann", "Bob", "Dan") for part in ("--policy", f"{name}={fail.results(name)}")]
    base = ("study", "fail2drive", "--routes", fail.routes, *policies, "--seeds", 3, "--keep", 0.4)
    ran = bestrand(*base, "--out", tmp_path / "out", "--json")
    assert ran.code == 0, ran.err
    assert "base_harmonic_mean" in {row["metric"] for row in ran.json}
    assert all(row["coverage95"] is not None for row in ran.json if row["selector"] == "balanced")


def put_imported(folder, name, *options):
    """A table imported with two categories: all models are good at one and bad at the other."""
    rows = [
        (f"q{item}", f"m{model}", float((item * item + 3 * model * item) % 10 < (9 if item % 3 else 2)), item % 3 > 0)
        for item in range(90)
        for model in range(8)
    ]
    frame = pd.DataFrame(rows, columns=["item_id", "model", "value", "category"])
    frame.to_csv(folder / "long.csv", index=False)
    import_logs("plain", folder / "long.csv", out=folder / name, **dict(options))
    return frame


def test_an_imported_table_is_studied_with_its_categories(bestrand, tmp_path):
    """As if they were given in a table of items, which goes before."""
    frame = put_imported(tmp_path, "told.parquet")
    kinds = dict(zip(frame["item_id"], frame["category"].astype(str), strict=True))
    path = tmp_path / "told.parquet"
    scores, _ = read_scores(TableStudy(path))
    assert dict(zip(scores.items, scores.strata, strict=True)) == kinds
    other = pd.DataFrame({"item_id": scores.items, "stratum": [item[-1] for item in scores.items]})
    other.to_csv(tmp_path / "items.csv", index=False)
    assert read_scores(TableStudy(path, items=tmp_path / "items.csv"))[0].strata == tuple(other["stratum"])
    other[["item_id"]].assign(cost_s=1.0).to_csv(tmp_path / "costs.csv", index=False)
    assert read_scores(TableStudy(path, items=tmp_path / "costs.csv"))[0].strata == scores.strata
    ran = bestrand("study", "--scores", path, "--seeds", 3, "--keep", 0.2, "--out", tmp_path / "out", "--json")
    assert [row["selector"] for row in ran.json] == ["random", "bestrand", "balanced", "stratified"]


def test_a_macro_average_is_not_studied_as_a_plain_mean(bestrand, tmp_path):
    put_imported(tmp_path, "macro.parquet", ("macro", "category"))
    ran = bestrand("study", "--scores", tmp_path / "macro.parquet", "--seeds", 5, "--out", tmp_path / "out")
    assert (ran.code, "its categories count alike" in ran.err) == (4, True)
    assert not (tmp_path / "out").exists()


def test_a_theory_check_names_models_without_a_score(bestrand, table, tmp_path):
    frame = pd.read_csv(table)
    frame["silent, one"] = np.nan
    frame.to_csv(tmp_path / "holes.csv", index=False)
    ran = bestrand("study", "--scores", tmp_path / "holes.csv", "--theory-check", "--out", tmp_path / "out")
    assert ran.code == 4
    assert ran.err.strip() == "bestrand: holes: no score of score for silent, one; leave them out."
