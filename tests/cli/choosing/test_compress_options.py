"""The options of compress: sizes, exclusions, pools, weights, families, guards, probe data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bestrand_drive.benchmarks.bench2drive import load
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.choosing.compress import compress_evidence
from bestrand_drive.workflows.choosing.request import CompressRequest
from bestrand_drive.workflows.estimating.estimate import estimate_target
from bestrand_drive.workflows.estimating.targets import read_target
from bestrand_drive.workflows.evidence.driving import ResultSource, driving_evidence
from bestrand_drive.workflows.evidence.evidence import Evidence
from bestrand_drive.workflows.evidence.tabular import TableSource, table_evidence
from tests.workflows.toys import LEVELS, PROBES, drop_columns, read_json, write_wide

Compress = Callable[..., dict[str, Any]]


@pytest.fixture
def compress(bestrand, bench, tmp_path) -> Compress:
    """Compress the toy Bench2Drive into a fresh folder and return the suite's JSON."""
    made: list[Path] = []

    def call(*arguments: object, probes: tuple[str, ...] = ("Ann", "Bob", "Cid")) -> dict[str, Any]:
        made.append(tmp_path / f"suite{len(made)}")
        common = ("--routes", bench.routes, *bench.probes(probes), "--out", made[-1])
        ran = bestrand("compress", "bench2drive", *common, *arguments)
        assert ran.code == 0, ran.err
        return read_json(made[-1] / "suite.json")

    return call


@pytest.fixture(scope="module")
def evidence(bench) -> Evidence:
    """What compress makes of the toy Bench2Drive and its probes."""
    return driving_evidence(load(bench.routes), [ResultSource(name, bench.results(name)) for name in PROBES])


@pytest.mark.parametrize(("keep", "k"), [(0.375, 23), (0.3749, 22), (1, 60)])
def test_keep_rounds_half_up(compress, keep, k):
    """0.375 of 60 is 22.5, which banker's rounding would make 22 (all rates: compression/test_pool.py)."""
    suite = compress("--keep", keep)
    assert suite["k"] == len(suite["chosen"]) == k


def test_keep_gives_at_least_one(compress):
    assert compress("--keep", 0.001, "--no-ability-guard")["k"] == 1


@pytest.mark.parametrize("hours", [1.0, 2.5, 5.0])
def test_hours_are_never_exceeded_by_the_predicted_ones(evidence, hours):
    for seed in range(3):
        suite = compress_evidence(evidence, CompressRequest(hours=hours, seed=seed))
        cost = {item.id: item.cost_s for item in suite.items}
        used = sum(cost[item] for item in suite.chosen) / 3600
        assert used <= hours, seed
        assert used > 0.5 * hours, "a suite far below the budget wastes it"
        assert suite.k < 60


def test_hours_beyond_the_benchmark_take_all(compress):
    assert compress("--hours", 1000)["k"] == 60


def test_hours_never_ask_for_items_that_cannot_be_chosen(bestrand, toy_table, tmp_path):
    """A budget beyond the benchmark takes what is there; items without a probe score are not."""
    items = drop_columns(toy_table.items, tmp_path / "items.csv", "group", "stratum")
    cells = {name: ["", "", *map(float, toy_table.values[2:, number])] for number, name in enumerate("ab")}
    scores = write_wide(tmp_path / "s.csv", toy_table.ids, cells)
    common = ("--scores", scores, "--items", items, "--hours", 1000, "--exclude", toy_table.ids[9])
    ran = bestrand("compress", "scores", *common, "--out", tmp_path / "suite")
    assert ran.code == 0, ran.err
    assert read_json(tmp_path / "suite" / "suite.json")["k"] == 77


def test_hours_for_tables_use_the_cost_column(bestrand, toy_table, tmp_path):
    items = drop_columns(toy_table.items, tmp_path / "items.csv", "group")
    out = tmp_path / "suite"
    common = ("--scores", toy_table.scores, "--items", items, "--n-probes", 3, "--out", out)
    assert bestrand("compress", "scores", *common, "--hours", 0.08).code == 0
    hours = read_suite(out).predicted_hours()
    assert hours is not None
    assert 0 < hours[0] <= 0.08


