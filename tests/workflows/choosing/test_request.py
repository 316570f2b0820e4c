"""Sizes and durations against brute force."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bestrand_drive import compress, read_suite
from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec
from bestrand_drive.suite.schema import HarmonicMetric
from bestrand_drive.workflows.choosing.choose import family_numbers
from bestrand_drive.workflows.choosing.compress import _probe_hours
from bestrand_drive.workflows.choosing.request import (
    MOST,
    CompressRequest,
    excluded_items,
    filled_costs,
    mean_costs,
    size_of,
)
from bestrand_drive.workflows.evidence.probe_models import whole_values


def costs(seed: int, items: int, policies: int, gaps: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    out = rng.uniform(10, 900, (items, policies)) * rng.uniform(1, 50, policies)
    out[rng.random(out.shape) < gaps] = np.nan
    return out


def brute_filled(cost: np.ndarray) -> np.ndarray:
    """A gap is the mean of the others' durations in units of their own mean, on the policy's own scale."""
    used = [column for column in cost.T if not np.isnan(column).all()]
    means = [np.nanmean(column) for column in used]
    out = np.empty((len(cost), len(used)))
    for item in range(len(cost)):
        known = [column[item] / mean for column, mean in zip(used, means, strict=True) if not np.isnan(column[item])]
        typical = sum(known) / len(known) if known else 1.0
        for number, (column, mean) in enumerate(zip(used, means, strict=True)):
            out[item, number] = typical * mean if np.isnan(column[item]) else column[item]
    return out


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(1, 5), st.sampled_from([0.0, 0.2, 0.7]))
def test_filled_durations(seed: int, items: int, policies: int, gaps: float) -> None:
    cost = costs(seed, items, policies, gaps)
    if np.isnan(cost).all():
        return
    np.testing.assert_allclose(filled_costs(torch.tensor(cost)).numpy(), brute_filled(cost), rtol=1e-9)


def test_an_item_that_only_a_slow_probe_drove_does_not_look_long() -> None:
    cost = np.array([[10.0, 1000.0], [10.0, 1000.0], [np.nan, 1000.0]])
    matrix = build(np.zeros((3, 2)), cost)
    mean = mean_costs(matrix)
    assert mean is not None
    np.testing.assert_allclose(mean.numpy(), [505.0, 505.0, 505.0])


def build(values: np.ndarray, cost: np.ndarray | None = None) -> ScoreMatrix:
    from dataclasses import replace

    matrix = ScoreMatrix.from_arrays(
        values[:, :, None],
        items=[f"i{number}" for number in range(len(values))],
        policies=[f"p{number}" for number in range(values.shape[1])],
        metrics=[MetricSpec("score")],
    )
    return matrix if cost is None else replace(matrix, cost_s=torch.tensor(cost))


@pytest.mark.parametrize(
    ("request_", "items", "choosable", "cost", "k"),
    [
        (CompressRequest(k=7), 100, 100, None, 7),
        (CompressRequest(k=7), 100, 5, None, 7),
        (CompressRequest(keep=0.145), 100, 100, None, 15),
        (CompressRequest(keep=0.145), 100, 20, None, 15),
        (CompressRequest(keep=0.5), 1, 1, None, 1),
        (CompressRequest(hours=1), 100, 100, 100.0, 36),
        (CompressRequest(hours=1), 20, 20, 100.0, 20),
        (CompressRequest(hours=1), 100, 30, 100.0, 30),
        (CompressRequest(hours=1), 100, 100, 1e6, 1),
    ],
)
def test_sizes(request_: CompressRequest, items: int, choosable: int, cost: float | None, k: int) -> None:
    """A share is one of all items; a budget never asks for more than can be chosen."""
    cost_s = None if cost is None else torch.full((items,), cost, dtype=torch.float64)
    assert size_of(request_, items, choosable, cost_s) == k


def test_hours_without_durations_are_refused() -> None:
    with pytest.raises(UsageError, match="needs durations"):
        size_of(CompressRequest(hours=1), 10, 10, None)


def test_durations_of_nothing_bound_no_size() -> None:
    with pytest.raises(UsageError, match="every known duration is zero"):
        size_of(CompressRequest(hours=1), 10, 10, torch.zeros(10, dtype=torch.float64))


def test_a_name_of_a_group_and_of_an_item_in_another_is_not_excluded_as_either() -> None:
    matrix, members = build(np.zeros((2, 1))), (("q",), ("i0", "r"))
    with pytest.raises(UsageError, match="--exclude i0: is the name of a group and of an item in group i1"):
        excluded_items(CompressRequest(k=1, exclude={"i0": "why"}), matrix, members)
    assert excluded_items(CompressRequest(k=1, exclude={"r": "why"}), matrix, members) == {"i1": "why"}


def test_copies_are_exact() -> None:
    rng = np.random.default_rng(0)
    values = rng.random((6, 4))
    values[:, 2] = values[:, 0]
    values[:, 3] = values[:, 0]
    values[5, 3] += 1e-3
    assert build(values).copies() == {"p2": "p0"}
    values[5, 2] = np.nan
    assert build(values).copies() == {}


def test_families_and_copies_make_columns() -> None:
    matrix = build(np.random.default_rng(0).random((4, 5)))
    assert family_numbers(matrix, {}, {}) == [[0], [1], [2], [3], [4]]
    assert family_numbers(matrix, {"F": ("p1", "p4")}, {}) == [[0], [1, 4], [2], [3]]
    assert family_numbers(matrix, {"F": ("p1", "p4", "later")}, {"p3": "p0", "p2": "p1"}) == [[0, 3], [1, 2, 4]]


def test_whole_values_against_sums() -> None:
    from dataclasses import replace

    values = np.array([[[80.0, 100.0]], [[40.0, 0.0]], [[np.nan, 100.0]]])
    matrix = ScoreMatrix.from_arrays(
        values, items=list("abc"), policies=["p"], metrics=[MetricSpec("ds", 0, 100), MetricSpec("sr", 0, 100)]
    )
    matrix = replace(
        matrix,
        weights=torch.tensor([1.0, 3.0, 2.0], dtype=torch.float64),
        domains={"part": torch.tensor([True, True, False])},
    )
    found = whole_values(matrix, [HarmonicMetric(name="hm", score="ds", success="sr")], "sr")
    ds, sr = (80 + 3 * 40) / 4, (100 + 0 + 2 * 100) / 6
    assert found == pytest.approx({"ds": ds, "sr": sr, "part": 25.0, "hm": 2 / (1 / ds + 1 / sr)})


def test_probe_hours_skip_policies_without_durations() -> None:
    cost = np.array([[36.0, np.nan, 72.0], [36.0, np.nan, np.nan]])
    hours = _probe_hours(build(np.zeros((2, 3)), cost), torch.tensor([0]))
    assert hours == {0: pytest.approx((0.01, 0.02)), 2: pytest.approx((0.02, 0.04))}


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"pool_factor": 0.9}, "--pool-factor 0.9"),
        ({"pool_factor": 1e13}, "--pool-factor 1000"),
        ({"pool_factor": float("inf")}, "--pool-factor inf"),
        ({"metric_weights": {"a": -1.0}}, "a weight must be"),
        ({"metric_weights": {"a": 1e13}}, "a weight must be"),
        ({"metric_weights": {"a": float("nan")}}, "a weight must be"),
    ],
)
def test_numbers_that_no_suite_can_hold_are_refused(options: dict[str, Any], word: str) -> None:
    """What is written must be read again, so the request has the narrower limits."""
    with pytest.raises(UsageError, match=word):
        CompressRequest(k=3, **options).check()


@pytest.mark.parametrize("selector", ["balanced", "bestrand"])
def test_the_largest_numbers_make_a_suite_that_is_read_again(selector: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    columns = {"item_id": [f"i{n}" for n in range(400)], "A": 0.0, "B": 1.0, "C": rng.random(400)}
    frame = pd.DataFrame(columns)
    frame.loc[3, ["A", "B"]] = [1.0, 0.0]  # one item unlike all others is the farthest that a suite can lie off
    long = pd.concat(frame.melt("item_id", var_name="model").assign(metric=name) for name in "ab")
    weights = {"a": MOST, "b": 1e-12}
    suite = compress(
        "scores",
        scores=ScoreMatrix.from_frame(long),
        k=1,
        selector=selector,
        candidates=1000,
        pool_factor=MOST,
        metric_weights=weights,
        out=tmp_path / "suite",
    )
    assert read_suite(tmp_path / "suite") == suite
