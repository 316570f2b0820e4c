"""Folders of scripts: those that are given must hold what is measured, those of their own are taken away or told."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture
def script(monkeypatch):
    """A script as a module."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module


def test_data_that_lacks_a_part_is_refused_by_name(script, tmp_path, monkeypatch, capsys):
    """Else a page's table would be written of nothing, as where one folder too deep is named."""
    (tmp_path / "matrices").mkdir()
    add = script("data_folder").add_data_option
    parser = argparse.ArgumentParser()
    add(parser, "matrices")
    assert parser.parse_args(["--data", str(tmp_path)]).data == tmp_path
    other = argparse.ArgumentParser()
    monkeypatch.setenv("BESTRAND_SHARED_DATA", str(tmp_path))
    add(other, "matrices", "bench2drive", "fail2drive")
    with pytest.raises(SystemExit) as left:
        other.parse_args([])
    assert left.value.code == 2
    assert f"{tmp_path} has no folder bench2drive and no fail2drive" in capsys.readouterr().err


@pytest.mark.parametrize("faults", [[], ["route 1: no result"]])
@pytest.mark.parametrize("given", [True, False])
def test_chaos_keeps_what_tells_of_a_fault_and_nothing_else(script, tmp_path, monkeypatch, capsys, faults, given):
    chaos_run, places = script("chaos_run"), []

    def unleash(chaos):
        places.append(chaos.folder)
        (chaos.folder / "chaos.log").touch()
        return chaos_run.Told(faults=faults)

    (tmp_path / "own").mkdir()
    monkeypatch.setattr(chaos_run, "unleash", unleash)
    monkeypatch.setattr("tempfile.mkdtemp", lambda prefix: str(tmp_path / "own"))
    monkeypatch.chdir(tmp_path)
    assert chaos_run.main(["--out", "mine"] if given else []) == (1 if faults else 0)
    assert places == [tmp_path / ("mine" if given else "own")]
    assert places[0].exists() is (given or bool(faults))
    assert (str(tmp_path / "own") in capsys.readouterr().err) is not given
