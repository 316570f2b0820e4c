"""Marks are inherited, found exactly, and only at this user's processes."""

from __future__ import annotations

import os
import subprocess

from bestrand_drive.simulation.processes.marks import RUN, START, marked, new_mark, run_mark
from tests.simulation.processes.trees import end_all, noted, until


def found(variable: str, mark: str) -> set[int]:
    return {one.process.pid for one in marked(variable, mark)}


def test_a_run_has_one_mark_however_its_folder_is_called(tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run_mark(tmp_path / "run") == run_mark(tmp_path / "link" / "run")
    assert run_mark(tmp_path / "run") == run_mark((tmp_path / "run").relative_to(tmp_path))
    assert run_mark(tmp_path / "run") != run_mark(tmp_path / "other")
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert run_mark(tmp_path / "run") != run_mark(tmp_path / "link")
    assert new_mark() != new_mark()


def test_a_folder_may_have_any_name(tmp_path):
    assert len(run_mark(tmp_path / os.fsdecode(b"caf\xe9"))) == 64


def test_children_carry_it_wherever_they_go(tmp_path):
    mark = new_mark()
    command = ["setsid", "sh", "-c", "echo $$ > far; exec sleep 600"]
    with subprocess.Popen(command, env={**os.environ, RUN: mark}, cwd=tmp_path):
        process = noted(tmp_path, "far")
        try:
            assert found(RUN, mark) == {process.pid}
            assert found(START, mark) == set()
            assert found(RUN, mark[:-1]) == set()
        finally:
            end_all(process)


def test_other_users_processes_are_not_read(tmp_path, monkeypatch):
    mark = new_mark()
    with subprocess.Popen(["sleep", "600"], env={**os.environ, RUN: mark}) as process:
        try:
            until(lambda: found(RUN, mark) == {process.pid}, "it carries the mark")
            monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
            assert found(RUN, mark) == set()
        finally:
            process.kill()
