"""Every selector from the command line: what it takes, refuses and tells."""

from __future__ import annotations

import pytest

from bestrand_drive.compression.selectors.base import ChoiceSettings
from bestrand_drive.compression.selectors.registry import SELECTORS
from tests.workflows.toys import read_json

QUICK = ["anchor-points", "anchor-predictor", "datbench", "aipw"]
"""Those that need histories and train nothing."""
LEARNED = [name for name, entry in SELECTORS.items() if entry.make(ChoiceSettings()).needs_history]


def _table(bestrand, toy_table, out, *options):
    return bestrand("compress", "scores", "--scores", toy_table.scores, "--k", 9, "--out", out, *options)


@pytest.mark.parametrize("name", QUICK)
def test_a_table_is_compressed_and_estimated(bestrand, toy_table, name, tmp_path):
    probes = [part for model in ("m1", "m3", "m6") for part in ("--probe", model)]
    for folder in ("a", "b"):
        ran = _table(bestrand, toy_table, tmp_path / folder, "--selector", name, *probes)
        assert ran.code == 0, ran.err
        assert ("candidates" in ran.out, "guard" in ran.out) == (False, name == "aipw"), "settings that it has not"
        assert ("expected error: not known; " in ran.out) == (name != "aipw"), "no law tells how far such a choice errs"
    assert (tmp_path / "a" / "suite.json").read_bytes() == (tmp_path / "b" / "suite.json").read_bytes()
    suite = read_json(tmp_path / "a" / "suite.json")
    assert suite["choice"]["selector"] == name
    assert len(set(suite["chosen"])) == 9
    assert [metric["expected_error"] is None for metric in suite["metrics"]] == [name != "aipw"]
    target = tmp_path / "target.csv"
    rows = toy_table.scores.read_text().splitlines()
    column = rows[0].split(",").index("m2")
    target.write_text("\n".join(",".join([row.split(",")[0], row.split(",")[column]]) for row in rows) + "\n")
    told = bestrand("estimate", tmp_path / "a", "--results", target)
    assert told.code == 0, told.err
    assert ("did not draw the suite at random" in told.out + told.err) == (name != "aipw")


@pytest.mark.parametrize("name", LEARNED)
def test_a_partial_pool_is_one_clear_error(bestrand, toy_table, name, tmp_path):
    ran = _table(bestrand, toy_table, tmp_path / "s", "--selector", name, "--pool-factor", 2)
    assert ran.code == 2
    assert "learns from full histories" in ran.err
    assert "--pool-factor" in ran.err


@pytest.mark.parametrize("name", LEARNED)
def test_no_probe_is_one_clear_error(bestrand, toy_table, name, tmp_path):
    ran = _table(bestrand, toy_table, tmp_path / "s", "--selector", name, "--n-probes", 0)
    assert ran.code == 2
    assert "learns from the results of at least" in ran.err


@pytest.mark.parametrize("name", ["datbench", "anchor-points"])
def test_driving_results_serve_as_histories(bestrand, bench, name, tmp_path):
    ran = bestrand(
        *("compress", "bench2drive", "--routes", bench.routes, *bench.probes(), "--k", 12, "--selector", name),
        *("--out", tmp_path / "suite"),
    )
    assert ran.code == 0, ran.err
    suite = read_json(tmp_path / "suite" / "suite.json")
    assert suite["choice"]["settings"]["metric"] == "driving_score"
    assert len(suite["chosen"]) == 12


def test_the_help_names_every_selector(bestrand):
    words = bestrand("compress", "scores", "--help").out.replace("│", " ").split()
    for name in SELECTORS:
        assert f"{name}:" in words
