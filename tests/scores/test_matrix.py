"""The score matrix: masks, labels, selections of policies, metrics and items."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec

NAN = np.nan
CELLS = np.array([[[1.0, 10.0], [NAN, 20.0]], [[3.0, NAN], [4.0, 40.0]], [[5.0, 50.0], [6.0, 60.0]]])


def matrix(**changes: object) -> ScoreMatrix:
    """Three items, two policies, two metrics, two missing cells."""
    built = ScoreMatrix.from_arrays(
        CELLS, items=["a", "b", "c"], policies=["p", "q"], metrics=[MetricSpec("x"), MetricSpec("y")], strata="sst"
    )
    return replace(built, **changes) if changes else built


def test_missing_cells_are_masked_and_hold_zero() -> None:
    built = matrix()
    assert built.values.dtype == torch.float32
    assert (~built.valid).nonzero().tolist() == [[0, 1, 0], [1, 0, 1]]
    assert (built.values[~built.valid] == 0).all()
    assert built.repeats.tolist() == built.valid.int().tolist()
    assert built.strata == ("s", "s", "t")
    np.testing.assert_array_equal(built.masked(0), CELLS[:, :, 0])
    np.testing.assert_array_equal(built.masked("y"), CELLS[:, :, 1])


def test_masked_gives_a_copy() -> None:
    built = matrix()
    built.masked(0)[:] = 9.0
    np.testing.assert_array_equal(built.masked(0), CELLS[:, :, 0])


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_values_are_refused(value: float) -> None:
    cells = CELLS.copy()
    cells[0, 0, 0] = value
    with pytest.raises(DataRefused, match="infinite"):
        ScoreMatrix.from_arrays(cells, items="abc", policies="pq", metrics=[MetricSpec("x"), MetricSpec("y")])


@pytest.mark.parametrize("value", [2e18, -1e39, 1e300])
def test_values_with_infinite_squares_are_refused_quietly(value: float, recwarn: pytest.WarningsRecorder) -> None:
    frame = pd.DataFrame({"item_id": ["a", "b"], "m": [value, 1.0], "n": [value, 2.0]})
    with pytest.raises(DataRefused, match=r"Metric score: a value of size .* use a unit"):
        ScoreMatrix.from_frame(frame)
    assert not recwarn.list


@pytest.mark.parametrize(
    ("items", "policies", "message"),
    [
        ("aba", "pq", "item named more than once: a"),
        ("abc", "pp", "policy named more than once: p"),
        ("ab", "pq", "shape"),
        ("abc", "pqr", "shape"),
    ],
)
def test_labels_that_do_not_fit_are_refused(items: str, policies: str, message: str) -> None:
    with pytest.raises(DataRefused, match=message):
        ScoreMatrix.from_arrays(CELLS, items=items, policies=policies, metrics=[MetricSpec("x"), MetricSpec("y")])


def test_strata_of_another_length_are_refused() -> None:
    with pytest.raises(DataRefused, match="2 strata labels for 3 items"):
        matrix(strata=("s", "t"))


def test_a_number_under_the_mask_is_refused() -> None:
    built = matrix()
    values = built.values.clone()
    values[0, 1, 0] = 7.0
    with pytest.raises(DataRefused, match="invalid cell"):
        replace(built, values=values)
    values[0, 1, 0] = NAN
    with pytest.raises(DataRefused, match="not finite"):
        replace(built, values=values)


def test_metric_names() -> None:
    assert matrix().metric_index("y") == 1
    with pytest.raises(UsageError, match="No metric named 'z'; this matrix has x, y"):
        matrix().masked("z")


def test_policies_are_taken_in_the_order_asked_for() -> None:
    built = matrix(cost_s=torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=torch.float64))
    turned = built.with_policies(["q", "p"])
    assert turned.policies == ("q", "p")
    np.testing.assert_array_equal(turned.masked(0), CELLS[:, ::-1, 0])
    assert turned.cost_s is not None
    assert turned.cost_s[0].tolist() == [2.0, 1.0]
    assert built.with_policies([]).values.shape == (3, 0, 2)
    with pytest.raises(UsageError, match="No policy named z; known: p, q"):
        built.with_policies(["p", "z"])


def test_relabelled_matches_by_name_and_masks_the_rest() -> None:
    built = matrix()
    moved = built.relabelled(["c", "new", "a"], [MetricSpec("other"), MetricSpec("x")])
    assert moved.items == ("c", "new", "a")
    np.testing.assert_array_equal(moved.masked("x"), [CELLS[2, :, 0], [NAN, NAN], CELLS[0, :, 0]])
    assert np.isnan(moved.masked("other")).all()
    assert moved.repeats[1].sum() == 0
    assert built.relabelled(["z"], [MetricSpec("x")]).valid.sum() == 0
    assert built.relabelled(["a"], [MetricSpec("z")]).valid.sum() == 0
    np.testing.assert_array_equal(built.relabelled(built.items, built.metrics).masked(1), built.masked(1))


def test_outside_the_pool_everything_is_hidden() -> None:
    built = matrix(repeat_variance=torch.ones(3, 2, 2))
    hidden = built.hidden_outside(torch.tensor([2, 0]))
    np.testing.assert_array_equal(hidden.masked(0), [CELLS[0, :, 0], [NAN, NAN], CELLS[2, :, 0]])
    assert hidden.repeats[1].sum() == 0
    assert hidden.repeat_variance[1].sum() == 0
    assert hidden.items == built.items


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.0, 1.0, NAN], MetricSpec("s", 0.0, 1.0, binary=True)),
        ([0.0, 0.5, 1.0], MetricSpec("s", 0.0, 1.0)),
        ([0.0, 1.5], MetricSpec("s")),
        ([-0.1, 0.5], MetricSpec("s")),
    ],
)
def test_bounds_are_those_that_the_data_show(values: list[float], expected: MetricSpec) -> None:
    frame = pd.DataFrame({"item_id": range(len(values)), "m": values})
    assert ScoreMatrix.from_frame(frame, metric="s").metrics == (expected,)


def test_blanks_alone_are_no_scores() -> None:
    frame = pd.DataFrame({"item_id": ["a", "b"], "m": [NAN, NAN]})
    with pytest.raises(DataRefused, match="not one score in it"):
        ScoreMatrix.from_frame(frame)


def test_known_specifications_win_over_guesses() -> None:
    spec = MetricSpec("s", 0.0, 100.0)
    frame = pd.DataFrame({"item_id": ["a"], "m": [0.5]})
    assert ScoreMatrix.from_frame(frame, metric="s", specs={"s": spec}).metrics == (spec,)


def test_repeats_and_their_variance_come_from_the_frame() -> None:
    frame = pd.DataFrame({"item_id": ["a"] * 3, "model": ["m"] * 3, "repeat": [1, 2, 3], "value": [1.0, 2.0, 6.0]})
    built = ScoreMatrix.from_frame(frame)
    assert built.repeats[0, 0, 0] == 3
    assert built.repeat_variance[0, 0, 0] == 7.0
    assert built.values[0, 0, 0] == 3.0


def test_wide_equals_long() -> None:
    wide = pd.DataFrame({"item_id": ["a", "b"], "p": [1.0, NAN], "q": [3.0, 4.0]})
    long = wide.melt("item_id", var_name="model", value_name="value")
    one, other = ScoreMatrix.from_frame(wide), ScoreMatrix.from_frame(long)
    assert torch.equal(one.values, other.values)
    assert torch.equal(one.valid, other.valid)
    assert (one.items, one.policies, one.metrics) == (other.items, other.policies, other.metrics)


def test_metrics_are_taken_in_the_order_asked_for() -> None:
    built = matrix(repeat_variance=torch.arange(12.0).reshape(3, 2, 2))
    turned = built.with_metrics(["y", "x"])
    assert turned.metric_names == ("y", "x")
    np.testing.assert_array_equal(turned.masked("x"), built.masked("x"))
    assert torch.equal(turned.repeats, built.repeats.flip(2))
    assert torch.equal(turned.repeat_variance, built.repeat_variance.flip(2))
    assert built.with_metrics(["y"]).metrics == (MetricSpec("y"),)
    assert turned.strata == built.strata
    with pytest.raises(UsageError, match="this matrix has x, y"):
        built.with_metrics(["x", "z"])


@pytest.mark.parametrize("offset", [1.7e9, 2.0**25])
def test_differences_that_float32_loses_are_refused(offset: float) -> None:
    """Time stamps and counters would become equal, or jump, without a word."""
    cells = offset + np.arange(6.0).reshape(3, 2, 1)
    with pytest.raises(DataRefused, match=r"Metric x: values around .* differ by too little of their size"):
        ScoreMatrix.from_arrays(cells, items="abc", policies="pq", metrics=[MetricSpec("x")])
    kept = ScoreMatrix.from_arrays(cells - offset, items="abc", policies="pq", metrics=[MetricSpec("x")])
    np.testing.assert_array_equal(kept.masked(0), cells[:, :, 0] - offset)


@pytest.mark.parametrize("value", [0.1, 41.37, 1e-3])
def test_equal_values_are_kept_whatever_their_digits(value: float) -> None:
    """A metric on which nothing differs, or that was measured once, loses nothing in float32."""
    for items in (1, 3):
        built = ScoreMatrix.from_arrays(
            np.full((items, 1, 1), value), items="abc"[:items], policies="p", metrics=[MetricSpec("x")]
        )
        np.testing.assert_allclose(built.masked(0), value, rtol=1e-6)
