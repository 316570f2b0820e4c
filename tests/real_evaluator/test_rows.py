"""What is read from a run's files, and the table."""

from __future__ import annotations

import dataclasses
import json
import math
import sys

import numpy as np
import pytest

from tests.real_evaluator.driving import Row, as_json, from_json, row, scenarios_left_out
from tests.real_evaluator.evaluators import MODULE, Evaluator, NotAtHand, evaluator
from tests.real_evaluator.jobs import Job
from tests.real_evaluator.speed_limits import scenario_runner
from tests.real_evaluator.table import markdown, repeats, summary

LOG = """
load_world success , attempts=0
\033[93mSkipping scenario 'Accident_1' due to setup error: Couldn't find a viable position
WARNING: Ignoring scenario 'T_Junction_2' as it is too far from the route
WARNING: Junction sources distance is higher than the opposite ones. Ignoring it
"""
ROW = Row("bench2drive", "rolling", "7", "Town01", "Accident", "Completed", 60.0, 100.0, 20.0, 5.0, True, "", 0, 0,
          {"red_light": ["ran a red light"]})  # fmt: skip


def test_scenarios_left_out_are_told_with_the_evaluators_reason():
    assert scenarios_left_out(LOG) == [
        "Accident_1: Couldn't find a viable position",
        "T_Junction_2: too far from the route",
    ]
    assert scenarios_left_out("load_world success") == []


def test_a_row_is_read_from_log_and_result(build, tmp_path):
    judge = Evaluator("bench2drive", tmp_path, tmp_path, tmp_path)
    job = Job(tmp_path / "routes.xml", "7", "Town01", ("Accident", "T_Junction"))
    (tmp_path / "log.txt").write_text(LOG)
    record = build.record("RouteScenario_7_rep0", infractions={"red_light": ["ran a red light"]}, penalty=0.7)
    build.write(tmp_path / "result.json", [record])
    found = row(judge, job, "/some/where/my_agent.py", tmp_path, 0, 2, 5.04)
    assert (found.agent, found.scenarios, found.status) == ("my_agent", "Accident+T_Junction", "Completed")
    assert (found.driving_score, found.completion, found.game_s, found.wall_s) == (70.0, 100.0, 20.0, 5.0)
    assert (found.scenario_run, found.reruns, found.exit_code) == (False, 2, 0)
    assert found.infractions == {"red_light": ["ran a red light"]}


@pytest.mark.parametrize("written", [None, {"_checkpoint": {"records": []}}], ids=["no file", "no record"])
def test_a_run_without_a_record_has_no_status(tmp_path, written):
    (tmp_path / "log.txt").write_text("")
    if written:
        (tmp_path / "result.json").write_text(json.dumps(written))
    judge, job = Evaluator("bench2drive", tmp_path, tmp_path, tmp_path), Job(tmp_path, "7", "Town01", ())
    assert row(judge, job, "npc", tmp_path, 255, 0, 1.0).status == ""


def test_repeats_are_compared_within_route_and_agent():
    slower = dataclasses.replace(ROW, wall_s=99.0, reruns=1)
    other_score = dataclasses.replace(ROW, route="8", driving_score=10.0)
    other_agent = dataclasses.replace(ROW, agent="npc", driving_score=1.0)
    rows = [ROW, slower, other_agent, dataclasses.replace(ROW, route="8"), other_score]
    assert repeats(rows) == (1, 2)
    assert "2 routes, 1 with equal results" in summary(rows)
    assert "twice" not in summary([ROW, other_agent])


def test_a_run_without_a_score_leaves_the_means_alone():
    crashed = dataclasses.replace(ROW, route="8", driving_score=math.nan, completion=math.nan)
    assert "Mean driving score 60.0, completion 100.0 %." in summary([ROW, crashed])
    assert "Mean driving score nan" in summary([crashed])


def test_runs_that_ended_alike_share_a_line():
    slower = dataclasses.replace(ROW, wall_s=7.0, reruns=1)
    assert "| 20.0 | 6.0 | yes | 2 | 1 |" in markdown([ROW, slower])
    other = dataclasses.replace(ROW, driving_score=10.0)
    assert [line.split(" | ")[5] for line in markdown([ROW, other]).splitlines()[4:]] == ["60.0", "10.0"]


@pytest.mark.parametrize(("kind", "alike"), [("min_speed_infractions", True), ("red_light", False)])
def test_runs_differ_by_events_not_by_texts_about_speed(kind, alike):
    other = dataclasses.replace(ROW, infractions={"red_light": ["ran a red light"]} | {kind: ["99 %"]})
    assert (other.scored() == ROW.scored()) is alike


def test_the_table_names_what_was_left_out():
    text = markdown([dataclasses.replace(ROW, scenario_run=False, left_out="Accident_1: no lane | there")])
    assert "| 7 | Town01 | Accident | rolling | Completed | 60.0 | 100.0 | 20.0 | 5.0 | no:" in text
    assert "no: Accident_1: no lane / there" in text
    assert "Scenario set up in 0." in text


def test_rows_survive_json():
    again = from_json(json.loads(as_json([ROW])))
    assert as_json(again) == as_json([ROW])
    assert repeats([ROW, *again]) == (1, 1)


def test_a_missing_checkout_is_named(tmp_path):
    with pytest.raises(NotAtHand, match="BENCH2DRIVE_ROOT"):
        evaluator("bench2drive", {})
    with pytest.raises(NotAtHand, match=r"FAIL2DRIVE_ROOT=.* has no"):
        evaluator("fail2drive", {"FAIL2DRIVE_ROOT": str(tmp_path)})
    for inside in (MODULE, "navigation/behavior_agent.py"):
        (tmp_path / inside).parent.mkdir(parents=True)
        (tmp_path / inside).touch()
    both = {"BENCH2DRIVE_ROOT": str(tmp_path), "CARLA_AGENTS": str(tmp_path)}
    for python in ("", "/nowhere/python", sys.executable):  # ours has no py_trees
        with pytest.raises(NotAtHand, match="EVALUATOR_PYTHON"):
            evaluator("bench2drive", both | {"EVALUATOR_PYTHON": python})


def test_a_town_without_speed_limits_gets_a_file_beside_the_checkout(tmp_path):
    root, folder = tmp_path / "runner", tmp_path / "links"
    for place in ("srunner", "speed_limits"):
        (root / place).mkdir(parents=True)
    np.save(root / "speed_limits/Town01_speed_limits.npy", np.zeros(1))
    (root / "speed_limits/Town13_speed_limits.npy").write_text("version https://git-lfs.github.com/spec/v1\n")
    python = sys.executable
    assert scenario_runner(root, ["Town01"], python, folder) == root
    assert scenario_runner(root, ["Town01", "Town13"], python, folder) == folder
    assert sorted(file.name for file in (folder / "speed_limits").iterdir()) == [
        "Town01_speed_limits.npy",
        "Town13_speed_limits.npy",
    ]
    made = np.load(folder / "speed_limits/Town13_speed_limits.npy", allow_pickle=True).item()
    assert (made["speed_limits"].tolist(), made["locations"].shape) == ([50.0], (1, 3))
    assert (folder / "srunner").resolve() == root / "srunner"
    assert (root / "speed_limits/Town13_speed_limits.npy").read_text().startswith("version")