def test_excluded_routes_are_not_chosen_and_listed(compress, bench):
    never = (bench.ids[0], bench.ids[7], bench.ids[12])
    suite = compress("--k", 57, "--exclude", ", ".join(never) + ",")
    assert set(suite["chosen"]) == set(bench.ids) - set(never)
    assert suite["choice"]["excluded"] == dict.fromkeys(never, "excluded by the user")
    assert suite["n"] == 60, "excluded routes stay in the benchmark that is estimated"


def test_an_unknown_id_to_exclude_is_named(bestrand, bench, tmp_path):
    common = ("--routes", bench.routes, *bench.probes(), "--k", 12, "--out", tmp_path / "suite")
    ran = bestrand("compress", "bench2drive", *common, "--exclude", "31337")
    assert ran.code == 2
    assert "--exclude 31337: no such item" in ran.err


def test_a_member_of_a_pair_excludes_the_pair(bestrand, fail, tmp_path):
    out = tmp_path / "suite"
    base, generalization = fail.stems(fail.pairs[2])[0], fail.stems(fail.pairs[9])[1]
    common = ("--routes", fail.routes, *fail.probes(), "--k", 22, "--out", out)
    ran = bestrand("compress", "fail2drive", *common, "--exclude", f"{base},{generalization}")
    assert ran.code == 0, ran.err
    assert set(read_json(out / "suite.json")["chosen"]) == set(fail.pairs) - {fail.pairs[2], fail.pairs[9]}


@pytest.mark.parametrize("selector", ["balanced", "bestrand", "random"])
def test_disjoint_suites_share_nothing(bestrand, compress, bench, bench_suite, selector, tmp_path):
    first = read_json(bench_suite / "suite.json")["chosen"]
    second = compress("--k", 16, "--disjoint-from", bench_suite, "--selector", selector)["chosen"]
    assert not set(first) & set(second)
    third = compress("--k", 20, "--disjoint-from", bench_suite, "--disjoint-from", tmp_path / "suite0")
    assert set(third["chosen"]) == set(bench.ids) - set(first) - set(second)
    assert set(third["choice"]["excluded"]) == {*first, *second}


def test_a_suite_of_another_table_cannot_be_avoided(bestrand, toy_table, bench_suite, table_suite, tmp_path):
    """Its ids may be the same words for other items."""
    other = write_wide(tmp_path / "other.csv", toy_table.ids, {"m": toy_table.values[:, 0]})
    for scores, suite, code in (
        (other, table_suite, 2),
        (toy_table.scores, bench_suite, 2),
        (toy_table.scores, table_suite, 0),
    ):
        common = ("compress", "scores", "--scores", scores, "--k", 9, "--out", tmp_path / "suite")
        ran = bestrand(*common, "--disjoint-from", suite)
        assert ran.code == code, ran.err
        assert code == 0 or "--disjoint-from" in ran.err
    suite = read_json(tmp_path / "suite" / "suite.json")
    avoided = set(read_json(table_suite / "suite.json")["chosen"])
    assert not avoided & set(suite["chosen"])
    assert set(suite["choice"]["excluded"].values()) == {"chosen in table"}


@pytest.mark.parametrize("selector", ["balanced", "bestrand", "random"])
def test_a_pool_factor_limits_what_the_probes_tell(bestrand, compress, bench, bench_suite, selector, tmp_path):
    suite = compress("--k", 10, "--pool-factor", 3, "--selector", selector)
    inside = {item["id"] for item in suite["items"] if item["in_pool"]}
    assert len(inside) == 30
    assert set(suite["chosen"]) <= inside
    assert suite["choice"]["settings"]["pool"] == 30
    ran = bestrand("estimate", tmp_path / "suite0", "--results", bench.results("Dan"), "--json")
    assert ran.code == 0, ran.err
    assert ran.json["metrics"]["driving_score"]["estimator"] == "blup"
    assert "pool: 30 of 60 routes have probe scores" in bestrand("inspect", tmp_path / "suite0").out
    assert all(item["in_pool"] for item in read_json(bench_suite / "suite.json")["items"])


