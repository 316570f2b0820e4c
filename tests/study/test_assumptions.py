"""Each assumption of the theory, broken alone."""

import numpy as np
import pytest

from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec
from bestrand_drive.study.assumptions import assumptions
from tests.study.worlds import table_problem


def found(values):
    items, policies = values.shape
    scores = ScoreMatrix.from_arrays(
        values[:, :, None],
        items=[f"q{number}" for number in range(items)],
        policies=[f"m{number}" for number in range(policies)],
        metrics=[MetricSpec("score", None, None)],
    )
    return assumptions(table_problem(scores, 2))[0]


def alike(sds=1.0, slopes=1.0):
    rng = np.random.default_rng(0)
    return rng.standard_normal((600, 1)) * slopes + rng.standard_normal((600, 8)) * sds


def test_models_alike_fail_nothing():
    one = found(alike())
    assert one.failures == []
    assert one.row["equal_variance"]
    assert one.row["equal_correlation"]
    assert one.row["positive_covariances"]
    assert one.row["correlation_sd"] < 2 * one.chance_sd
    assert one.moments.rho == pytest.approx(0.5, abs=0.06)


def test_unequal_variances_of_equal_correlation():
    one = found(alike() * np.linspace(0.3, 2, 8))
    assert [line.split(" (")[0] for line in one.failures] == ["variances differ"]
    assert one.variance_factor == pytest.approx(
        np.mean(np.linspace(0.3, 2, 8)) / np.sqrt(np.mean(np.linspace(0.3, 2, 8) ** 2)), abs=0.02
    )
    assert not one.row["equal_variance"]


def test_unequal_correlations_of_equal_variance():
    slopes = np.sqrt(np.linspace(0.1, 1.6, 8))
    one = found(alike(np.sqrt(2 - slopes**2), slopes))
    assert [line.split(" (")[0] for line in one.failures] == ["correlations differ"]
    assert not one.row["equal_correlation"]


def test_pairs_that_covary_against_each_other():
    one = found(alike(slopes=np.array([1, 1, 1, 1, 1, 1, -1, -1])))
    assert any(line.startswith("43% of the pairs") for line in one.failures)  # 12 of 28
    assert one.row["positive"] == pytest.approx(16 / 28)


def test_a_constant_model_is_named():
    values = alike()
    values[:, 3] = 0.5
    assert any(line.startswith("1 of 8 models") for line in found(values).failures)
