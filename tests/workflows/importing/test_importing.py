"""From logs to an estimate by the commands a user gives, and the table between them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bestrand_drive as bd
from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.readers.parquet import item_facts
from bestrand_drive.workflows.living.refresh_evidence import RefreshSource, refresh_evidence
from tests.readers.logs import lm_eval_row, put_lm_eval, put_pool, right_wrong

STRICT = ("--task", "gsm8k", "--metric", "exact_match", "--filter", "strict-match")


@pytest.fixture(scope="module")
def suite(bestrand, tmp_path_factory):
    """Six models imported, five guide the choice of a quarter."""
    folder = tmp_path_factory.mktemp("lm")
    put_pool(folder / "out")
    table, out = folder / "gsm8k.parquet", folder / "suite"
    ran = bestrand("import", "lm-eval", folder / "out", *STRICT, "--out", table)
    assert ran.code == 0, ran.err
    assert "40 items of gsm8k x 6 models, exact_match (strict-match), 240 scores" in ran.out
    ran = bestrand("compress", "scores", "--scores", table, "--n-probes", 5, "--keep", 0.25, "--out", out)
    assert ran.code == 0, ran.err
    return out


def target(folder, ids, *, renumbered=False, content=""):
    """Logs of a new model on some items only, where the harness may count from zero."""
    marks = right_wrong(11, range(40))
    rows = [
        lm_eval_row(
            place if renumbered else doc, {"exact_match": marks[doc], "acc": 0.0}, "strict-match", f"doc {doc}{content}"
        )
        for place, doc in enumerate(ids)
    ]
    return put_lm_eval(folder, "new", rows)


def test_the_subset_alone_is_estimated_by_the_same_reader(bestrand, suite, tmp_path):
    chosen = [int(name) for name in bd.read_suite(suite).chosen]
    ran = bestrand("estimate", suite, "--results", target(tmp_path / "a", chosen).parent, "--json")
    assert ran.code == 0, ran.err
    line = ran.json["metrics"]["exact_match"]
    assert line["run"]["low"] <= line["estimate"] <= line["run"]["high"]
    again = bestrand("estimate", suite, "--results", target(tmp_path / "b", chosen, renumbered=True).parent, "--json")
    assert again.json["metrics"] == ran.json["metrics"], "positions that the harness numbered anew are not ids"
    file = next((tmp_path / "a").rglob("*.jsonl"))
    assert bestrand("estimate", suite, "--results", file, "--json").json["metrics"] == ran.json["metrics"]


def test_all_items_give_the_known_full_score(bestrand, suite, tmp_path):
    ran = bestrand("estimate", suite, "--results", target(tmp_path, range(40)), "--json")
    assert ran.json["metrics"]["exact_match"]["full"] == pytest.approx(np.mean(right_wrong(11, range(40))))


def imported(folder, logs, **choice):
    """The table of a new model's logs."""
    told = {"task": "gsm8k", "metric": "exact_match", "rule": "strict-match"} | choice
    bd.import_logs("lm-eval", logs, **told, out=folder / "new.parquet", force=True)
    return folder / "new.parquet"


def test_a_table_imported_from_the_logs_is_joined_as_they_are(suite, tmp_path):
    """Its ids are the harness' positions, which are other questions in another run."""
    chosen = [int(name) for name in bd.read_suite(suite).chosen]
    logs = target(tmp_path / "a", chosen, renumbered=True)
    table = imported(tmp_path, logs)
    assert bd.estimate(suite, table)["exact_match"] == bd.estimate(suite, logs)["exact_match"]
    reworded = imported(tmp_path, target(tmp_path / "b", range(40), content=", reworded"))
    with pytest.raises(DataRefused, match=r"is not the same in the suite's benchmark and in .*new"):
        bd.estimate(suite, reworded)


def test_targets_of_a_refresh_are_joined_likewise(suite, tmp_path):
    chosen = [int(name) for name in bd.read_suite(suite).chosen]
    table = imported(tmp_path, target(tmp_path / "a", chosen, renumbered=True))
    found = refresh_evidence(bd.read_suite(suite), RefreshSource(scores=table)).targets
    marks = dict(zip(found.items, found.masked(0)[:, 0], strict=True))
    assert {name: marks[name] for name in map(str, chosen)} == {str(n): right_wrong(11, range(40))[n] for n in chosen}