def test_bestrand_takes_a_pool_of_four_times_the_suite(compress):
    suite = compress("--k", 10, "--selector", "bestrand")
    assert sum(item["in_pool"] for item in suite["items"]) == 40
    assert suite["choice"]["settings"]["judged"] == 128
    assert sum(item["in_pool"] for item in compress("--k", 20, "--selector", "bestrand")["items"]) == 60


def test_probe_scores_outside_the_pool_are_not_used(bestrand, bench, compress, tmp_path):
    """A probe that was not driven outside the pool gives the same difficulties inside it."""
    suite = compress("--k", 10, "--pool-factor", 3, probes=("Ann",))
    outside = {item["id"] for item in suite["items"] if not item["in_pool"]}
    records = bench.records("Ann", LEVELS["Ann"])
    for record in records:
        if record["route_id"].split("_")[1] in outside:
            record["scores"] = {"score_route": 1.0, "score_penalty": 1.0, "score_composed": 1.0}
            record["status"] = "Failed - Agent got blocked"
            record["infractions"] = {kind: [] for kind in record["infractions"]}
    folder = bench.put(tmp_path / "Ann", records)
    common = ("--routes", bench.routes, "--probe", f"Ann={folder}", "--k", 10, "--pool-factor", 3)
    assert bestrand("compress", "bench2drive", *common, "--out", tmp_path / "again").code == 0
    again = read_json(tmp_path / "again" / "suite.json")
    assert again["chosen"] == suite["chosen"]
    assert again["metrics"] == suite["metrics"]


@pytest.mark.parametrize("strata", [True, False], ids=["strata", "no strata"])
def test_the_interval_includes_the_pool_s_own_error(toy_table, tmp_path, strata):
    """Over seeds the interval with a partial pool is no narrower than with all probe scores."""
    items = drop_columns(toy_table.items, tmp_path / "items.csv", "group", "cost_s") if strata else None
    evidence = table_evidence(TableSource(toy_table.scores, items=items, probes=("m0", "m2", "m3", "m6")))
    widths = np.zeros((10, 2))
    for seed in range(10):
        for column, factor in enumerate((None, 2.0)):
            suite = compress_evidence(evidence, CompressRequest(k=12, seed=seed, pool_factor=factor))
            run = estimate_target(suite, read_target(suite, toy_table.scores, name="m4"))["score"].estimate.run
            if run is not None:
                widths[seed, column] = run.high - run.low
    known = widths[(widths > 0).all(axis=1)]
    assert len(known) >= 5
    assert known[:, 1].mean() >= known[:, 0].mean()


def test_metrics_to_choose_by_can_be_weighted(compress):
    everything = compress("--k", 10)
    only = compress("--k", 10, "--metric", "success")
    zero = compress("--k", 10, "--metric", "success", "--metric", "driving_score=0")
    heavy = compress("--k", 10, "--metric", "success=1", "--metric", "driving_score=1e6")
    score = compress("--k", 10, "--metric", "driving_score")
    assert only["chosen"] == zero["chosen"]
    assert heavy["chosen"] == score["chosen"]
    assert len({tuple(suite["chosen"]) for suite in (everything, only, score)}) == 3
    assert heavy["choice"]["settings"]["metric_weights"] == "success=1 driving_score=1e+06"
    names = [metric["name"] for metric in only["metrics"]]
    assert names == [metric["name"] for metric in everything["metrics"]], "all metrics are estimated all the same"


