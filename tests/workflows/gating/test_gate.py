"""A gate on result files: references, missing results, early stops, direction, what it refuses."""

from __future__ import annotations

import shutil

import numpy as np
import pandas as pd
import pytest

import bestrand_drive as bd
from bestrand_drive.compression.gating.rules import Status
from bestrand_drive.errors import DataRefused, ExitCode, UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.workflows.gating.evidence import evidence
from bestrand_drive.workflows.gating.gate import judged
from bestrand_drive.workflows.gating.request import GateRequest
from bestrand_drive.workflows.gating.wording import deciding_words, line_words
from tests.workflows.gating.made import run_folder, side
from tests.workflows.toys import LEVELS

GOOD, BAD = LEVELS["Dan"], -1.2


@pytest.fixture(scope="module")
def suite(bench_suite):
    return bd.read_suite(bench_suite)


@pytest.fixture(scope="module")
def sides(bench, tmp_path_factory):
    """Results by strength: main, same, bad, and one that crashes the simulator on some routes."""
    folder = tmp_path_factory.mktemp("sides")
    return {
        "main": side(bench, folder, "main", GOOD),
        "same": side(bench, folder, "same", GOOD),
        "bad": side(bench, folder, "bad", BAD),
    }


def test_the_same_passes_and_the_worse_fails(suite, sides):
    same = bd.gate(suite, sides["main"], sides["same"])
    assert (same.status, same.passes, same.exit_code) == (Status.PASSED, True, ExitCode.OK)
    assert [line.metric.name for line in same.lines] == ["driving_score"]
    worse = bd.gate(suite, sides["main"], sides["bad"], max_drop=2, metrics=["success", "driving_score"])
    assert (worse.status, worse.exit_code) == (Status.FAILED, ExitCode.GATE_FAILED)
    assert [line.question.max_drop for line in worse.lines] == [2.0, None], "a bare drop is the primary metric's"
    better = bd.gate(suite, sides["bad"], sides["main"])
    assert better.status is Status.PASSED


def test_the_interval_is_that_of_compare(suite, sides):
    gated = bd.gate(suite, sides["main"], sides["same"], metrics=["success"], confidence=0.9)
    compared = bd.compare(suite, sides["main"], sides["same"], level=0.9)["success"]
    assert gated.lines[0].metric == compared
    assert gated.references[0].comparison.flips, "on success, which is not gated here"


def test_passed_without_a_tolerance_is_not_sold_as_unchanged(suite, sides):
    found = bd.gate(suite, sides["main"], sides["same"])
    said = line_words(found.references[0], found.lines[0])
    assert "tolerated drop not given; no drop was shown, which does not say that there is none" in said


@pytest.mark.parametrize(
    ("rule", "undecided", "passes"),
    [
        ("regression", None, True),
        ("regression", "fail", False),
        ("non-inferior", None, False),
        ("non-inferior", "pass", True),
    ],
)
def test_undecided_does_what_the_rule_or_the_user_says(suite, sides, rule, undecided, passes):
    found = bd.gate(suite, sides["main"], sides["same"], max_drop=1.0, rule=rule, undecided=undecided)
    assert (found.status, found.passes) == (Status.UNDECIDED, passes)
    assert found.exit_code == (ExitCode.OK if passes else ExitCode.GATE_FAILED)
    assert found.lines[0].deciding is not None


def test_a_large_enough_tolerance_is_shown_to_hold(suite, sides):
    assert bd.gate(suite, sides["main"], sides["same"], max_drop=40, rule="non-inferior").status is Status.PASSED


def test_an_anchor_fails_what_the_baseline_lets_through(suite, sides):
    """The baseline has sunk as low as the candidate; only the release tells."""
    assert bd.gate(suite, sides["bad"], sides["bad"].parent / "same").passes
    sunk = sides["bad"]
    drifted = bd.gate(suite, sunk, side_like(sunk), anchor=sides["main"])
    assert [(one.role, one.lines[0].status.value) for one in drifted.references] == [
        ("baseline", "passed"),
        ("anchor", "failed"),
    ]
    assert drifted.exit_code == ExitCode.GATE_FAILED


