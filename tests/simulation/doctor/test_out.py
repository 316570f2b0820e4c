"""The run folder, which is only looked at."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bestrand_drive.simulation.attempts.run_folder import driving
from bestrand_drive.simulation.attempts.store import AttemptStore
from bestrand_drive.simulation.doctor.finding import Level
from bestrand_drive.simulation.doctor.out import _wanted
from tests.faults.stand_in.checkout import make_carla_root
from tests.simulation.attempts import made
from tests.simulation.attempts.drivers import driver_of


@pytest.fixture
def begun(case):
    """Two attempts, of which one counts."""
    info = _wanted(case)
    with driving(
        case.out, info.model_copy(update={"routes": info.routes.model_copy(update={"ids": ("11", "12")})})
    ) as (at, _):
        store = AttemptStore(at, repair=True)
        store.put(made.failed(1, made.key(11)), None)
        store.put(made.scored(2, made.key(11)), made.result(11))
    return case.out


def test_a_folder_that_is_to_begin(found, case):
    said = found("run folder", "same run")
    assert (said["run folder"].level, said["same run"].level) == (Level.OK, Level.SKIPPED)
    assert not case.out.exists()


def test_a_folder_that_cannot_become_one(found, tmp_path):
    assert found("run folder", out=tmp_path)["run folder"].level is Level.FAIL
    assert "make it first" in found("run folder", out=tmp_path / "no/such/run")["run folder"].said


def test_a_folder_whose_name_a_shell_would_split(found, tmp_path):
    """There slots have the CARLA_ROOT that Bench2Drive's evaluator hands to a shell; a run refuses it at once."""
    said = found("run folder", out=tmp_path / "my run")["run folder"]
    assert (said.level, "without spaces" in said.said) == (Level.FAIL, True)
    assert found("run folder", out=tmp_path / "my run", root=None)["run folder"].level is Level.OK


def test_how_far_it_is_without_a_change(found, begun):
    before = made.tree(begun)
    said = found("run folder", "same run")
    assert said["run folder"].said.endswith("2 attempts, results for 1 of 2 routes x 1 repeats")
    assert said["same run"].level is Level.OK
    assert made.tree(begun) == before


def test_damage_is_told_and_left(found, begun):
    next(begun.glob("attempts/*/2.json")).write_text("{")
    before = made.tree(begun)
    assert found("run folder")["run folder"].level is Level.WARNING
    assert made.tree(begun) == before


def test_a_folder_that_is_driven(found, begun):
    """While another process drives it, and no longer."""
    with driver_of(begun / "driver.lock") as driver:
        said = found("run folder")["run folder"]
    assert said.level is Level.FAIL
    assert f"driven by process {driver.pid}" in said.said
    assert found("run folder")["run folder"].level is Level.OK


def test_another_policy_or_simulator(found, begun, case, tmp_path):
    assert "agent, configuration or checkpoint" in found("same run", agent_config="")["same run"].said
    (tmp_path / "model.pth").write_bytes(b"retrained")
    assert found("same run")["same run"].level is Level.FAIL
    (tmp_path / "model.pth").write_bytes(b"")
    script = make_carla_root(tmp_path / "headless") / "CarlaUE4.sh"
    script.write_text("#!/bin/sh\n# Written by `bestrand headless install`\n")
    said = found("same run", carla_root=tmp_path / "headless")["same run"]
    assert (said.level, "not in headless" in said.said) == (Level.FAIL, True)


def test_a_declared_policy(found, begun, case):
    assert found("same run", policy_id="mine")["same run"].level is Level.FAIL
    assert _wanted(replace(case, policy_id="mine")).policy.digest == "id:mine"
