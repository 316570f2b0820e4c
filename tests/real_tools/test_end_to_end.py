"""Run, import, compress, run again on the chosen items only, estimate against the known full score: the real tools.

``LM_EVAL_PYTHON`` and ``INSPECT_PYTHON`` name the Pythons that have them; ``scripts/real_tools`` makes both.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import bestrand_drive as bd
from tests.real_tools.driving import inspect, lm_eval

pytestmark = pytest.mark.real_tools
STRICT = {"task": "toy_sums", "metric": "exact_match", "rule": "strict-match"}


def python(name: str) -> str:
    """A tool's Python, or the test is left out."""
    found = os.environ.get(name)
    if not found or not Path(found).exists():
        pytest.skip(f"{name} names no Python that has the tool; scripts/real_tools makes one")
    return found


def agree(suite: Path, part: Path, whole: Path, metric: str, full: float) -> None:
    """The part alone gives what the whole run gives on the same items, and its interval holds the full score."""
    found, known = bd.estimate(suite, part), bd.estimate(suite, whole)
    assert found.missing == ()
    assert known[metric].full == pytest.approx(full)
    line = found[metric].estimate
    assert line.value == pytest.approx(known[metric].estimate.value)
    assert line.run.low <= full <= line.run.high


def test_lm_eval(bestrand, tmp_path):
    tool = python("LM_EVAL_PYTHON")
    runs = {
        f"m{n}": lm_eval(tool, tmp_path / "run", able, tmp_path / f"m{n}") for n, able in enumerate((0.3, 0.5, 0.8))
    }
    table, suite = tmp_path / "sums.parquet", tmp_path / "suite"
    assert bd.import_logs("lm-eval", runs, **STRICT, out=table).items == 40
    assert bestrand("compress", "scores", "--scores", table, "--keep", 0.5, "--out", suite).code == 0
    whole = lm_eval(tool, tmp_path / "run", 0.65, tmp_path / "whole")
    full = bd.import_logs("lm-eval", whole, **STRICT).cells.value.mean()
    assert bestrand("export", suite, "--out", tmp_path / "samples.json").code == 0
    part = lm_eval(tool, tmp_path / "run", 0.65, tmp_path / "part", tmp_path / "samples.json")
    agree(suite, part, whole, "exact_match", full)
    own = bd.import_logs("lm-eval", part, **STRICT).cells
    assert sorted(own.ids) == sorted(bd.read_suite(suite).chosen), "the harness labels its logs rightly"
    assert bestrand("check", suite, "--scores", part).code == 0
    backwards = {"toy_sums": json.loads((tmp_path / "samples.json").read_text())["toy_sums"][::-1]}
    shuffled = lm_eval(tool, tmp_path / "run", 0.65, tmp_path / "shuffled", json.dumps(backwards))
    agree(suite, shuffled, whole, "exact_match", full)
    ran = bestrand("check", suite, "--scores", shuffled, "--json")
    assert len(ran.json["items"]["renumbered"]) > 10, "which is why numbers must ascend: these are mislabelled"


@pytest.mark.parametrize("metric", ["right", "parts/digits"])
def test_inspect(bestrand, tmp_path, metric):
    tool = python("INSPECT_PYTHON")
    for model in ("bravo", "delta", "foxtrot"):
        inspect(tool, tmp_path / "run", model, tmp_path / "logs", kind="json" if model == "delta" else "eval")
    table, suite = tmp_path / "sums.parquet", tmp_path / "suite"
    ran = bestrand("import", "inspect", tmp_path / "logs", "--metric", metric, "--out", table)
    assert ran.code == 0, ran.err
    assert bestrand("compress", "scores", "--scores", table, "--keep", 0.5, "--out", suite).code == 0
    whole = inspect(tool, tmp_path / "run", "echo", tmp_path / "whole")
    own = bd.import_logs("inspect", whole, metric=metric).frame()
    full = own.groupby("item_id", observed=True)["value"].mean().mean()
    chosen = [item for item in bd.read_suite(suite).chosen if item != "sum-5" or metric != "right"]
    assert len(chosen) >= 19
    ids = bestrand("export", suite).out.strip()
    part = inspect(tool, tmp_path / "run", "echo", tmp_path / "part", ids=ids)
    assert sorted(bd.import_logs("inspect", part, metric=metric).cells.ids) == sorted(bd.read_suite(suite).chosen)
    agree(suite, part, whole, metric, full)