def side_like(path):
    """A copy beside a result folder: the same scores under another name."""
    copy = path.parent / "again"
    copy.mkdir(exist_ok=True)
    for file in path.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    return copy


def test_missing_results_that_could_turn_it_leave_it_open(bench, suite, sides, tmp_path):
    gone = suite.chosen[:14]
    holes = side(bench, tmp_path, "holes", GOOD, without=gone)
    found = bd.gate(suite, sides["main"], holes)
    (line,) = found.lines
    assert (found.status, found.exit_code, line.open_by_missing) == (Status.UNDECIDED, ExitCode.INCOMPLETE, True)
    assert "failed to passed" in line.reason
    assert deciding_words(found, line) == "the missing results come first: run them again"
    assert not found.passes
    told = bd.gate(suite, sides["main"], holes, missing="exclude")
    assert (told.status, told.exit_code) == (Status.UNDECIDED, ExitCode.OK)
    assert bd.gate(suite, sides["main"], holes, missing="exclude", undecided="fail").exit_code == 1
    zero = bd.gate(suite, sides["main"], holes, missing="zero")
    assert zero.lines[0].metric.difference < told.lines[0].metric.difference
    assert not zero.lines[0].open_by_missing


def test_missing_results_that_cannot_turn_it_do_not_matter(bench, suite, sides, tmp_path):
    holes = side(bench, tmp_path, "holes", BAD, without=suite.chosen[:1])
    found = bd.gate(suite, sides["main"], holes)
    assert (found.status, found.exit_code) == (Status.FAILED, ExitCode.GATE_FAILED)


