"""What is measured and what counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestrand_drive.compression.estimators.sample import PointEstimate, Sample, sample_variance
from tests.compression.worlds import LIGHT, close


def test_measured_and_counted_items() -> None:
    sample = Sample(np.array([np.nan, 1.0, 0.0, np.nan]), np.array([1.0, 0.0, 2.0, 0.0]), np.zeros(4, dtype=int))
    assert sample.measured.tolist() == [1, 2]
    assert sample.counted.tolist() == [2]


@LIGHT
@given(st.lists(st.floats(-100, 100), min_size=2, max_size=20))
def test_sample_variance_equals_brute_force(values: list[float]) -> None:
    mean = sum(values) / len(values)
    close(sample_variance(np.array(values)), sum((v - mean) ** 2 for v in values) / (len(values) - 1), scale=1e4)


@pytest.mark.parametrize("values", [[], [3.0]])
def test_fewer_than_two_values_have_no_variance(values: list[float]) -> None:
    assert sample_variance(np.array(values)) == 0.0


def test_the_plain_mean() -> None:
    none = np.zeros(0)
    assert PointEstimate(9.0, 0.0, 1.0, 2, 0.0, none, np.array([1.0, 2.0]), 2.0, True, "test").mean == 1.5
