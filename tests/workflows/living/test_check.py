"""Whether a benchmark drifted: every way it can, told by the command, and nothing told when it did not."""

from __future__ import annotations

import pandas as pd
import pytest

import bestrand_drive as bd
from bestrand_drive.workflows.living.matching import matched
from tests.readers.logs import lm_eval_row, put_lm_eval, right_wrong

STRICT = {"task": "gsm8k", "metric": "acc"}
ITEMS = 30


def put_logs(folder, docs, models=5, marks=None):
    """Logs of some models on documents: (number, what it asks)."""
    for model in range(models):
        known = right_wrong(model, range(ITEMS + 9)) if marks is None else marks(model)
        rows = [lm_eval_row(doc, {"acc": known[doc]}, content=text) for doc, text in docs]
        put_lm_eval(folder, f"m{model}", rows, results={"acc,none": 0.5})
    return folder


def docs(count=ITEMS):
    return [(number, f"question {number}") for number in range(count)]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Logs, their table, and a suite by four of five models."""
    folder = tmp_path_factory.mktemp("drift")
    put_logs(folder / "logs", docs())
    bd.import_logs("lm-eval", folder / "logs", **STRICT, out=folder / "then.parquet")
    bd.compress("scores", scores=folder / "then.parquet", probes=["m0", "m1", "m2", "m3"], k=10, out=folder / "suite")
    return folder


def test_the_same_table_and_the_same_logs_did_not_drift(bestrand, home):
    for now in (home / "then.parquet", home / "logs"):
        ran = bestrand("check", home / "suite", "--scores", now, "--json")
        assert (ran.code, ran.json["verdict"], ran.json["findings"]) == (0, "same", []), ran.json
        assert ran.json["items"]["contents_compared"] == ITEMS
        assert [one["changed"] for one in ran.json["models"]] == [False] * 4
    assert "verdict: same" in bestrand("check", home / "suite", "--scores", home / "logs").out


def test_items_that_are_gone_new_or_reworded(bestrand, home, tmp_path):
    changed = [(n, f"question {n}" + (", reworded" if n == 4 else "")) for n in range(ITEMS - 2)] + [(40, "fresh")]
    marks = lambda model: right_wrong(model, range(50))  # noqa: E731  one word beside the calls that need none
    put_logs(tmp_path / "logs", changed, marks=marks)
    bd.import_logs("lm-eval", tmp_path / "logs", **STRICT, out=tmp_path / "now.parquet")
    for now in (tmp_path / "logs", tmp_path / "now.parquet"):
        ran = bestrand("check", home / "suite", "--scores", now, "--json")
        items = ran.json["items"]
        assert (ran.code, ran.json["verdict"]) == (1, "drifted")
        assert (items["gone"], items["new"], items["changed"]) == (["28", "29"], ["40"], ["4"])
        assert (items["then"], items["now"], items["renumbered"]) == (30, 29, {})
    inside = len({"28", "29"} & set(bd.read_suite(home / "suite").chosen))
    text = bestrand("check", home / "suite", "--scores", tmp_path / "now.parquet").out
    assert f"drift: 2 items are gone, {inside} of them in the suite: 28, 29" in text


def test_positions_that_moved_are_found_by_content(bestrand, home, tmp_path):
    """One question put in front renumbers all: an exported list of numbers would run others."""
    marks = lambda model: [1.0, *right_wrong(model, range(ITEMS))]  # noqa: E731  as above
    put_logs(tmp_path, [(0, "fresh"), *((n + 1, text) for n, text in docs())], marks=marks)
    ran = bestrand("check", home / "suite", "--scores", tmp_path, "--json")
    items = ran.json["items"]
    assert ran.code == 1
    assert items["renumbered"] == {str(n): str(n + 1) for n in range(ITEMS)}
    assert (items["gone"], items["changed"], items["new"]) == ([], [], ["0"])
    assert [one["changed"] for one in ran.json["models"]] == [False] * 4, "the scores moved with their questions"


def test_probes_with_other_scores(bestrand, home, tmp_path):
    marks = lambda model: right_wrong(model + (model == 2), range(ITEMS))  # noqa: E731  as above
    put_logs(tmp_path, docs(), marks=marks)
    ran = bestrand("check", home / "suite", "--scores", tmp_path, "--json")
    assert {one["model"]: one["changed"] for one in ran.json["models"]} == {
        "m0": False,
        "m1": False,
        "m2": True,
        "m3": False,
    }
    told = ran.json["models"][2]
    assert told["then"]["acc"] == pytest.approx(sum(right_wrong(2, range(ITEMS))) / ITEMS)
    assert told["now"]["acc"] == pytest.approx(sum(right_wrong(3, range(ITEMS))) / ITEMS)
    assert ran.code == 1
    assert "1 of 4 probes have other scores now: m2" in ran.json["findings"][0]


def test_a_run_on_the_suite_only_is_judged_on_the_suite(bestrand, home, tmp_path):
    chosen = [int(item) for item in bd.read_suite(home / "suite").chosen]
    put_logs(tmp_path / "part", [(n, f"question {n}") for n in chosen])
    ran = bestrand("check", home / "suite", "--scores", tmp_path / "part", "--json")
    assert (ran.code, ran.json["scope"], ran.json["items"]["then"]) == (0, "suite", 10)
    assert [one["changed"] for one in ran.json["models"]] == [False] * 4
    put_logs(
        tmp_path / "worse", [(n, f"question {n}!") for n in chosen[:1]] + [(n, f"question {n}") for n in chosen[2:]]
    )
    ran = bestrand("check", home / "suite", "--scores", tmp_path / "worse", "--json")
    assert (ran.code, ran.json["items"]["changed"], ran.json["items"]["gone"]) == (
        1,
        [str(chosen[0])],
        [str(chosen[1])],
    )
    assert "cannot be compared" in " ".join(ran.json["notes"])


def long_table(folder, kinds, noisy=()):
    rows = [
        (f"q{item}", f"m{model}", repeat, float((7 * item + 3 * model + item * item + repeat) % 10 > 3), kinds(item))
        for item in range(40)
        for model in range(4)
        for repeat in range(2)
    ]
    frame = pd.DataFrame(rows, columns=["item_id", "model", "repeat", "value", "category"])
    for index in noisy:
        frame.loc[index, "value"] = 1 - frame.loc[index, "value"]
    path = folder / "long.csv"
    frame.to_csv(path, index=False)
    return path


def test_strata_that_moved_and_noise_that_did_not(bestrand, tmp_path):
    for name in ("then", "now", "noise"):
        (tmp_path / name).mkdir()
    bd.import_logs("plain", long_table(tmp_path / "then", lambda item: "ab"[item % 2]), out=tmp_path / "t.parquet")
    bd.compress("scores", scores=tmp_path / "t.parquet", k=12, out=tmp_path / "suite")
    ran = bestrand("check", tmp_path / "suite", "--scores", tmp_path / "then" / "long.csv", "--json")
    assert (ran.code, ran.json["strata"]["shift"]) == (0, 0.0), ran.json
    moved = long_table(tmp_path / "now", lambda item: "ab"[item % 2 or item < 8])
    ran = bestrand("check", tmp_path / "suite", "--scores", moved, "--json")
    strata = ran.json["strata"]
    assert (ran.code, strata["then"], strata["now"]) == (1, {"a": 20, "b": 20}, {"a": 16, "b": 24})
    assert strata["moved"] == ["q0", "q2", "q4", "q6"]
    assert strata["shift"] == pytest.approx(0.1)
    again = long_table(tmp_path / "noise", lambda item: "ab"[item % 2], noisy=[3, 11])
    ran = bestrand("check", tmp_path / "suite", "--scores", again, "--json")
    assert (ran.code, ran.json["verdict"]) == (0, "same"), ran.json
    assert "no more than run noise" in " ".join(ran.json["notes"])


def test_plain_tables_are_compared_by_id_and_score(bestrand, toy_table, table_suite, tmp_path):
    ran = bestrand("check", table_suite, "--scores", toy_table.scores, "--json")
    assert (ran.code, ran.json["findings"]) == (0, [])
    assert "compared by their ids only" in " ".join(ran.json["notes"])
    frame = pd.read_csv(toy_table.scores)
    frame.iloc[3:].to_csv(tmp_path / "now.csv", index=False)
    ran = bestrand("check", table_suite, "--scores", tmp_path / "now.csv", "--json")
    assert (ran.code, len(ran.json["items"]["gone"])) == (1, 3)


def test_wrong_calls(bestrand, home, bench_suite, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("item_id,m\nx,1\ny,0\n")
    put_lm_eval(tmp_path / "flexible", "m0", [lm_eval_row(n, {"acc": 1.0}, "flex", f"question {n}") for n in range(30)])
    bd.import_logs("lm-eval", tmp_path / "flexible", **STRICT, out=tmp_path / "flex.parquet")
    cases = [
        (bench_suite, other, 2, "check is of tables"),
        (home / "suite", other, 4, "none of its items is in the suite's benchmark"),
        (home / "suite", tmp_path / "absent", 4, "no such file"),
        (home / "suite", tmp_path / "flex.parquet", 4, "imported with filter 'flex', the suite's table with 'none'"),
        (home / "suite", tmp_path / "flexible", 2, "--filter none: not in these logs"),
    ]
    for suite, now, code, word in cases:
        ran = bestrand("check", suite, "--scores", now)
        assert (ran.code, word in ran.err) == (code, True), ran.err


def test_matching_by_brute_force():
    """Contents that repeat are matched as often as they are there, and never two to one."""
    then = {("t", "0"): "a", ("t", "1"): "a", ("t", "2"): "b", ("t", "3"): "", ("t", "4"): "c"}
    now = {("t", "0"): "b", ("t", "5"): "a", ("t", "3"): "z", ("t", "4"): "d", ("u", "9"): "c"}
    found = matched(then, now)
    assert found.same == {("t", "0"): ("t", "5"), ("t", "2"): ("t", "0"), ("t", "3"): ("t", "3")}
    assert found.changed == (("t", "4"),)
    assert found.gone == (("t", "1"),)
    assert found.new == (("u", "9"),)
    assert found.compared == 3
