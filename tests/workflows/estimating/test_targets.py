"""A target's table on a suite: groups, missing items at their worst or best, directions, what makes it a probe."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from bestrand_drive import compress, estimate
from bestrand_drive.compression.estimation import Bound
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.estimating.missing import missing_items, unboundable, with_filled
from bestrand_drive.workflows.estimating.targets import Target, read_target
from bestrand_drive.workflows.evidence.digests import distinct_values, score_digest
from tests.workflows.toys import write_wide

IDS = [f"q{number:02d}" for number in range(24)]


def table(path: Path, **columns: object) -> Path:
    return write_wide(path, IDS, columns)


@pytest.fixture
def errors(tmp_path: Path) -> Suite:
    """A suite of 8 of 24 error rates from 0 to 10, of which less is better."""
    rng = np.random.default_rng(0)
    scores = table(tmp_path / "s.csv", a=rng.uniform(0, 10, 24).round(2), b=rng.uniform(0, 10, 24).round(2))
    return compress("scores", scores=scores, bounds={"score": (0, 10)}, lower_is_better=["score"], k=8)


def target(suite: Suite, path: Path, items: list[str], value: float = 3.0) -> Target:
    return read_target(suite, write_wide(path, items, {"t": [value] * len(items)}), name=None)


@pytest.mark.parametrize(("best", "level"), [(False, 10.0), (True, 0.0)])
def test_the_worst_error_is_the_highest(errors, tmp_path, best, level):
    gone = errors.chosen[:3]
    read = target(errors, tmp_path / "t.csv", [item for item in IDS if item not in gone])
    assert missing_items(read, errors) == gone
    filled = with_filled(read, gone, errors, best=best).scores
    column = dict(zip(filled.items, filled.masked(0)[:, 0], strict=True))
    assert {column[item] for item in gone} == {level}
    assert {column[item] for item in IDS if item not in gone} == {3.0}
    assert all(filled.repeats[IDS.index(item), 0, 0] == 1 for item in gone)
    assert not read.scores.valid[[IDS.index(item) for item in gone]].any(), "the target itself stays as it was read"


def test_missing_zero_raises_an_error_rate(errors, tmp_path):
    path = write_wide(tmp_path / "t.csv", [i for i in IDS if i != errors.chosen[0]], {"t": [3.0] * 23})
    worst, without = (estimate(errors, path, missing=rule)["score"] for rule in ("zero", "exclude"))
    assert worst.estimate.value > without.estimate.value
    assert worst.if_missing[1] == pytest.approx(worst.estimate.value), "worst is the higher end"
    assert worst.if_missing[0] < 3


@pytest.mark.parametrize(("value", "said"), [(0.0, Bound.BEST), (10.0, Bound.WORST)])
def test_at_a_bound_the_direction_says_whether_all_is_well(errors, tmp_path, value, said):
    line = estimate(errors, write_wide(tmp_path / "t.csv", IDS, {"t": [value] * 24}))["score"].estimate
    assert line.run.low <= value <= line.run.high
    assert line.reason.startswith(f"{said.value} in the suite"), "no error at all is no failure"


@pytest.mark.parametrize("high", [0.6, 0.7, 0.9])
def test_bounds_hold_values_that_reach_them(tmp_path, high):
    """Scores are kept in single precision, in which 0.6 lies above 0.6."""
    values = [high, *np.round(np.random.default_rng(1).uniform(0, high, 23), 2)]
    suite = compress(
        "scores", scores=table(tmp_path / "s.csv", a=values, b=values[::-1]), bounds={"score": (0, high)}, k=8
    )
    found = estimate(suite, table(tmp_path / "t.csv", t=[high, *values[:-1]]))
    assert found["score"].estimate.run.high <= high + 1e-6


def test_a_group_is_measured_when_all_of_it_is(tmp_path):
    scores = table(tmp_path / "s.csv", a=np.arange(24.0) % 5, b=np.arange(24.0) % 7)
    items = table(tmp_path / "i.csv", group=[f"g{number // 3}" for number in range(24)])
    suite = compress("scores", scores=scores, items=items, k=4)
    group = next(item for item in suite.items if item.id == suite.chosen[0])
    kept = [item for item in IDS if item != group.members[1]]
    read = read_target(suite, write_wide(tmp_path / "t.csv", kept, {"t": range(23)}), name=None)
    assert missing_items(read, suite) == [group.id]
    found = estimate(suite, tmp_path / "t.csv")
    assert found.missing == (group.id,)


@pytest.mark.parametrize("grouped", [False, True])
def test_items_that_the_benchmark_does_not_have_are_named(tmp_path, grouped):
    scores = table(tmp_path / "s.csv", a=np.arange(24.0) % 5, b=np.arange(24.0) % 7)
    items = table(tmp_path / "i.csv", group=[f"g{number // 3}" for number in range(24)]) if grouped else None
    suite = compress("scores", scores=scores, items=items, k=4)
    path = write_wide(tmp_path / "t.csv", [*IDS, "stranger"], {"t": range(25)})
    assert any("stranger" in note for note in estimate(suite, path).notes)


def test_uneven_runs_are_said(tmp_path):
    """The interval of a policy takes all items to have been run as often."""
    rows = ["item_id,model,value,repeat"]
    cells = [(number, item, shift) for number, item in enumerate(IDS) for shift in (3, 5)]
    rows += [
        f"{item},m{shift},{(number * shift + run) % 7 / 7:.3f},{run}" for number, item, shift in cells for run in (0, 1)
    ]
    (tmp_path / "s.csv").write_text("\n".join(rows))
    suite = compress("scores", scores=tmp_path / "s.csv", probes=["m3", "m5"], k=8)
    runs = {item: 1 if item in suite.chosen[:2] else 3 for item in IDS}
    lines = [
        f"{item},t,{(2 * place + run) % 7 / 7:.3f},{run}" for place, item in enumerate(IDS) for run in range(runs[item])
    ]
    (tmp_path / "t.csv").write_text("\n".join([rows[0], *lines]))
    found = estimate(suite, tmp_path / "t.csv")
    assert "score: 2 of 8 items have fewer runs than the 3 of the others" in found.warnings


def test_shares_on_a_suite_of_percents_are_asked_about(tmp_path):
    """Without bounds nothing else tells the one from the other."""
    rng = np.random.default_rng(0)
    scores = table(tmp_path / "s.csv", a=rng.uniform(20, 90, 24).round(2), b=rng.uniform(20, 90, 24).round(2))
    suite = compress("scores", scores=scores, k=8)
    shares = table(tmp_path / "t.csv", t=rng.uniform(0.2, 0.9, 24).round(3))
    assert any("is it on another scale?" in said for said in estimate(suite, shares).warnings)
    percents = table(tmp_path / "u.csv", t=rng.uniform(20, 90, 24).round(2))
    assert not any("another scale" in said for said in estimate(suite, percents).warnings)


def test_metrics_without_a_worst_value(tmp_path):
    rows = ["item_id,model,metric,value"]
    rows += [f"{item},{m},{n},{v % 7}" for v, item in enumerate(IDS) for m in "abt" for n in ("seconds", "points")]
    (tmp_path / "s.csv").write_text("\n".join(rows))
    suite = compress("scores", scores=tmp_path / "s.csv", probes=["a", "b"], bounds={"points": (0, 10)}, k=8)
    assert unboundable(read_target(suite, tmp_path / "s.csv", name="t"), suite) == ["seconds"]


def one(values: np.ndarray, *specs: MetricSpec) -> ScoreMatrix:
    return ScoreMatrix.from_arrays(values[:, None, :], items=IDS[: len(values)], policies=["p"], metrics=specs)


def test_distinct_values_are_those_that_nobody_shares_by_chance():
    """Bounds, repeats, blanks and all-or-nothing metrics tell nothing about who it is."""
    nan = np.nan
    values = np.array([[0.0, 0.0], [100.0, 100.0], [41.5, 100.0], [41.5, 0.0], [nan, 0.0], [60.0, nan], [7.0, 100.0]])
    scores = one(values, MetricSpec("ds", 0.0, 100.0), MetricSpec("sr", 0.0, 100.0, binary=True))
    assert distinct_values(scores, torch.arange(7)) == 3
    assert distinct_values(scores, torch.tensor([0, 1, 3])) == 1
    assert distinct_values(one(values, MetricSpec("ds"), MetricSpec("sr")), torch.arange(7)) == 5 + 2


def test_a_digest_is_of_scores_not_of_their_order_or_last_digits():
    values = np.random.default_rng(2).uniform(0, 100, (6, 2))
    x, y = MetricSpec("x"), MetricSpec("y")
    every = torch.arange(6)
    assert score_digest(one(values, x, y), every) == score_digest(one(values[:, ::-1].copy(), y, x), every)
    assert score_digest(one(values, x, y), every) == score_digest(one(values * (1 + 1e-9), x, y), every)
    other = values.copy()
    other[5, 1] += 0.01
    assert score_digest(one(values, x, y), every) != score_digest(one(other, x, y), every)
    assert score_digest(one(values, x, y), every[:5]) == score_digest(one(other, x, y), every[:5])
