"""Suites that live on: what targets tell of the probes, few exchanges, and results that stay comparable."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bestrand_drive.errors import DataRefused
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.workflows.living.expectation import expectation
from tests.conftest import Ran
from tests.workflows.toys import Bench, write_wide

Bestrand = Callable[..., Ran]
ITEMS = 240


@pytest.fixture(scope="module")
def world(tmp_path_factory, bestrand) -> Path:
    """A table of 4 probes, a suite of 60 of its 240 items, and 6 new models, like the probes or of another world."""
    folder = tmp_path_factory.mktemp("world")
    rng = np.random.default_rng(2)
    hard, other = rng.normal(size=ITEMS), rng.normal(size=ITEMS)
    ids = [f"q{number:03d}" for number in range(ITEMS)]

    def models(names: str, difficulty: np.ndarray) -> dict[str, np.ndarray]:
        return {name: difficulty + rng.normal(size=ITEMS) for name in names}

    probes = models("ABCD", hard)
    write_wide(folder / "probes.csv", ids, probes)
    write_wide(folder / "items.csv", ids, {"stratum": [f"s{number % 6}" for number in range(ITEMS)]})
    for kind in ("plain", "strata"):
        options = ("--items", folder / "items.csv") if kind == "strata" else ()
        made = bestrand(
            "compress", "scores", "--scores", folder / "probes.csv", *options, "--k", 60, "--out", folder / kind
        )
        assert made.code == 0, made.err
        chosen = set(read_suite(folder / kind).chosen)
        for label, difficulty in (("like", hard), ("unlike", other)):
            new = models("uvwxyz", difficulty)
            hidden = {
                name: [value if item in chosen else "" for item, value in zip(ids, column, strict=True)]
                for name, column in new.items()
            }
            write_wide(folder / f"{kind}-{label}.csv", ids, {**probes, **hidden})
            write_wide(folder / f"{kind}-{label}-alone.csv", ids, hidden)
            write_wide(folder / f"{kind}-{label}-grown.csv", ids, {**probes, **models("NO", difficulty), **hidden})
    return folder


@pytest.mark.parametrize("kind", ["plain", "strata"])
def test_models_like_the_probes_raise_no_alarm_and_strangers_do(bestrand, world, kind):
    for label, stale in (("like", []), ("unlike", ["score"])):
        ran = bestrand("refresh", world / kind, "--scores", world / f"{kind}-{label}.csv", "--json")
        assert ran.code == 0, ran.err
        found = ran.json
        assert found["targets"] == list("uvwxyz")
        assert found["stale"] == stale
        assert found["metrics"]["score"]["rho"]["observed"] == pytest.approx(0.5, abs=0.2)
        share = found["metrics"]["score"]["r1_squared"]
        assert share["low"] <= share["observed"] <= share["high"]
        assert share["expected"] == pytest.approx(0.4, abs=0.12)  # p rho^2 / (1 + (p - 1) rho) at p = 4, rho = .5
        assert found["metrics"]["score"]["probes_targets"] == pytest.approx(0.5 if not stale else 0.0, abs=0.2)


@pytest.mark.parametrize("kind", ["plain", "strata"])
def test_the_suite_alone_is_enough_to_judge(bestrand, world, kind):
    """Targets without the probes' scores: the same judgement, no proposal."""
    both = bestrand("refresh", world / kind, "--scores", world / f"{kind}-like.csv", "--json").json
    alone = bestrand("refresh", world / kind, "--scores", world / f"{kind}-like-alone.csv", "--json").json
    assert alone["proposal"] is None
    for key in ("rho", "r1_squared", "rc_squared"):
        assert alone["metrics"]["score"][key] == both["metrics"]["score"][key]


def test_the_expectation_of_strata_is_that_of_the_model(world):
    suite = read_suite(world / "strata")
    metric = suite.metrics[0]
    expected = expectation(suite, metric)
    chosen = [suite.item_ids.index(item) for item in suite.chosen]
    d = np.column_stack([metric.within, metric.between])[chosen]
    assert np.corrcoef(expected.predictor, d @ np.array(metric.model.beta))[0, 1] == pytest.approx(1)
    assert 0 < expected.share < 1