def test_a_metric_of_a_long_table_can_be_named(bestrand, tmp_path):
    rows = ["item_id,model,metric,value"]
    rng = np.random.default_rng(2)
    for item in range(30):
        for model in "abc":
            rows += [f"q{item},{model},{metric},{rng.random():.3f}" for metric in ("speed", "accuracy")]
    (tmp_path / "long.csv").write_text("\n".join(rows))
    common = ("compress", "scores", "--scores", tmp_path / "long.csv", "--k", 8)
    assert bestrand(*common, "--metric", "accuracy", "--out", tmp_path / "one").code == 0
    assert [metric["name"] for metric in read_json(tmp_path / "one" / "suite.json")["metrics"]] == ["accuracy"]
    assert bestrand(*common, "--out", tmp_path / "all").code == 0
    names = [metric["name"] for metric in read_json(tmp_path / "all" / "suite.json")["metrics"]]
    assert names == ["speed", "accuracy"]


def test_members_of_a_family_are_averaged(bestrand, toy_table, tmp_path):
    """Two relatives weigh as much as one policy with their mean scores."""
    mean = toy_table.values[:, [1, 2]].mean(axis=1)
    three = {"a": toy_table.values[:, 1], "b": toy_table.values[:, 2], "c": toy_table.values[:, 6]}
    write_wide(tmp_path / "three.csv", toy_table.ids, three)
    write_wide(tmp_path / "two.csv", toy_table.ids, {"ab": mean, "c": toy_table.values[:, 6]})
    common = ("compress", "scores", "--k", 12, "--out")
    family = ("--family", "F=a,b")
    assert bestrand(*common, tmp_path / "x", "--scores", tmp_path / "three.csv", *family).code == 0
    assert bestrand(*common, tmp_path / "y", "--scores", tmp_path / "two.csv").code == 0
    assert bestrand(*common, tmp_path / "z", "--scores", tmp_path / "three.csv").code == 0
    x, y, z = (read_json(tmp_path / name / "suite.json") for name in "xyz")
    assert x["chosen"] == y["chosen"]
    for left, right in zip(*(suite["metrics"][0]["regression"].values() for suite in (x, y)), strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-6)
    columns = [len(suite["metrics"][0]["regression"]["scores"][0]) for suite in (x, y, z)]
    assert columns == [2, 2, 3]
    assert [probe["family"] for probe in x["probes"]] == ["F", "F", None]


def test_a_target_of_a_probe_s_family_is_warned_of(bestrand, bench, compress, tmp_path):
    compress("--k", 12, "--family", "Tree=Bob,Dan")
    common = ("estimate", tmp_path / "suite0", "--json", "--results")
    kin = bestrand(*common, bench.results("Dan")).json["warnings"]
    assert len(kin) == 1
    assert "Bob of the same family" in kin[0]
    assert bestrand(*common, bench.results("Eve")).json["warnings"] == []
    named = bestrand(*common, bench.results("Eve"), "--family", "Tree").json["warnings"]
    assert len(named) == 1
    assert "Bob" in named[0]


def test_a_target_with_a_probe_s_name_but_other_scores_is_warned_of(bestrand, bench, bench_suite):
    ran = bestrand("estimate", bench_suite, "--results", bench.results("Dan"), "--policy", "Bob", "--json")
    assert any("named Bob too" in warning for warning in ran.json["warnings"])


PER_ITEM = {"id", "stratum", "members", "weight", "in_pool"}


