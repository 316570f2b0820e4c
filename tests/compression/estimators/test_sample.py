"""What is measured and what counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestrand_drive.compression.estimators.sample import PointEstimate, Sample, ratio_sample, sample_variance
from tests.compression.worlds import LIGHT, close


def test_measured_and_counted_items() -> None:
    sample = Sample(np.array([np.nan, 1.0, 0.0, np.nan]), np.array([1.0, 0.0, 2.0, 0.0]), np.zeros(4, dtype=int))
    assert sample.measured.tolist() == [1, 2]
    assert sample.counted.tolist() == [2]


def test_how_many_items_count() -> None:
    """Kish's size for unequal weights; a weight that is a chance counts by its expectation."""
    zones = np.zeros(4, dtype=int)
    assert Sample(np.zeros(4), np.full(4, 2.5), zones).population == 4.0
    assert Sample(np.zeros(4), np.array([1.0, 1.0, 0.0, 0.0]), zones).population == 2.0
    assert Sample(np.zeros(4), np.array([3.0, 1.0, 0.0, 0.0]), zones).population == 16 / 10
    chances = np.array([1.0, 1.0, 0.5, 0.5])
    close(Sample(np.zeros(4), chances, zones, chances).population, 3.0)


def test_complete_when_every_item_that_counts_was_measured() -> None:
    values, strata = np.array([1.0, 2.0, np.nan]), np.zeros(3, dtype=int)
    assert Sample(values, np.array([1.0, 1.0, 0.0]), strata).complete
    assert not Sample(values, np.array([1.0, 1.0, 0.01]), strata).complete
    assert not Sample(values, np.ones(3), strata).complete


def test_a_ratio_metric_counts_items_that_logged_and_the_others_by_their_chance() -> None:
    """Items 0 to 3 were driven, three of them logged; of items 4 and 5 nothing is known."""
    values = np.array([1.0, 2.0, 3.0, np.nan, np.nan, np.nan])
    weights = np.array([1.0, 2.0, 1.0, 1.0, 1.0, 2.0])
    driven = np.arange(6) < 4
    found = ratio_sample(Sample(values, weights, np.zeros(6, dtype=int)), driven)
    close(found.weights, [1.0, 2.0, 1.0, 0.0, 0.75, 1.5])
    close(found.squares, [1.0, 4.0, 1.0, 0.0, 0.75, 3.0])
    assert found.counted.tolist() == [0, 1, 2]
    assert not found.complete
    whole = ratio_sample(Sample(values, weights, np.zeros(6, dtype=int)), np.ones(6, dtype=bool))
    assert whole.complete
    close(whole.weights, [1.0, 2.0, 1.0, 0.0, 0.0, 0.0])


@LIGHT
@given(st.integers(0, 10**6), st.integers(2, 30), st.sampled_from([0.3, 0.7, 1.0]))
def test_the_population_of_a_ratio_metric_is_the_expected_number_of_items(seed: int, items: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    driven, logs = rng.random(items) < 0.6, rng.random(items) < share
    driven[0] = logs[0] = True
    values = np.where(driven & logs, 1.0, np.nan)
    found = ratio_sample(Sample(values, np.ones(items), np.zeros(items, dtype=int)), driven)
    logged = int((driven & logs).sum())
    close(found.population, logged + logged / driven.sum() * (~driven).sum())


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
