"""What a run folder remembers of its last start."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.servers.gpus import Gpu
from bestrand_drive.simulation.slots.keeping import What
from bestrand_drive.workflows.running.last_request import keep_request, kept_request
from bestrand_drive.workflows.running.run_again import again_line
from bestrand_drive.workflows.running.run_request import RunRequest
from tests.faults.conftest import base, make_runs, runs

__all__ = ["base", "make_runs", "runs"]


def test_the_command_comes_back_but_for_secrets(tmp_path):
    request = RunRequest(
        "fail2drive", Path("f2d"), Path("my suite"), "a.py", tmp_path, gpus=(Gpu("1", 2),), timeout_s=12.5,
        variables={"KEY": "secret"}, limits={"tick": 9.0}, python="conda run python",
    )  # fmt: skip
    keep_request(Layout(tmp_path), request)
    found = kept_request(tmp_path)
    assert again_line(found, "75", 2) == again_line(request, "75", 2).replace("KEY=secret", "KEY=...")
    assert "secret" not in (tmp_path / "request.json").read_text()


@pytest.mark.parametrize(
    "asked",
    [{}, {"engine": "ray", "ray_address": "head:6379"}, {"engine": "slurm", "slurm": {"gres": "gpu:1"}},
     {"until": {"driving_score": 3.0}, "durations": (Path("old"),)}],
)  # fmt: skip
def test_it_says_what_was_asked_for(tmp_path, asked):
    request = RunRequest("bench2drive", Path("b2d"), Path("suite"), "a.py", tmp_path, **asked)
    keep_request(Layout(tmp_path), request)
    assert kept_request(tmp_path) == request


def test_what_is_kept_of_failures_is_said_in_one_order(tmp_path):
    """Whatever the hashes of a process make of a set's."""
    request = RunRequest("bench2drive", Path("b2d"), Path("suite"), "a.py", tmp_path, keep=frozenset(What))
    keep_request(Layout(tmp_path), request)
    assert json.loads((tmp_path / "request.json").read_bytes())["keep"] == ["agent", "log", "record"]


def test_nothing_is_made_of_what_cannot_be_read(tmp_path):
    assert kept_request(tmp_path) is None
    for content in ("", "{}", '{"benchmark": 3}', "[" * 5000):
        (tmp_path / "request.json").write_text(content)
        assert kept_request(tmp_path) is None


def test_a_run_writes_it_down(runs):
    runs.run("--only", "1711")
    assert "--only 1711 --repeat 0 --max-attempts 1" in again_line(kept_request(runs.path), "1711", 0)
