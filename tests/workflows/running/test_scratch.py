"""Scratch of workers: what killed ones left goes, what others use stays."""

from __future__ import annotations

import json
import os
import shutil
import socket

import pytest

from bestrand_drive.simulation.attempts.holder import myself
from bestrand_drive.simulation.processes.marks import run_mark
from bestrand_drive.workflows.running import scratch as module
from bestrand_drive.workflows.running.scratch import scratch

DEAD = {**myself(), "pid": 2**22 + 1}


@pytest.fixture
def place(tmp_path):
    """Makes a folder of an earlier worker of the run."""

    def made(name: str, **owner: object):
        folder = tmp_path / f"bestrand-{run_mark(tmp_path / 'run')[:12]}-{name}"
        folder.mkdir()
        (folder / "owner").write_text(json.dumps({**DEAD, **owner}))
        return folder

    return made


def test_it_is_there_for_a_while_and_what_a_killed_worker_left_is_removed(tmp_path, place):
    dead, lives = place("dead"), place("lives", pid=os.getpid())
    with scratch(tmp_path, tmp_path / "run") as mine:
        assert (dead.exists(), lives.exists(), mine.is_dir()) == (False, True, True)
        with scratch(tmp_path, tmp_path / "run") as other:
            assert mine != other
            assert mine.is_dir()
    assert not mine.exists()


def test_a_worker_of_another_host_keeps_its_scratch_where_that_is_shared(tmp_path, place):
    """Its process cannot be seen from here."""
    other = place("other", host=f"not-{socket.gethostname()}")
    with scratch(tmp_path, tmp_path / "run"):
        assert other.is_dir()


def test_two_that_start_at_once_remove_the_same(tmp_path, place, monkeypatch):
    left = [place("a"), place("b")]
    monkeypatch.setattr(module, "reap_run", lambda _: [shutil.rmtree(one, ignore_errors=True) for one in left])
    with scratch(tmp_path, tmp_path / "run"):
        assert not any(one.exists() for one in left)
