"""Wide and long data frames: what is read, what is refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bestrand_drive.errors import DataRefused
from bestrand_drive.scores.frames import DenseScores, dense_scores

LIGHT = settings(max_examples=40)


def _wide(items: int, models: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(items, models))
    x[rng.random(x.shape) < 0.2] = np.nan
    return pd.DataFrame(x, columns=[f"m{j}" for j in range(models)]).assign(item_id=[f"{i:03d}" for i in range(items)])


def _same(one: DenseScores, other: DenseScores) -> None:
    assert (one.items, one.policies, one.metrics) == (other.items, other.policies, other.metrics)
    np.testing.assert_array_equal(one.mean, other.mean)
    np.testing.assert_array_equal(one.count, other.count)
    np.testing.assert_array_equal(one.variance, other.variance)


@LIGHT
@given(st.integers(1, 8), st.integers(1, 4), st.integers(0, 999))
def test_wide_equals_long(items: int, models: int, seed: int) -> None:
    wide = _wide(items, models, seed)
    assume(wide.drop(columns="item_id").notna().any(axis=None))
    long = wide.melt("item_id", var_name="model", value_name="value")
    _same(dense_scores(wide, metric="s"), dense_scores(long, metric="s"))
    found = dense_scores(wide, metric="s")
    np.testing.assert_array_equal(found.mean[:, :, 0], wide[[f"m{j}" for j in range(models)]].to_numpy())
    assert found.metrics == ["s"]


@LIGHT
@given(st.integers(1, 6), st.integers(1, 3), st.integers(0, 999))
def test_repeats_are_averaged_and_their_variance_kept(items: int, models: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, runs = [], {}
    for i in range(items):
        for j in range(models):
            runs[i, j] = [float(v) if rng.random() > 0.2 else np.nan for v in rng.normal(size=rng.integers(1, 5))]
            rows += [(f"i{i}", f"m{j}", r, value) for r, value in enumerate(runs[i, j])]
    frame = pd.DataFrame(rows, columns=["item_id", "model", "repeat", "value"])
    found = dense_scores(frame, metric="s")
    for (i, j), values in runs.items():
        known = [v for v in values if not np.isnan(v)]
        assert found.count[i, j, 0] == len(known)
        np.testing.assert_allclose(found.mean[i, j, 0], np.mean(known) if known else np.nan)
        variance = np.var(known, ddof=1) if len(known) > 1 else 0.0
        np.testing.assert_allclose(found.variance[i, j, 0], variance, atol=1e-12)
    order = rng.permutation(len(frame))
    shuffled = dense_scores(frame.iloc[order], metric="s")
    place = [shuffled.items.index(item) for item in found.items]
    np.testing.assert_allclose(
        shuffled.mean[place][:, [shuffled.policies.index(m) for m in found.policies]], found.mean
    )


def test_metrics_and_absent_cells() -> None:
    frame = pd.DataFrame(
        {
            "item": ["a", "a", "b"],
            "policy": ["p", "p", "q"],
            "metric": ["x", "y", "x"],
            "value": [1.0, 2.0, 3.0],
        }
    )
    found = dense_scores(frame, metric="unused")
    assert (found.items, found.policies, found.metrics) == (["a", "b"], ["p", "q"], ["x", "y"])
    np.testing.assert_array_equal(found.mean, [[[1, 2], [np.nan] * 2], [[np.nan] * 2, [3, np.nan]]])
    assert found.count.sum() == 3


@pytest.mark.parametrize("blank", [None, np.nan, "", "  ", "nan", "NA", "None"])
def test_blanks_are_missing(blank: object) -> None:
    frame = pd.DataFrame({"item_id": ["a", "b"], "m": pd.Series([blank, "2.5"], dtype=object)})
    np.testing.assert_array_equal(dense_scores(frame, metric="s").mean[:, 0, 0], [np.nan, 2.5])


@pytest.mark.parametrize(
    "column", [pd.array([1, None], dtype="Int64"), pd.array([True, None], dtype="boolean"), pd.Categorical([1, None])]
)
def test_nullable_columns_are_read(column: object) -> None:
    frame = pd.DataFrame({"item_id": ["a", "b"], "m": column})
    np.testing.assert_array_equal(dense_scores(frame, metric="s").mean[:, 0, 0], [1.0, np.nan])


def test_numeric_ids_become_text() -> None:
    found = dense_scores(pd.DataFrame({"item_id": [7, 12], "model": [1, 1], "value": [0.0, 1.0]}), metric="s")
    assert (found.items, found.policies) == (["7", "12"], ["1"])


def test_floats_beyond_whole_numbers_stay_apart() -> None:
    ids = [np.inf, 1e300, 2e300]
    assert dense_scores(pd.DataFrame({"item_id": ids, "m": [1, 2, 3]}), metric="s").items == ["inf", "1e+300", "2e+300"]


def _frame(**columns: list[object]) -> Callable[[], pd.DataFrame]:
    return lambda: pd.DataFrame(columns)


REFUSED = {
    "no item column": (_frame(route=["a"], m=[1]), "no column item_id or item"),
    "no column at all": (pd.DataFrame, "no column item_id or item"),
    "no model column": (_frame(item_id=["a"], value=[1]), "no column model or policy"),
    "no model": (_frame(item_id=["a"]), "no model beside it"),
    "item twice": (_frame(item_id=["a", "b", "a"], m=[1, 2, 3]), "item 'a' has more than one row"),
    "cell twice": (
        _frame(item_id=["a", "a"], model=["m", "m"], value=[1, 2]),
        "item 'a', model 'm', metric 's'.*Number repeated runs in a column 'repeat'",
    ),
    "repeat twice": (
        _frame(item_id=["a"] * 3, model=["m"] * 3, value=[1, 2, 3], repeat=[0, 1, 1]),
        "1 cells",
    ),
    "text": (_frame(item_id=["a", "b"], m=[1, "good"]), "column 'm', row 2: 'good' is not a finite number"),
    "text in long": (_frame(item_id=["a"], model=["m"], value=["x"]), "column 'value', row 1: 'x'"),
    "comma": (_frame(item_id=["a"], m=["1,5"]), "'1,5' is not a finite number"),
    "infinite": (_frame(item_id=["a", "b"], m=[np.inf, 1]), "column 'm', row 1: 'inf' is not a finite number"),
    "larger than any float": (_frame(item_id=["a", "b"], m=[1, 10**400]), "column 'm', row 2: '1000.*finite number"),
    "half a character": (_frame(item_id=["a", "b"], m=[1, "\ud800"]), r"column 'm', row 2: '\\ud800' is not a finite"),
    "infinite text": (_frame(item_id=["a"], m=["-inf"]), "not a finite number"),
    "a time": (_frame(item_id=["a"], m=[pd.Timestamp(0)]), "column 'm', row 1: '1970-01-01 00:00:00' is not a finite"),
    "a list for an id": (_frame(item_id=[["a"], ["b"]], m=[1, 2]), "column 'item_id' holds lists or objects"),
    "two texts": (_frame(item_id=["a", "b"], m=["x", "y"]), "2 such cells"),
    "no rows": (lambda: pd.DataFrame({"item_id": [], "m": []}), "no scores in it"),
    "only blanks in long": (_frame(item_id=["a"], model=["m"], value=[None]), "not one score in it, only blanks"),
    "blank item": (_frame(item_id=["a", None], m=[1, 2]), "column 'item_id', row 2: blank"),
    "spaces for an item": (_frame(item_id=["a", "  "], m=[1, 2]), "column 'item_id', row 2: blank"),
    "blank item in long": (_frame(item_id=["a", None], model=["m"] * 2, value=[1, 2]), "'item_id', row 2: blank"),
    "blank model": (_frame(item_id=["a", "b"], model=["m", None], value=[1, 2]), "column 'model', row 2: blank"),
    "blank metric": (
        _frame(item_id=["a"] * 2, model=["m"] * 2, metric=["s", None], value=[1, 2]),
        "column 'metric', row 2: blank",
    ),
    "model column twice": (
        lambda: pd.DataFrame([["a", 1, 2]], columns=["item_id", "m", "m"]),
        "a column name is there more than once: m",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    make, message = REFUSED[case]
    with pytest.raises(DataRefused, match=f"(?s)table 7.*{message}"):
        dense_scores(make(), metric="s", source="table 7")


def test_a_frame_is_left_as_it_was() -> None:
    frame = _wide(4, 2, 0)
    before = frame.copy(deep=True)
    dense_scores(frame, metric="s")
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("name", ["item_id", "model", "repeat"])
def test_coded_columns_read_as_text_does(name):
    """As Parquet gives them back: other codes, unused categories, any order."""
    frame = pd.DataFrame(
        {
            "item_id": ["b", "a", "b", "a"] * 2,
            "model": ["y"] * 4 + ["x"] * 4,
            "repeat": ["1", "1", "2", "2"] * 2,
            "value": np.arange(8.0),
        }
    )
    coded = frame.assign(**{name: pd.Categorical(frame[name], categories=["z", *sorted(set(frame[name]))])})
    one, two = dense_scores(frame, metric="s"), dense_scores(coded, metric="s")
    assert (one.items, one.policies) == (two.items, two.policies) == (["b", "a"], ["y", "x"])
    for part in ("mean", "count", "variance"):
        np.testing.assert_array_equal(getattr(one, part), getattr(two, part))
    coded.loc[5, name] = None
    with pytest.raises(DataRefused, match=f"column '{name}', row 6: blank \\(1 such"):
        dense_scores(coded, metric="s")


def test_a_number_and_its_text_are_one_id():
    frame = pd.DataFrame({"item_id": pd.Series([1, "1"], dtype=object), "model": "m", "value": [0.0, 1.0]})
    with pytest.raises(DataRefused, match="come twice, first item '1'"):
        dense_scores(frame, metric="s")


@pytest.mark.parametrize("letter", ["\n", "\t", "\r", "\x00", "\x1b", "\x7f", "\x9b"])
@pytest.mark.parametrize("column", ["item_id", "model", "metric"])
def test_control_characters_are_refused_in_every_kind_of_name(column: str, letter: str) -> None:
    frame = pd.DataFrame({"item_id": ["a", "b"], "model": "m", "metric": "s", "value": [0, 1]})
    frame[column] = [f"one{letter}two", "b"]
    with pytest.raises(DataRefused, match=f"{column}.*holds a control character"):
        dense_scores(frame, metric="score")


def test_control_characters_are_refused_in_the_heads_of_a_wide_table() -> None:
    frame = pd.DataFrame({"item_id": ["a", "b"], "\x1b[2Jm": [0, 1]})
    with pytest.raises(DataRefused, match="holds a control character"):
        dense_scores(frame, metric="score")


@pytest.mark.parametrize("name", ["cost_s", "stratum", "group"])
def test_what_tells_of_the_items_is_no_model(name: str) -> None:
    """Durations were a model that outweighed all others; a long table may hold them."""
    wide = _wide(4, 2, 0)
    with pytest.raises(DataRefused, match=f"'{name}' tells of the items and is no model"):
        dense_scores(wide.assign(**{name: [1.0, 2.0, 3.0, 4.0]}), metric="s")
    long = wide.melt("item_id", var_name="model", value_name="value").assign(**{name: 1.0})
    _same(dense_scores(long, metric="s"), dense_scores(wide, metric="s"))
