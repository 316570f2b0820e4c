"""The script of docs/study.md: a run of some sections leaves nothing out of the tables over several."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def _rows(benchmark: str, covered: float) -> str:
    """Random's row and the default's, with what the coverage table and a benchmark's own table read."""
    measures = ("mae", "mae_se", "rmse", "bias", "p95", "risk_p70", "risk_mean", "spearman", "kendall", "pairwise")
    numbers = dict.fromkeys((*measures, "top3"), 0.5)
    held = {"coverage95": covered, "coverage95_worst": covered, "coverage95_high": None, "coverage95_low": None}
    where = {"benchmark": benchmark, "metric": "score", "estimator": "its own"}
    row = {**where, **numbers, **held, "keep": 0.1, "k": 25, "seeds": 200, "targets": 40, "width": 1.0, "cost": 1.0}
    return json.dumps([{**row, "selector": selector} for selector in ("random", "balanced")])


def test_a_figure_that_no_draw_has_is_a_dash(monkeypatch):
    """One item carries no interval, and two targets have no order."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    tables = importlib.import_module("study_tables")
    absent = dict.fromkeys(("coverage95", "coverage95_worst", "width", "spearman", "mae_se"))
    rows = [row | absent for row in json.loads(_rows("narrow", 0.9))]
    best = [rows[0] | {"selector": "bestrand"}]
    told = tables.sections({"strata": rows})["strata"] + tables.sections({"splits": rows + best})["splits"]
    assert "nan" not in told
    assert "| - | - | - |" in told


def test_estimators_stand_beside_the_plain_mean_on_the_same_subsets(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    tables = importlib.import_module("study_tables")
    plain = [row | {"estimator": "mean"} for name in "ab" for row in json.loads(_rows(name, 0.9))[:1]]
    other = [row | {"estimator": "ppi", "mae": mae} for row, mae in zip(plain, (0.25, 0.75), strict=True)]
    told = tables.sections({"estimators": plain + other})["estimators"]
    assert "| ppi | 1.000 (0.500) |" in told  # .5 and 1.5 of the mean's
    assert "| ppi | 1.000 |" in told
    assert "MAE over that of mean" in told


def test_each_benchmark_has_its_line_for_every_method(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    tables = importlib.import_module("study_tables")
    rows = [row | {"keep": keep} for keep in (0.05, 0.2, 0.5) for row in json.loads(_rows("narrow", 0.9))]
    rows[3]["mae"] = 2.0
    told = tables.sections({"fitted": rows})["fitted"]
    assert "| narrow | score | 1.00 / 4.00 / 1.00 |" in told


def test_cells_outside_the_band_stay_told_when_another_section_is_measured(tmp_path, monkeypatch):
    marks = ("overview", "matrices", "expected", "driving", "strata", "coverage")
    docs, parts, new = tmp_path / "study.md", tmp_path / "parts", tmp_path / "new.json"
    docs.write_text("".join(f"<!-- {name}: begin -->\n<!-- {name}: end -->\n" for name in marks))
    parts.mkdir()
    (parts / "strata.json").write_text(_rows("narrow", 0.9))
    new.write_text(_rows("sound", 0.95))
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    script = importlib.import_module("study_all")
    monkeypatch.setattr(script, "DOCS", docs)
    monkeypatch.setattr(script, "entries_of", lambda name, data, quick: [name])
    monkeypatch.setattr(script, "run", lambda name, entries, seeds, arguments: json.loads(new.read_text()))
    for part in ("matrices", "bench2drive", "fail2drive"):
        (tmp_path / "data" / part).mkdir(parents=True)
    given = ["study_all.py", "--data", str(tmp_path / "data"), "--parts", str(parts), "--sections", "driving"]
    monkeypatch.setattr(sys, "argv", given)
    script.main()
    told = docs.read_text()
    assert "2 cells, mean 0.925" in told
    assert "1 outside 0.93 to 0.98" in told
    assert "narrow score, k = 25" in told
    assert json.loads((parts / "driving.json").read_text())[0]["benchmark"] == "sound"
