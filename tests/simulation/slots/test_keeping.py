"""What failed routes leave behind, and the lines that run them again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.slots.cell import Cell, Finished
from bestrand_drive.simulation.slots.keeping import Failure, Keeper, What, folder_bytes, parse_what
from bestrand_drive.simulation.slots.slot import Slot
from tests.simulation.attempts.made import failed, hung, key, scored
from tests.simulation.processes.trees import ROOT


def kept(runs) -> dict[str, set[str]]:
    """Names under ``kept/`` by route."""
    return {path.name.split(".")[0]: {part.name for part in path.iterdir()} for path in (runs.path / "kept").iterdir()}


@pytest.fixture
def failing(make_runs):
    """Of three routes one is driven badly and one never has a result."""
    runs = make_runs()
    runs.routes(11, 12, 13)
    runs.order("12:status=Failed - Agent got blocked,13:setup")
    return runs


COMMON = {"routes", "result.json"}


def test_what_failed_routes_left_is_kept(failing):
    ran = failing.run("--keep-on-failure", "log,agent", "--max-attempts", 1, code=6)
    found = kept(failing)
    assert found == dict.fromkeys({"12", "13"}, COMMON | {"log.txt", "agent"})
    assert ran.out.count(": kept in ") == 2
    for place in (failing.path / "kept").iterdir():
        assert "Preparing" in (place / "log.txt").read_text()
        assert len(list((place / "routes").glob("*.xml"))) == 1
    assert list((failing.path / "work").glob("*/*")) == []


POLICYS, OTHERS = {Failure.ANY, Failure.POLICY}, {Failure.ANY, Failure.INFRASTRUCTURE}


@pytest.mark.parametrize(
    ("attempt", "of"),
    [
        (scored(), set()),
        (scored(status="Perfect"), set()),
        (scored(status="Failed - Agent got blocked"), POLICYS),
        (scored(status="Failed - Agent crashed", outcome=Outcome.AGENT_CRASHED), POLICYS),
        (hung(), POLICYS),
        (failed(), OTHERS),
        (None, set()),
    ],
)
def test_whose_failures_are_kept(tmp_path, attempt, of):
    for place in ("none", *Failure):
        work = tmp_path / f"work-{place}"
        work.mkdir()
        (work / "result.json").touch()
        what = frozenset() if place == "none" else frozenset({What.RECORD})
        keeper = Keeper(Layout(tmp_path / f"run-{place}"), what, Failure.ANY if place == "none" else place)
        said = keeper.keep(Finished(Cell(key(), 1, None), attempt, None, None, work, tmp_path / "log"))
        assert bool(said) == (keeper.layout.kept.exists()) == (place in of)


def test_only_what_was_asked_for(failing):
    failing.run("--keep-on-failure", "record", "--keep-failures", "policy", "--max-attempts", 1, code=6)
    assert kept(failing) == {"12": COMMON | {"record"}}


def test_fail2drives_agents_are_told_where_to_write_when_it_is_to_be_kept(make_runs):
    runs = make_runs("fail2drive")
    runs.routes(1)
    runs.order("status=Failed")
    runs.run("--keep-on-failure", "agent")
    assert list((runs.path / "kept").rglob("seen.txt"))


def test_a_full_quota_keeps_no_more_and_says_so(failing):
    failing.order("12:status=Failed,13:status=Failed")
    ran = failing.run("--keep-on-failure", "log", "--keep-quota-mib", 0, "--only", "12,13")
    assert kept(failing) == {}
    assert ran.out.count("not kept: kept/ would be over its quota of 0 MiB") == 2


def test_the_size_of_what_is_kept(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b").write_bytes(b"12345")
    (tmp_path / "c").write_bytes(b"123")
    (tmp_path / "a/out").symlink_to(Path(sys.executable))
    assert folder_bytes(tmp_path / "c") == 3
    assert 8 <= folder_bytes(tmp_path) < 300
    assert folder_bytes(tmp_path / "absent") == 0


def test_what_could_not_be_kept_is_said(tmp_path, monkeypatch):
    """Scratch on another file system is copied; what fails there is gathered in an error without a number."""

    def fails(*_):
        raise shutil.Error([("a", "b", "[Errno 28] No space left on device")])

    (tmp_path / "work").mkdir()
    (tmp_path / "work/result.json").touch()
    monkeypatch.setattr(shutil, "move", fails)
    slot = Slot.__new__(Slot)
    slot._keeper = Keeper(Layout(tmp_path), frozenset({What.RECORD}))
    slot._places = SimpleNamespace(failed=lambda: None)
    cell = Cell(key(), 1, None)
    said = slot.tidy(Finished(cell, failed(1), None, None, tmp_path / "work", tmp_path / "log"))
    assert "No space left on device" in said


def test_what_can_be_kept():
    assert parse_what("log, agent") == {What.LOG, What.AGENT}
    assert parse_what("") == frozenset()
    with pytest.raises(UsageError, match="--keep-on-failure video"):
        parse_what("log,video")


def test_the_line_that_runs_a_route_again_works_when_it_is_pasted(failing, tmp_path):
    """In a shell, from the folder of the first command, and again and again; the run itself stays as it is."""
    ran = failing.run("--max-attempts", 1, "--env", "NAME=a b", "--limit", "tick=77", code=6)
    again = [line.split("again: ")[1] for line in ran.out.splitlines() if "again: " in line]
    assert len(set(again)) == 2
    (line,) = {line for line in again if "--only 12 " in line}
    assert "--env 'NAME=a b'" in line
    shell = f'bestrand() {{ "{sys.executable}" -m bestrand_drive "$@"; }}\n{line}\n'
    for _ in range(2):
        done = subprocess.run(
            ["sh", "-c", shell], capture_output=True, text=True, timeout=60, cwd=tmp_path, check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert "12: 1 of 1 routes and repeats have a result" in done.stdout
        assert "Failed - Agent got blocked" in done.stdout
    assert len(failing.attempts()) == 3
