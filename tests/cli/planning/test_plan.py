"""``bestrand plan`` as it is called: on a real matrix, on routes, on a suite, and wrongly."""

from __future__ import annotations

import json

import pytest


def strict(text: str):
    """Parse JSON in which no NaN may stand."""

    def refused(name: str) -> None:
        raise AssertionError(f"{name} in the output")

    return json.loads(text, parse_constant=refused)


def test_both_ways_on_a_real_matrix(bestrand, shared_data):
    matrix = shared_data / "matrices" / "helmlite_gsm8k.csv.gz"
    base = ("plan", "scores", "--scores", matrix, "--n-probes", 5, "--json")
    found = bestrand(*base, "--p95", 0.03)
    assert found.code == 0, found.err
    plan = strict(found.out)
    assert 1 < plan["k"] < 1000
    assert plan["metrics"]["score"]["p95"] <= 0.03
    assert len(plan["probes"]) == 5
    back = strict(bestrand(*base, "--k", plan["k"]).out)
    assert back["metrics"]["score"]["p95"] == plan["metrics"]["score"]["p95"]
    assert strict(bestrand(*base, "--k", plan["k"] - 1).out)["metrics"]["score"]["p95"] > 0.03
    assert strict(bestrand(*base, "--p95", 0.03, "--targets", 78).out)["k"] < plan["k"]
    assert plan["metrics"]["score"]["break_even"]["cached"] == 0


def test_routes_in_words(bestrand, bench):
    ran = bestrand("plan", "bench2drive", "--routes", bench.routes, *bench.probes(), "--p95", 12, "--metric", "success")
    assert ran.code == 0, ran.err
    assert "the policy" in ran.out
    assert "predicted hours a policy" in ran.out
    assert "over the probes" in ran.out
    assert "all rests on 3 probes" in ran.out
    assert "borrowed" in ran.out
    assert "break-even" in ran.out


def test_pairs(bestrand, fail):
    ran = bestrand("plan", "fail2drive", "--routes", fail.routes, *fail.probes(), "--keep", 0.5, "--json")
    assert ran.code == 0, ran.err
    assert strict(ran.out)["k"] == 12


def test_a_goal_below_the_noise_floor_leaves_with_5(bestrand, bench):
    common = ("plan", "bench2drive", "--routes", bench.routes, *bench.probes(), "--metric", "driving_score")
    ran = bestrand(*common, "--p95", 0.5)
    assert ran.code == 5
    assert "below the noise floor" in ran.out
    assert "none" in ran.out
    found = strict(bestrand(*common, "--p95", 0.5, "--json").out)
    assert found["k"] is None
    assert found["metrics"]["driving_score"]["p95"] is None
    assert bestrand(*common, "--p95", 0.5, "--claim", "run").code == 0


def test_a_suite_folder(bestrand, bench, bench_suite):
    ran = bestrand("plan", bench_suite)
    assert bestrand("plan", bench_suite / "suite.json").out == ran.out, "as every other command takes it"
    assert ran.code == 0, ran.err
    assert "24 of 60" in ran.out
    smaller = strict(bestrand("plan", bench_suite, "--detect", 40, "--metric", "success", "--json").out)
    assert smaller["metrics"]["success"]["detects"] <= 40
    again = bench.folder / "once-more"
    bench.put(again, bench.records("Dan", 0.9, run=2))
    repeats = ("--repeats", f"a={bench.results('Dan')}", "--repeats", f"b={again}")
    own = strict(bestrand("plan", bench_suite, *repeats, "--json").out)
    assert own["metrics"]["driving_score"]["noise"]["source"] == "own repeats: a, b"


def test_a_table_with_columns_that_are_runs(bestrand, toy_table):
    base = ("plan", "scores", "--scores", toy_table.scores, "--probe", "m1", "--probe", "m3", "--k", 20, "--json")
    plain = strict(bestrand(*base).out)["metrics"]["score"]
    assert (plain["claim"], plain["floor"]) == ("run", None)
    noisy = strict(bestrand(*base, "--repeats", "m5", "--repeats", "m6").out)["metrics"]["score"]
    assert noisy["claim"] == "policy"
    assert noisy["p95"] > plain["p95"]


@pytest.mark.parametrize(
    ("options", "code", "word"),
    [
        ((), 2, "exactly one"),
        (("--p95", 0.1, "--error", 0.1), 2, "exactly one"),
        (("--p95", 0.1, "--k", 3), 2, "exactly one"),
        (("--p95", "much"), 2, "VALUE or METRIC=VALUE"),
        (("--p95", "other=0.1"), 2, "--p95 other: not planned; planned are score"),
        (("--p95", 0.1, "--p95", "scrore=0.2"), 2, "--p95 scrore: not planned"),
        (("--hours", 3), 2, "durations"),
        (("--k", 3, "--estimator", "mean", "--selector", "sparseeval-mlp"), 2, "bestrand study"),
        (("--k", 300), 5, "300 items"),
        (("--k", 3, "--repeats", "m1", "--repeats", "m1"), 4, "--repeats"),
    ],
)
def test_mistakes(bestrand, toy_table, options, code, word):
    ran = bestrand("plan", "scores", "--scores", toy_table.scores, *options)
    assert ran.code == code
    assert word in ran.err


def test_families_without_a_picked_probe_are_no_mistake(bestrand, toy_table):
    """As for compress: families are told of the whole table, probes are picked from it."""
    common = ("plan", "scores", "--scores", toy_table.scores, "--k", 9, "--n-probes", 2, "--json")
    families = [word for pair in ("A=m0,m1", "B=m2,m3", "C=m4,m5", "D=m6,m7") for word in ("--family", pair)]
    ran = bestrand(*common, *families)
    assert ran.code == 0, ran.err
    assert strict(ran.out)["probes"] == strict(bestrand(*common).out)["probes"]
    assert bestrand(*common, "--family", "E=m99").code == 2


def test_what_is_neither_a_command_nor_a_suite(bestrand, tmp_path):
    ran = bestrand("plan", tmp_path / "absent")
    assert ran.code == 2
    assert "absent" in ran.err