def test_a_table_imported_by_another_rule_is_refused(suite, tmp_path):
    rows = [lm_eval_row(n, {"exact_match": 1.0}, "strict-match") for n in range(40)]
    put_lm_eval(tmp_path / "a", "new", rows, task="other")
    with pytest.raises(UsageError, match=r"as the suite's table was \(gsm8k, .*there are: other exact_match"):
        bd.estimate(suite, imported(tmp_path, tmp_path / "a", task="other"))
    put_lm_eval(tmp_path / "b", "new", rows)
    with pytest.raises(DataRefused, match="imported with bounds of exact_match '0:2', the suite's table with '0:1'"):
        bd.estimate(suite, imported(tmp_path, tmp_path / "b", bounds={"exact_match": (0, 2)}))
    put_lm_eval(tmp_path / "c", "new", [lm_eval_row(n, {"exact_match": 1.0}, "flexible-extract") for n in range(40)])
    with pytest.raises(DataRefused, match="imported with filter 'flexible-extract', the suite's table with 'strict-m"):
        bd.estimate(suite, imported(tmp_path, tmp_path / "c", rule="flexible-extract"))


def test_data_that_drifted_are_refused(bestrand, suite, tmp_path):
    chosen = [int(name) for name in bd.read_suite(suite).chosen]
    ran = bestrand("estimate", suite, "--results", target(tmp_path, chosen, content=", reworded"))
    assert ran.code == 4
    assert "is not the same in the suite's benchmark and in" in ran.err


def test_another_filter_than_the_suites_is_refused(bestrand, suite, tmp_path):
    put_lm_eval(tmp_path, "new", [lm_eval_row(n, {"exact_match": 1.0}, "flexible-extract") for n in range(40)])
    ran = bestrand("estimate", suite, "--results", tmp_path)
    assert ran.code == 2
    assert "--filter strict-match: not in these logs; they have flexible-extract" in ran.err


def test_a_table_still_does_for_an_imported_suite(bestrand, suite, tmp_path):
    marks = right_wrong(11, range(40))
    pd.DataFrame({"item_id": range(40), "new": marks}).to_csv(tmp_path / "new.csv", index=False)
    ran = bestrand("estimate", suite, "--results", tmp_path / "new.csv", "--json")
    assert ran.json["metrics"]["exact_match"]["full"] == pytest.approx(np.mean(marks))
    other = target(tmp_path, range(40))
    assert bestrand("import", "lm-eval", f"new={other}", *STRICT, "--out", tmp_path / "new.parquet").code == 0
    again = bestrand("estimate", suite, "--results", tmp_path / "new.parquet", "--json")
    assert again.json["metrics"] == ran.json["metrics"]