@pytest.mark.parametrize("kind", ["plain", "strata"])
def test_new_probes_cost_few_exchanges(bestrand, world, kind, tmp_path):
    table = world / f"{kind}-unlike-grown.csv"
    options = ("--scores", table, "--probe", "N", "--probe", "O")
    found = bestrand("refresh", world / kind, *options, "--json").json["proposal"]
    assert found["reached"]
    assert found["imbalance"]["after"] <= found["imbalance"]["level"] < found["imbalance"]["now"]
    assert 0 < found["exchanges"] < 30
    assert found["kept"] + found["exchanges"] == 60
    ran = bestrand("refresh", world / kind, *options, "--apply", "--out", tmp_path / "new")
    assert ran.code == 0, ran.err
    old, new = read_suite(world / kind), read_suite(tmp_path / "new")
    assert set(new.chosen) == set(old.chosen) - set(found["removed"]) | set(found["added"])
    assert new.predecessor.digest == old.choice_digest()
    assert [probe.name for probe in new.probes] == [*"ABCD", "N", "O"]
    assert (tmp_path / "new" / "items.txt").read_text().split() == new.chosen
    if kind == "strata":
        counts = [sorted(suite.items[suite.item_ids.index(i)].stratum for i in suite.chosen) for suite in (old, new)]
        assert counts[0] == counts[1]
    assert f"predecessor {old.choice_digest()}" in bestrand("inspect", tmp_path / "new").out
    assert old.choice_digest() in bestrand("cite", tmp_path / "new").out


@pytest.mark.parametrize(
    "options", [(), ("--objective", "ranking"), ("--metric", "first one=2", "--metric", "b=0.5")], ids=["", "r", "m"]
)
def test_a_suite_is_judged_by_what_it_was_chosen_for(bestrand, tmp_path, options):
    """With the probes it was chosen by, its imbalance is the one that compress found, and its settings stay."""
    rng = np.random.default_rng(5)
    hard = {"first one": rng.normal(size=ITEMS), "b": rng.normal(size=ITEMS)}
    lines = ["item_id,model,metric,value"]
    for model in "ABCDu":
        for metric, column in hard.items():
            for number, value in enumerate(column + rng.normal(size=ITEMS)):
                if model != "u" or number < 0.8 * ITEMS:  # a target on all items would be one more probe
                    lines.append(f"q{number},{model},{metric},{value:.6f}")
    (tmp_path / "long.csv").write_text("\n".join(lines))
    probes = [part for name in "ABCD" for part in ("--probe", name)]
    made = ("compress", "scores", "--scores", tmp_path / "long.csv", *probes, "--k", 20, *options)
    assert bestrand(*made, "--out", tmp_path / "suite").code == 0
    known = read_suite(tmp_path / "suite").choice.settings
    again = ("refresh", tmp_path / "suite", "--scores", tmp_path / "long.csv", "--json")
    ran = bestrand(*again, "--apply", "--out", tmp_path / "new")
    assert ran.code == 0, ran.err
    assert ran.json["proposal"]["imbalance"]["now"] == pytest.approx(known["imbalance"], rel=1e-6)
    new = read_suite(tmp_path / "new").choice.settings
    for setting in ("objective", "metric_weights"):
        assert new.get(setting) == known.get(setting)


def test_results_on_the_old_suite_say_what_they_lack(bestrand, world, tmp_path):
    table = world / "strata-unlike-grown.csv"
    options = ("--scores", table, "--probe", "N", "--probe", "O", "--apply", "--out", tmp_path / "new")
    assert bestrand("refresh", world / "strata", *options).code == 0
    added = read_suite(tmp_path / "new").predecessor.added
    target = ("--results", table, "--policy", "u")
    ran = bestrand("estimate", tmp_path / "new", *target)
    assert ran.code == 6
    assert all(item in ran.out for item in added)
    common = bestrand("estimate", tmp_path / "new", *target, "--missing", "exclude", "--json")
    assert common.code == 0
    assert sorted(common.json["items"]["missing"]) == sorted(added)
    assert f"the {60 - len(added)} items that have one" in " ".join(common.json["warnings"])
    whole = bestrand("estimate", world / "strata", *target, "--json")
    assert not [line for line in whole.json["warnings"] if "refreshed" in line]


