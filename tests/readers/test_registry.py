"""A reader of another package: found by its entry point, read and estimated like our own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import bestrand_drive as bd
from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.readers.registry import BUILT_IN, find_reader, reader_names

EXAMPLE = Path(__file__).parent / "example_package"


@pytest.fixture
def installed(monkeypatch):
    """The example package as pip would leave it: a module and a .dist-info folder on the path."""
    monkeypatch.syspath_prepend(str(EXAMPLE))
    yield
    sys.modules.pop("quizlog", None)


def test_every_reader_of_our_own_is_what_its_name_says():
    assert [find_reader(name).name for name in BUILT_IN] == list(BUILT_IN)


def test_another_packages_reader(installed, bestrand, tmp_path):
    assert "quizlog" in reader_names()
    folder = tmp_path / "logs"
    folder.mkdir()
    for model in range(4):
        rows = [{"q": f"q{n}", "points": (n * (model + 3)) % 11, "kind": "ab"[n % 2]} for n in range(40)]
        (folder / f"m{model}.quiz.json").write_text(json.dumps(rows))
    ran = bestrand("import", "quizlog", folder, "--out", tmp_path / "t.parquet")
    assert ran.code == 0, ran.err
    suite = bd.compress("scores", scores=tmp_path / "t.parquet", probes=["m0", "m1", "m2"], k=10)
    assert suite.strata == {"a": 20, "b": 20}
    found = bd.estimate(suite, folder / "m3.quiz.json")
    assert found["points"].full == pytest.approx(sum((n * 6) % 11 for n in range(40)) / 400)


def test_a_reader_that_cannot_be_loaded_is_named(installed, monkeypatch):
    with pytest.raises(EnvironmentFault, match=r"quizlog_broken.*cannot be loaded"):
        find_reader("quizlog_broken")
    with pytest.raises(EnvironmentFault, match="no Reader named 'quizlog_other'"):
        find_reader("quizlog_other")