@pytest.mark.parametrize(
    ("paths", "said"),
    [(["A="], "write PATH or NAME=PATH"), (["=t.csv"], "write PATH or NAME"), (["A=t.csv", "t.csv"], "of its own")],
)
def test_paths_that_name_no_file_or_not_all_models(bestrand, tmp_path, monkeypatch, paths, said):
    """An empty path would be the folder that one happens to stand in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("item_id,m\na,1\n")
    ran = bestrand("import", "plain", *paths, "--out", "t.parquet")
    assert (ran.code, list(tmp_path.iterdir())) == (2, [tmp_path / "t.csv"])
    assert said in ran.err


def test_suites_of_plain_tables_keep_their_bytes(table_suite):
    told = json.loads((table_suite / "suite.json").read_text())
    assert not {"imported", "contents"} & set(told)


def test_the_same_logs_give_the_same_bytes(tmp_path):
    put_pool(tmp_path / "out")
    choice = {"task": "gsm8k", "metric": "acc", "rule": "strict-match"}
    for name in ("a", "b"):
        bd.import_logs("lm-eval", tmp_path / "out", **choice, out=tmp_path / f"{name}.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def macro_table(folder, models=6):
    """Two categories of very different size and difficulty."""
    rows = []
    for item in range(60):
        kind = "small" if item < 12 else "large"
        for model in range(models):
            mark = float((5 * item + 3 * model + item * item) % 11 > (7 if kind == "small" else 2) + model % 3)
            rows.append((f"q{item}", f"m{model}", mark, kind, 2.0 + item % 5))
    path = folder / "long.csv"
    pd.DataFrame(rows, columns=["item_id", "model", "value", "category", "cost_s"]).to_csv(path, index=False)
    return path


def test_a_macro_average_is_what_the_suite_estimates(bestrand, tmp_path):
    frame = pd.read_csv(macro_table(tmp_path))
    table = tmp_path / "macro.parquet"
    source = tmp_path / "long.csv"
    ran = bestrand("import", "plain", source, "--macro", "category", "--out", table)
    assert "2 categories count alike" in ran.out
    facts = item_facts(table)
    assert set(facts.strata.values()) == {"small", "large"}
    probes = [part for name in ("m0", "m1", "m2", "m3") for part in ("--probe", name)]
    suite = tmp_path / "suite"
    ran = bestrand("compress", "scores", "--scores", table, *probes, "--keep", 0.5, "--out", suite)
    assert ran.code == 0, ran.err
    kept = bd.read_suite(suite)
    assert kept.strata == {"large": 48, "small": 12}
    assert kept.items[0].cost_s == pytest.approx(2.0)
    official = frame[frame.model == "m5"].groupby("category")["value"].mean().mean()
    assert official != pytest.approx(frame[frame.model == "m5"]["value"].mean(), abs=0.1)
    probe = next(one for one in kept.probes if one.name == "m1")
    assert probe.full["score"] == pytest.approx(frame[frame.model == "m1"].groupby("category")["value"].mean().mean())
    frame[frame.model == "m5"].to_csv(tmp_path / "m5.csv", index=False)
    assert bestrand("import", "plain", tmp_path / "m5.csv", "--out", tmp_path / "m5.parquet").code == 0
    for results in ("m5.parquet", "m5.csv"):
        found = bd.estimate(suite, tmp_path / results)
        assert found["score"].full == pytest.approx(official)
        run = found["score"].estimate.run
        assert run.low <= official <= run.high


def test_several_metrics_and_seconds(bestrand, tmp_path):
    rows = [
        {
            "item_id": f"q{i}",
            "model": f"m{m}",
            "accuracy": float((i * (m + 2)) % 3 > 0),
            "latency": 0.1 + (i * m % 7) / 10,
        }
        for i in range(30)
        for m in range(4)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "two.csv", index=False)
    options = (
        "--metric",
        "accuracy",
        "--metric",
        "latency",
        "--lower-is-better",
        "latency",
        "--bounds",
        "latency=0:60",
    )
    ran = bestrand("import", "plain", tmp_path / "two.csv", *options, "--out", tmp_path / "two.parquet")
    assert ran.code == 0, ran.err
    suite = bd.compress("scores", scores=tmp_path / "two.parquet", probes=["m0", "m1", "m2"], k=10)
    latency = suite.metric("latency")
    assert (latency.low, latency.high, latency.higher_is_better) == (0.0, 1.0, False)
    pd.DataFrame([row for row in rows if row["model"] == "m3"]).to_csv(tmp_path / "m3.csv", index=False)
    found = bd.estimate(suite, tmp_path / "m3.csv")
    true = np.mean([row["latency"] for row in rows if row["model"] == "m3"]) / 60
    assert found["latency"].full == pytest.approx(true, rel=1e-5)


def test_wrong_calls(bestrand, tmp_path):
    put_pool(tmp_path / "out", models=1)
    (tmp_path / "folder.parquet").mkdir()
    cases = [
        (
            ("nothing", tmp_path, "--out", tmp_path / "x.parquet"),
            2,
            "No reader of 'nothing'; known are bfcl, helm, inspect, lm-eval",
        ),
        (("lm-eval", tmp_path, "--out", tmp_path / "x.csv"), 2, "ends in .parquet"),
        (("lm-eval", tmp_path / "absent", "--out", tmp_path / "x.parquet"), 4, "no such file"),
        (("plain", tmp_path / "out", "--out", tmp_path / "x.parquet"), 4, "no column item_id"),
        (("lm-eval", tmp_path, "--force", "--out", tmp_path / "folder.parquet"), 2, "is there already"),
        (("lm-eval", tmp_path, "--macro", "task", "--out", tmp_path / "x.parquet"), 2, "known is category"),
    ]
    for arguments, code, word in cases:
        ran = bestrand("import", *arguments)
        assert (ran.code, word in ran.err) == (code, True), ran.err
        assert not list(tmp_path.glob("x.*"))


def test_tasks_without_a_chosen_item_may_be_absent_from_a_run_on_the_subset(tmp_path):
    sizes = {"large": 40, "middle": 30, "tiny": 2, "least": 1}
    for task, items in sizes.items():
        for model in range(6):
            marks = right_wrong(model, range(items))
            rows = [lm_eval_row(n, {"acc": mark}, content=f"{task} {n}") for n, mark in enumerate(marks)]
            put_lm_eval(tmp_path / "out", f"m{model}", rows, task=task)
    table, suite, new = tmp_path / "all.parquet", tmp_path / "suite", tmp_path / "new"
    bd.import_logs("lm-eval", tmp_path / "out", task="*", out=table)
    bd.compress("scores", scores=table, n_probes=5, k=6, out=suite)
    chosen = json.loads(bd.export(suite).content)
    assert 1 < len(chosen) < 4, "the smallest tasks have no chosen item, so that no run is asked for them"
    for task, items in chosen.items():
        put_lm_eval(new, "new", [lm_eval_row(n, {"acc": 1.0}, content=f"{task} {n}") for n in items], task=task)
    found = bd.estimate(suite, new)
    assert (found.missing, found.measured_items) == ((), 6)
    assert not any("have no row" in line for line in found.notes), "that others are missing is what a subset is for"
    assert bd.check(suite, new).verdict == "same"
    task, items = next(iter(chosen.items()))
    next(new.rglob(f"samples_{task}_*")).unlink()
    assert bd.estimate(suite, new, missing="exclude").missing == tuple(f"{task}/{n}" for n in items)
    for file in new.rglob("*.jsonl"):
        file.unlink()
    put_lm_eval(new, "new", [lm_eval_row(0, {"acc": 1.0})], task="other")
    with pytest.raises(UsageError, match=r"\(large, .*there are: no scores of the tasks other"):
        bd.estimate(suite, new)


@pytest.mark.parametrize(("column", "value"), [("weight", "x"), ("weight", -1.0), ("weight", None), ("cost_s", "x")])
def test_an_imported_table_that_was_tampered_with_is_refused(tmp_path, column, value):
    table = tmp_path / "macro.parquet"
    bd.import_logs("plain", macro_table(tmp_path), macro="category", out=table)
    told = pq.read_table(table)
    odd = pa.array([value] * len(told))
    pq.write_table(told.set_column(told.column_names.index(column), column, odd), table)
    with pytest.raises(DataRefused, match=r"macro\.parquet: what it says of its items cannot be read"):
        item_facts(table, ["m0"])


def test_durations_are_read_of_the_models_that_are_asked_for(tmp_path):
    table = tmp_path / "macro.parquet"
    bd.import_logs("plain", macro_table(tmp_path), out=table)
    assert item_facts(table).costs.empty
    costs = item_facts(table, ["m2", "m1", "absent"]).costs
    assert (sorted(costs.columns), costs.loc["q7", "m1"], len(costs)) == (["m1", "m2"], 4.0, 60)


def test_a_group_beside_models_is_no_model(tmp_path):
    table = tmp_path / "wide.csv"
    table.write_text("item_id,group,cost_s,m\na,1,3,0.5\nb,2,4,0.75\n")
    with pytest.raises(DataRefused, match="'group' tells of the items and is no model"):
        bd.import_logs("plain", table)
    table.write_text("item_id,cost_s,m\na,3,0.5\nb,4,0.75\n")
    assert bd.import_logs("plain", table).models == ("m",)