def test_a_suite_that_is_balanced_stays_as_it_is(bestrand, world, tmp_path):
    found = bestrand("refresh", world / "plain", "--scores", world / "plain-like.csv", "--json").json["proposal"]
    assert found["exchanges"] == 0
    options = ("--scores", world / "plain-like.csv", "--apply", "--out", tmp_path / "same")
    assert bestrand("refresh", world / "plain", *options).code == 0
    assert read_suite(tmp_path / "same").chosen == read_suite(world / "plain").chosen


def test_a_suite_for_ranking_stays_one(bestrand, world, tmp_path):
    """Its imbalance is that of the differences between probes, as when it was chosen, and the new suite says so."""
    table = world / "plain-like.csv"
    probes = [word for name in "ABCD" for word in ("--probe", name)]
    options = ("--scores", table, *probes, "--k", 60, "--objective", "ranking", "--out", tmp_path / "old")
    made = bestrand("compress", "scores", *options)
    assert made.code == 0, made.err
    old = read_suite(tmp_path / "old")
    ran = bestrand("refresh", tmp_path / "old", "--scores", table, "--apply", "--out", tmp_path / "new", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["proposal"]["imbalance"]["now"] == pytest.approx(old.choice.settings["imbalance"], rel=1e-6)
    assert read_suite(tmp_path / "new").choice.settings["objective"] == "ranking"


def test_a_target_of_all_items_joins_the_probes(bestrand, toy_table, table_suite):
    """The toy table has every model on every item."""
    found = bestrand("refresh", table_suite, "--scores", toy_table.scores, "--json").json
    assert found["joined"] == found["targets"] == ["m0", "m2", "m4", "m5", "m7"]


def on_suite(bench: Bench, suite: Path, folder: Path, name: str, level: float) -> Path:
    """Results of a new policy on the suite's routes only."""
    chosen = set(read_suite(suite).chosen)
    records = [one for one in bench.records(name, level) if one["route_id"].split("_")[1] in chosen]
    return bench.put(folder / name, records)


def test_driving_suites(bestrand, bench, bench_suite, tmp_path):
    new = {"Fay": 0.3, "Gus": 0.9, "Hal": -0.2}
    given = [
        part
        for name, level in new.items()
        for part in ("--results", f"{name}={on_suite(bench, bench_suite, tmp_path, name, level)}")
    ]
    ran = bestrand("refresh", bench_suite, *given)
    assert ran.code == 0, ran.err
    assert "driving_score" in ran.out
    assert "none proposed" in ran.out
    probes = (*bench.probes(), *bench.probes(("Eve",)))
    options = ("--routes", bench.routes, *probes, "--licence", "Eve=MIT", "--apply", "--out", tmp_path / "new")
    ran = bestrand("refresh", bench_suite, *given, *options, "--json")
    assert ran.code == 0, ran.err
    suite = read_suite(tmp_path / "new")
    assert {probe.name: probe.licence for probe in suite.probes}["Eve"] == "MIT"
    assert ran.json["joined"] == []
    assert all(set(domain.items) & set(suite.chosen) for domain in suite.domains)
    text = (tmp_path / "new" / "routes.xml").read_text()
    assert all(f'"{route}"' in text or f"'{route}'" in text for route in suite.chosen)
    estimated = bestrand("estimate", tmp_path / "new", "--results", bench.results("Dan"))
    assert estimated.code == 0, estimated.err
    shared = bestrand("share", tmp_path / "new", "--out", tmp_path / "s.json", "--routes", bench.routes)
    assert shared.code == 0, shared.err
    made = bestrand("materialize", tmp_path / "s.json", "--routes", bench.routes, "--out", tmp_path / "copy")
    assert made.code == 0, made.err
    assert read_suite(tmp_path / "copy").predecessor == suite.predecessor


def test_a_suite_without_probe_data_is_judged_by_the_probes_given_again(bestrand, bench, tmp_path):
    suite = tmp_path / "suite"
    options = ("--routes", bench.routes, *bench.probes(), "--k", 24, "--no-probe-data", "--out", suite)
    assert bestrand("compress", "bench2drive", *options).code == 0
    given = [
        part
        for name, level in {"Fay": 0.3, "Gus": 0.9, "Hal": -0.2}.items()
        for part in ("--results", f"{name}={on_suite(bench, suite, tmp_path, name, level)}")
    ]
    alone = bestrand("refresh", suite, *given, "--json").json
    assert not any(metric["judged"] for metric in alone["metrics"].values())
    again = bestrand(
        "refresh",
        suite,
        *given,
        "--routes",
        bench.routes,
        *bench.probes(),
        "--apply",
        "--out",
        tmp_path / "new",
        "--json",
    )
    assert again.json["metrics"]["driving_score"]["judged"]
    assert all(metric.within is None for metric in read_suite(tmp_path / "new").metrics), "none was kept before"


def test_pairs(bestrand, fail, fail_suite, tmp_path):
    given = [part for name in ("Dan", "Eve") for part in ("--results", f"{name}={fail.results(name)}")]
    ran = bestrand("refresh", fail_suite, *given, "--routes", fail.routes, *fail.probes(), "--json")
    assert ran.code == 0, ran.err
    assert "fewer than 3 targets" in ran.json["metrics"]["base_success"]["reason"]
    assert ran.json["joined"] == ["Dan", "Eve"]


@pytest.mark.parametrize(
    ("options", "code", "word"),
    [
        ((), 2, "evaluated targets"),
        (("--apply",), 2, "--out"),
        (("--scores", "{table}", "--routes", "{table}"), 2, "no --routes"),
        (("--scores", "{alone}", "--apply", "--out", "{out}"), 2, "nothing is proposed"),
        (("--scores", "{table}", "--level", "1.5"), 2, "--level"),
        (("--scores", "{absent}"), 4, "cannot be read"),
    ],
)
def test_wrong_options(bestrand, world, tmp_path, options, code, word):
    places = {
        "table": world / "plain-like.csv",
        "alone": world / "plain-like-alone.csv",
        "out": tmp_path / "out",
        "absent": tmp_path / "absent.csv",
    }
    ran = bestrand("refresh", world / "plain", *(text.format(**places) for text in options))
    assert ran.code == code, ran.out
    assert word in ran.err
    assert not (tmp_path / "out").exists()


def test_another_table_s_items_are_refused(bestrand, world, tmp_path):
    other = write_wide(tmp_path / "x.csv", ["z1", "z2"], {"u": [0, 1]})
    ran = bestrand("refresh", world / "plain", "--scores", other)
    assert (ran.code, "none of its items is in the suite's benchmark" in ran.err) == (4, True), ran.err


def test_a_forged_predecessor_is_refused(bestrand, world, tmp_path):
    table = world / "plain-unlike-grown.csv"
    options = ("--scores", table, "--probe", "N", "--probe", "O", "--apply", "--out", tmp_path / "new")
    assert bestrand("refresh", world / "plain", *options).code == 0
    suite = read_suite(tmp_path / "new")
    before = suite.predecessor.model_copy(update={"kept": suite.predecessor.kept[:-1]})
    forged = suite.model_copy(update={"predecessor": before}).sealed()
    (tmp_path / "new" / "suite.json").write_bytes(forged.to_json())
    with pytest.raises(DataRefused, match="predecessor"):
        read_suite(tmp_path / "new")


def test_suites_without_a_predecessor_have_no_such_field(world):
    assert "predecessor" not in json.loads((world / "plain" / "suite.json").read_text())
