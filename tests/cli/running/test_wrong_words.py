"""Words of commands beside ``run`` that are wrong are said before anything is driven or waited for."""

from __future__ import annotations

import pytest

from bestrand_drive.cli.running import worker
from bestrand_drive.workflows.running import demo


def test_a_target_that_is_not_shipped_is_said_before_the_probes_drive(bestrand, tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "run_probes", lambda *_: pytest.fail("driven"))
    ran = bestrand("demo", "--out", tmp_path / "demo", "--target", "nobody")
    assert (ran.code, "probe:nobody: no such probe is shipped" in ran.err) == (2, True)
    assert not (tmp_path / "demo").exists()


@pytest.mark.parametrize(
    ("option", "value"), [("--wait", "nan"), ("--wait", "-1"), ("--servers", "0"), ("--gpus", "a")]
)
def test_a_worker_with_wrong_numbers_waits_for_no_driver(bestrand, tmp_path, monkeypatch, option, value):
    monkeypatch.setattr(worker, "work", lambda *_: pytest.fail("waits"))
    ran = bestrand("worker", tmp_path, option, value)
    assert (ran.code, f"{option} {value}" in ran.err) == (2, True)


@pytest.mark.parametrize("command", [("compress", "fail2drive"), ("probe", "fail2drive")])
def test_a_guard_that_a_benchmark_has_not_cannot_be_switched_off(bestrand, tmp_path, command):
    ran = bestrand(*command, "--no-ability-guard", "--k", 3, "--out", tmp_path / "suite")
    assert (ran.code, "--no-ability-guard is for Bench2Drive" in ran.err) == (2, True)
