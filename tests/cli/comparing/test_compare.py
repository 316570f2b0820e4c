"""``bestrand compare`` as a user meets it: verdict first, exit codes, JSON that agrees, sweeps, tables."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pytest

import bestrand_drive as bd
from tests.workflows.toys import LEVELS, write_wide


def words(ran) -> str:
    return " ".join(ran.out.split())


def test_the_verdict_leads(bestrand, bench, bench_suite):
    ran = bestrand("compare", bench_suite, "--baseline", bench.results("Ann"), "--candidate", bench.results("Cid"))
    assert ran.code == 0, ran.err
    first = ran.out.splitlines()[0]
    assert first.startswith("Cid against Ann, driving_score: worse, -")
    assert "caution: Ann, Cid guided the choice of this suite" in words(ran)
    assert "do not say what simulated them" in words(ran)
    assert "all within noise" in words(ran)
    assert "run noise not measured (baseline: one run; candidate: one run)" in words(ran)


def test_what_cannot_be_told_says_how_much_more_could(bestrand, bench, bench_suite):
    ran = bestrand("compare", bench_suite, "--baseline", bench.results("Bob"), "--candidate", bench.results("Dan"))
    first = ran.out.splitlines()[0]
    assert "not distinguishable at this size" in first
    assert "would be found in 80 of 100 cases" in first


def test_the_numbers_are_those_of_python_and_of_two_estimates(bestrand, bench, bench_suite):
    options = ("--baseline", bench.results("Dan"), "--candidate", bench.results("Eve"))
    told = bestrand("compare", bench_suite, *options, "--json").json
    found = bd.compare(bench_suite, bench.results("Dan"), bench.results("Eve"))
    single = [bd.estimate(bench_suite, bench.results(name)) for name in ("Dan", "Eve")]
    for line in found.metrics:
        own = told["metrics"][line.name]
        assert own["difference"] == pytest.approx(line.difference)
        assert own["baseline"] == pytest.approx(single[0][line.name].estimate.value)
        assert own["candidate"] == pytest.approx(single[1][line.name].estimate.value)
        if line.paired is not None:
            inside = all(0 < side < 100 for side in (line.baseline, line.candidate)) or line.name == "efficiency"
            assert line.difference == pytest.approx(line.candidate - line.baseline, abs=1e-6 if inside else 1e-3)
            assert own["interval"]["low"] < own["difference"] < own["interval"]["high"]
    assert told["uses"] >= 2
    assert told["suite"] == bd.read_suite(bench_suite).choice_digest()


def test_sides_exchanged_say_the_same_the_other_way_round(bench, bench_suite):
    dan, eve = bench.results("Dan"), bench.results("Eve")
    there, back = bd.compare(bench_suite, dan, eve), bd.compare(bench_suite, eve, dan)
    paired = [(one, back[one.name]) for one in there.metrics if one.paired is not None]
    assert {"driving_score", "success", "efficiency", "route_completion"} <= {one.name for one, _ in paired}
    for one, other in paired:
        assert one.difference == pytest.approx(-other.difference)
        assert (one.interval.low, one.interval.high) == pytest.approx((-other.interval.high, -other.interval.low))


def test_lines_can_be_chosen(bestrand, bench, bench_suite):
    options = ("--baseline", bench.results("Dan"), "--candidate", bench.results("Eve"), "--metric", "success")
    ran = bestrand("compare", bench_suite, *options, "--level", 0.9)
    assert ran.out.startswith("Eve against Dan, success")
    assert "(90 %:" in ran.out
    assert "driving_score" not in ran.out


def test_pairs_and_harmonic_means(bestrand, fail, fail_suite):
    """Dan has three seeds, Eve one: the noise of one side alone is not enough."""
    options = ("--baseline", fail.results("Ann"), "--candidate", fail.results("Dan"), "--json")
    told = bestrand("compare", fail_suite, *options).json["metrics"]
    assert told["base_driving_score"]["noise_source"] == "own repeats"
    assert told["base_driving_score"]["variance"]["items"] > 0
    assert told["base_harmonic_mean"]["interval"] is not None
    sides = ("--baseline", fail.results("Eve"), "--candidate", fail.results("Dan"))
    other = bestrand("compare", fail_suite, *sides, "--json")
    assert other.json["metrics"]["base_success"]["noise_source"] == "run noise not measured (baseline: one run)"


def test_missing_routes_leave_with_6_until_something_is_said(bestrand, bench, bench_suite, tmp_path):
    chosen = bd.read_suite(bench_suite).chosen
    rows = bench.records("Eve", LEVELS["Eve"])
    bench.put(tmp_path / "Eve", [row for row in rows if row["route_id"].split("_")[1] != chosen[3]])
    options = ("--baseline", bench.results("Dan"), "--candidate", tmp_path / "Eve")
    ran = bestrand("compare", bench_suite, *options)
    assert ran.code == 6
    assert "1 of 24 items lack a result" in ran.err
    assert f"missing: Eve 1, left out: {chosen[3]}" in words(ran)
    assert "worst for one and best for the other" in words(ran)
    for rule in ("exclude", "zero"):
        assert bestrand("compare", bench_suite, *options, "--missing", rule).code == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--baseline", "x"), "both --baseline and --candidate"),
        (("--many",), "--many A B C"),
        ((), "--many A B C"),
        (("--baseline", "absent", "--candidate", "gone"), "absent: there is no such file"),
        (("--baseline", "x", "--candidate", "x"), "given twice"),
    ],
)
def test_wrong_commands_are_explained(bestrand, bench_suite, options, said):
    ran = bestrand("compare", bench_suite, *options)
    assert ran.code == 2
    assert said in ran.err


@pytest.mark.parametrize(("option", "value"), [("--metric", "speed"), ("--level", 1.5)])
def test_wrong_values_are_explained(bestrand, bench, bench_suite, option, value):
    sides = ("--baseline", bench.results("Dan"), "--candidate", bench.results("Eve"))
    ran = bestrand("compare", bench_suite, *sides, option, value)
    assert ran.code == 2
    assert option in ran.err


def test_models_of_a_table(bestrand, toy_table, table_suite):
    options = ("--scores", toy_table.scores, "--baseline", "m0", "--candidate", "m7")
    ran = bestrand("compare", table_suite, *options)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("m7 against m0, score: better, +")
    assert "nothing was tuned on its items" in words(ran)
    told = bestrand("compare", table_suite, *options, "--json").json["metrics"]["score"]
    true = float(toy_table.values[:, 7].mean() - toy_table.values[:, 0].mean())
    assert told["interval"]["low"] < true < told["interval"]["high"]


def test_a_sweep_names_the_leader_and_what_to_do_next(bestrand, bench, bench_suite, tmp_path):
    paths = [bench.put(tmp_path / f"step{n}", bench.records("Dan", 0.5, run=n)) for n in range(4)]
    ran = bestrand("compare", bench_suite, "--many", *paths)
    assert ran.code == 0, ran.err
    assert "leads, not distinguishable from" in ran.out.splitlines()[0]
    command = next(line for line in ran.out.splitlines() if "disjoint suite: " in line).partition("suite: ")[2]
    assert shlex.split(command)[:3] == ["bestrand", "compress", "bench2drive"]
    assert "--disjoint-from" in command
    whole = bestrand("compare", bench_suite, "--many", *paths, "--json").json
    said = bestrand("compare", bench_suite, "--baseline", paths[0], "--candidate", paths[1], "--json").json["notes"]
    assert said
    assert set(said) <= set(whole["notes"])
    assert all(f"note: {note}" in words(ran) for note in whole["notes"])
    told = whole["metrics"]["driving_score"]
    assert told["leader"] == max(told["estimates"], key=told["estimates"].get)
    mean = float(np.mean(list(told["estimates"].values())))
    assert mean <= told["drawn_back"][told["leader"]] < told["estimates"][told["leader"]]
    assert len(told["pairs"]) == 6
    pair = bd.compare(bench_suite, paths[0], paths[1])["driving_score"]
    own = next(one for one in told["pairs"] if (one["first"], one["second"]) == ("step0", "step1"))
    assert own["difference"] == pytest.approx(pair.difference)
    assert own["together"]["low"] < pair.interval.low
    assert own["together"]["high"] > pair.interval.high


def test_the_command_of_the_disjoint_suite_is_that_of_the_suite(bench, bench_suite, tmp_path, bestrand):
    """Run as it is told, it makes a suite without a common route."""
    suite = tmp_path / "suite"
    made = ["compress", "bench2drive", "--routes", str(bench.routes), *map(str, bench.probes()), "--k", "24"]
    assert bestrand(*made, "--out", suite).code == 0
    provenance = json.loads((suite / "provenance.json").read_text())
    provenance["command"] = ["bin/bestrand", *made, "--force", "--out", str(suite)]
    (suite / "provenance.json").write_text(json.dumps(provenance))
    found = bd.compare_many(suite, [bench.results(name) for name in ("Dan", "Eve")])
    assert bestrand(*shlex.split(found.again)[1:]).code == 0
    again = bd.read_suite(tmp_path / "suite-again")
    assert not set(again.chosen) & set(bd.read_suite(suite).chosen)
    assert again.k == 24


def test_too_few_items_left_name_no_command(bench, tmp_path):
    suite = bd.compress("bench2drive", routes=bench.routes, k=40, out=tmp_path / "suite")
    assert suite.k == 40
    assert bd.compare_many(tmp_path / "suite", [bench.results(name) for name in ("Dan", "Eve")]).again == ""


def test_the_same_results_twice_are_noticed(bestrand, bench, bench_suite, tmp_path):
    copy = bench.put(tmp_path / "Copy", bench.records("Dan", LEVELS["Dan"]))
    ran = bestrand("compare", bench_suite, "--baseline", bench.results("Dan"), "--candidate", copy)
    assert "not distinguishable" in ran.out.splitlines()[0]
    assert "Dan and Copy have exactly the same scores" in words(ran)
    told = bestrand("compare", bench_suite, "--baseline", bench.results("Dan"), "--candidate", copy, "--json").json
    line = told["metrics"]["success"]
    assert line["interval"]["low"] < -5 < 5 < line["interval"]["high"]


def test_folders_of_one_name_are_told_apart(bestrand, bench, bench_suite, tmp_path):
    paths = [bench.put(tmp_path / run / "results", bench.records("Dan", 0.5, run=n)) for n, run in enumerate("ab")]
    ran = bestrand("compare", bench_suite, "--baseline", paths[0], "--candidate", paths[1])
    assert ran.out.startswith("b/results against a/results, driving_score")
    assert bestrand("compare", bench_suite, "--many", *paths).code == 0


def test_less_can_be_better(bestrand, tmp_path):
    rng = np.random.default_rng(0)
    ids = [f"q{number}" for number in range(50)]
    slow = rng.normal(10, 1, 50)
    columns = {"p": slow + 2 + rng.normal(0, 0.3, 50), "fast": slow - 1, "slow": slow + 1 + rng.normal(0, 0.1, 50)}
    table = write_wide(tmp_path / "t.csv", ids, columns)
    suite = tmp_path / "suite"
    made = ("compress", "scores", "--scores", table, "--probe", "p", "--k", 15, "--lower-is-better", "score")
    assert bestrand(*made, "--out", suite).code == 0
    ran = bestrand("compare", suite, "--scores", table, "--baseline", "slow", "--candidate", "fast")
    assert ran.out.startswith("fast against slow, score: better, -")
    many = bestrand("compare", suite, "--scores", table, "--many", "slow", "fast", "--json")
    assert many.json["metrics"]["score"]["leader"] == "fast"