@pytest.mark.parametrize("rule", ["non-inferior", "regression"])
def test_pairs_that_pass_are_open_where_the_missing_one_at_either_extreme_leaves_it_open(tmp_path, rule):
    """29 pairs are all but alike; the thirtieth, wherever it lies, moves the difference and widens the interval."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"item_id": [f"q{number}" for number in range(60)], "probe": rng.uniform(0.4, 0.6, 60)})
    frame["main"] = frame["probe"] + rng.normal(0, 0.001, 60)
    frame["new"] = frame["main"] + rng.normal(0, 0.001, 60)
    made = bd.compress("scores", scores=ScoreMatrix.from_frame(frame[["item_id", "probe"]]), probes=["probe"], k=30)
    asked = {"scores": tmp_path / "t.csv", "max_drop": 0.01, "rule": rule}
    frame.to_csv(asked["scores"], index=False)
    assert bd.gate(made, "main", "new", **asked).status is Status.PASSED
    frame.loc[frame["item_id"] == made.chosen[3], "new"] = np.nan
    frame.to_csv(asked["scores"], index=False)
    found = bd.gate(made, "main", "new", **asked)
    (line,) = found.lines
    assert {line.question.status(end) for end in line.metric.if_missing} == {Status.UNDECIDED}
    assert (found.status, found.exit_code, line.open_by_missing) == (Status.UNDECIDED, ExitCode.INCOMPLETE, True)
    assert "undecided to passed" in line.reason


def test_a_metric_without_bounds_says_that_it_cannot_tell(bench, suite, sides, tmp_path):
    holes = side(bench, tmp_path, "holes", GOOD, without=suite.chosen[:2])
    found = bd.gate(suite, sides["main"], holes, metrics=["efficiency"])
    assert (found.status, found.exit_code) == (Status.UNDECIDED, ExitCode.INCOMPLETE)
    told = bd.gate(suite, sides["main"], holes, metrics=["efficiency"], missing="exclude")
    assert "no bounds" in told.lines[0].reason
    assert told.status is Status.PASSED


def test_bounds_are_not_what_is_said_to_lack_where_there_are_some(suite, sides):
    """A harmonic mean of which a part is zero with all that is missing at its worst."""
    bounded = bd.compare(suite, sides["main"], sides["same"])["driving_score"]
    (line,) = judged([bounded], True, GateRequest())
    assert line.open_by_missing
    assert "no difference with all of them at their worst" in line.reason


def test_a_drop_is_a_rise_where_lower_is_better(tmp_path):
    """Latency: the candidate that needs longer fails."""
    rng = np.random.default_rng(0)
    base = rng.uniform(10, 20, 60)
    frame = pd.DataFrame({"item_id": [f"q{number}" for number in range(60)], "main": base, "probe": base})
    frame["slow"], frame["quick"] = base + 5 + rng.normal(0, 1, 60), base - 5 + rng.normal(0, 1, 60)
    table = tmp_path / "latency.csv"
    frame.to_csv(table, index=False)
    made = bd.compress(
        "scores", scores=table, probes=["probe"], k=30, lower_is_better=["score"], bounds={"score": (0, 60)}
    )
    slow = bd.gate(made, "main", "slow", scores=table, max_drop=2)
    assert (slow.status, slow.lines[0].question.bound) == (Status.FAILED, 2.0)
    assert bd.gate(made, "main", "quick", scores=table, max_drop=2, rule="non-inferior").status is Status.PASSED


def test_other_simulators_are_refused(bench, suite, tmp_path):
    """A baseline of CARLA and a candidate of the headless server."""
    carla, headless = (run_folder(bench, tmp_path / name, GOOD, name, suite.chosen) for name in ("carla", "headless"))
    with pytest.raises(DataRefused, match="simulator is not the same"):
        bd.gate(suite, carla, headless)


def test_so_are_they_where_only_the_header_tells(bench, suite, tmp_path):
    sides = [run_folder(bench, tmp_path / name, GOOD, name, suite.chosen) for name in ("carla", "headless")]
    for folder in sides:
        shutil.rmtree(folder / "attempts")
    with pytest.raises(DataRefused, match=r"not the same \(carla carla, headless headless\)"):
        bd.gate(suite, *sides)


def test_an_anchor_of_another_simulator_is_refused_too(bench, suite, tmp_path):
    main, new = (run_folder(bench, tmp_path / name, GOOD, "headless", suite.chosen) for name in ("main", "new"))
    old = run_folder(bench, tmp_path / "old", GOOD, "carla", suite.chosen)
    with pytest.raises(DataRefused, match="simulator is not the same"):
        bd.gate(suite, main, new, anchor=old)


def test_on_the_headless_server_the_stack_is_gated(bench, suite, tmp_path):
    main, new = (run_folder(bench, tmp_path / name, GOOD, "headless", suite.chosen) for name in ("main", "new"))
    said = evidence(bd.gate(suite, main, new))
    assert said["gates"] == "stack"
    assert "not of driving" in said["said"]
    assert any("not CARLA's" in caution for caution in said["cautions"])


def test_a_run_that_was_stopped_counts_up_to_there(bench, suite, sides, tmp_path):
    """What the candidate had driven of the block it had begun is not compared: the quick routes are there."""
    blocks = bd.order(suite).blocks
    driven = {item for block in blocks[:2] for item in block} | set(blocks[2][:1])
    records = [one for one in bench.records("early", BAD) if one["route_id"].split("_")[1] in driven]
    bench.put(tmp_path / "early", records)
    found = bd.gate(suite, sides["main"], tmp_path / "early")
    compared = found.references[0].comparison
    assert compared.prefix == 2
    assert set(compared.paired) == {item for block in blocks[:2] for item in block}
    assert not found.incomplete
    left = [route for route in evidence(found)["routes"] if route["references"][0]["left_out"]]
    assert len(left) == suite.k - len(compared.paired)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"rule": "non-inferior"}, "--max-drop driving_score=NUMBER"),
        ({"rule": "non-inferior", "max_drop": 2, "metrics": ["driving_score", "success"]}, "--max-drop success"),
        ({"max_drop": {"success": 2}}, "success is not gated"),
        ({"max_drop": -1}, "0 or more"),
        ({"max_drop": float("nan")}, "0 or more"),
        ({"metrics": ["speed"]}, "speed"),
        ({"confidence": 1.0}, "--confidence 1.0"),
    ],
)
def test_a_contradiction_is_refused_before_anything_is_read(suite, options, word):
    with pytest.raises(UsageError, match=word):
        bd.gate(suite, "no/such/main", "no/such/pr", **options)