@pytest.mark.parametrize("benchmark", ["bench2drive", "scores", "scores with strata"])
def test_without_probe_data_no_figure_of_an_item_is_kept(bestrand, bench, toy_table, tmp_path, benchmark):
    out = tmp_path / "suite"
    items = drop_columns(toy_table.items, tmp_path / "items.csv", "group", "cost_s")
    source = {
        "bench2drive": ("bench2drive", "--routes", bench.routes, *bench.probes()),
        "scores": ("scores", "--scores", toy_table.scores, "--probe", "m1", "--probe", "m5"),
        "scores with strata": ("scores", "--scores", toy_table.scores, "--items", items, "--probe", "m1"),
    }[benchmark]
    ran = bestrand("compress", *source, "--k", 24, "--out", out, "--no-probe-data")
    assert ran.code == 0, ran.err
    suite = read_json(out / "suite.json")
    for metric in suite["metrics"]:
        assert [metric[key] for key in ("model", "within", "between", "regression")] == [None] * 4
    said = {key for item in suite["items"] for key, value in item.items() if value is not None}
    assert said <= PER_ITEM, "a duration is a figure of the probes too"
    assert all(item["cost_s"] is None for item in suite["items"])
    if benchmark == "bench2drive":  # totals of a probe are no figures of an item
        hours = read_suite(out).predicted_hours()
        assert hours is not None
        assert 0 < hours[0] < hours[1]
    assert not [key for metric in suite["metrics"] for key, value in metric.items() if isinstance(value, list)]
    target = ("--results", toy_table.scores, "--policy", "m4") if "scores" in benchmark else ()
    target = target or ("--results", bench.results("Dan"))
    ran = bestrand("estimate", out, *target, "--json")
    assert ran.code == 0, ran.err
    assert {line["estimator"] for line in ran.json["metrics"].values() if line["estimate"] is not None} == {
        "stratified mean"
    }


def test_the_choice_is_the_same_without_probe_data(compress):
    assert compress("--k", 24, "--no-probe-data")["chosen"] == compress("--k", 24)["chosen"]


def without_a_route(suite: Suite) -> list[str]:
    """Abilities that no chosen route tests."""
    assert len(suite.domains) == 5
    return [domain.name for domain in suite.domains if not set(domain.items) & set(suite.chosen)]


@pytest.mark.parametrize("selector", ["balanced", "bestrand", "random"])
def test_every_ability_keeps_a_route(evidence, selector):
    for seed in range(20):
        suite = compress_evidence(evidence, CompressRequest(k=10, seed=seed, selector=selector))
        assert without_a_route(suite) == [], seed


def test_without_the_guard_abilities_can_go_without(evidence):
    lost = []
    for seed in range(10):
        suite = compress_evidence(evidence, CompressRequest(k=4, seed=seed, guard=False))
        assert suite.choice.settings["guard"] is False
        assert suite.choice.settings.get("rejected", 0) == 0
        lost += without_a_route(suite)
    assert lost


def test_rejections_by_the_guard_are_recorded(evidence):
    suites = [compress_evidence(evidence, CompressRequest(k=5, seed=seed, selector="random")) for seed in range(9)]
    assert max(suite.choice.settings["rejected"] for suite in suites) > 0


def test_seeds_differ_and_selectors_differ(evidence):
    asked = [CompressRequest(k=12, seed=seed) for seed in range(4)]
    asked += [CompressRequest(k=12, selector=name) for name in ("bestrand", "random")]
    assert len({tuple(compress_evidence(evidence, one).chosen) for one in asked}) == 6


def test_licences_and_sources_of_probes_are_kept(compress, bench):
    suite = compress("--k", 12, "--licence", "Ann=MIT", "--licence", "Bob=CC BY 4.0")
    assert [probe["licence"] for probe in suite["probes"]] == ["MIT", "CC BY 4.0", "not stated"]
    assert [probe["source"] for probe in suite["probes"]] == ["Ann", "Bob", "Cid"], "names, not paths of a machine"


@pytest.mark.parametrize(("given", "name"), [("policy-v1.2", "policy-v1.2"), ("ORION.json", "ORION")])
def test_a_probe_without_a_name_takes_its_path_s(bestrand, bench, tmp_path, given, name):
    """A folder's name is taken whole; a file loses its suffix."""
    records = bench.records("Zoe", 0.4)
    if given.endswith(".json"):
        from tests.conftest import Builders

        Builders.write(tmp_path / given, records)
    else:
        bench.put(tmp_path / given, records)
    out = tmp_path / "suite"
    common = ("--routes", bench.routes, "--probe", tmp_path / given, *bench.probes(), "--k", 12, "--out", out)
    ran = bestrand("compress", "bench2drive", *common)
    assert ran.code == 0, ran.err
    assert read_json(out / "suite.json")["probes"][0]["name"] == name
    assert bestrand("estimate", out, "--results", tmp_path / given, "--json").json["policy"] == name
