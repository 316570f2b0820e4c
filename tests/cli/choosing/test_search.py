"""``compress --search`` on real matrices: what small benchmarks get stays, what is asked for is done and recorded."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from bestrand_drive import compress


@pytest.fixture
def gsm8k(shared_data, tmp_path) -> Path:
    """0/1 scores of 43 models on 1,319 questions."""
    return _unpacked(shared_data, "zeroeval_gsm8k", tmp_path)


def _unpacked(shared_data: Path, name: str, folder: Path) -> Path:
    table = folder / f"{name}.csv"
    table.write_bytes(gzip.decompress((shared_data / "matrices" / f"{name}.csv.gz").read_bytes()))
    return table


def _compress(bestrand, table: Path, out: Path, *options: object):
    return bestrand("compress", "scores", "--scores", table, "--n-probes", 5, "--k", 132, "--out", out, *options)


def _suite(folder: Path) -> dict:
    return json.loads((folder / "suite.json").read_bytes())


@pytest.mark.parametrize("selector", ["bestrand", "balanced"])
def test_the_default_is_whole_subsets_and_leaves_no_trace(bestrand, gsm8k, tmp_path, selector):
    assert _compress(bestrand, gsm8k, tmp_path / "a", "--selector", selector).code == 0
    assert _compress(bestrand, gsm8k, tmp_path / "b", "--selector", selector, "--search", "subsets").code == 0
    plain, asked = _suite(tmp_path / "a"), _suite(tmp_path / "b")
    assert plain["chosen"] == asked["chosen"]
    assert asked["choice"]["settings"].pop("search") == "subsets"
    assert plain["choice"] == asked["choice"]


@pytest.mark.parametrize(
    ("selector", "way"), [("bestrand", "classes"), ("balanced", "classes"), ("bestrand", "blocks")]
)
def test_another_way_is_recorded_and_more_candidates_leave_less(bestrand, gsm8k, tmp_path, selector, way):
    options = ("--selector", selector, "--pool-factor", 5, "--search", way)
    assert _compress(bestrand, gsm8k, tmp_path / "few", *options, "--candidates", 4).code == 0
    assert _compress(bestrand, gsm8k, tmp_path / "many", *options, "--candidates", 20_000).code == 0
    few, many = (_suite(tmp_path / name)["choice"]["settings"] for name in ("few", "many"))
    assert few["search"] == many["search"] == way
    assert many["judged"] == 20_000
    assert many["imbalance"] <= few["imbalance"]
    assert many["imbalance"] ** 2 < 0.05 * many["mean_square_imbalance"]


def test_many_candidates_of_0_1_scores_are_drawn_as_classes(bestrand, gsm8k, tmp_path):
    assert _compress(bestrand, gsm8k, tmp_path / "a", "--selector", "bestrand", "--candidates", 100_000).code == 0
    assert _suite(tmp_path / "a")["choice"]["settings"]["search"] == "classes"


def test_continuous_scores_have_no_classes_and_windows_serve(bestrand, shared_data, tmp_path):
    table = _unpacked(shared_data, "flasheval_diffusiondb_clip", tmp_path)
    ran = _compress(bestrand, table, tmp_path / "a", "--search", "classes")
    assert ran.code == 2
    assert "use subsets, or windows or blocks" in ran.err
    assert _compress(bestrand, table, tmp_path / "b", "--search", "windows").code == 0


def test_an_unknown_way_is_a_usage_error(bestrand, gsm8k, tmp_path):
    ran = _compress(bestrand, gsm8k, tmp_path / "a", "--search", "swaps")
    assert ran.code == 2
    assert "auto, subsets, classes, windows, blocks" in ran.err


def test_python_takes_it_too(bestrand, gsm8k, tmp_path):
    suite = compress("scores", scores=gsm8k, n_probes=5, k=132, search="classes", seed=3)
    assert _compress(bestrand, gsm8k, tmp_path / "a", "--search", "classes", "--seed", 3).code == 0
    assert suite.to_json() == (tmp_path / "a" / "suite.json").read_bytes()
