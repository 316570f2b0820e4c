"""Summaries of replays against values worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bestrand_drive.study.replay import Outcomes
from bestrand_drive.study.summary import flawless_coverage, metric_row, relative_row


def outcomes(error: list[list[float]], covered: list[list[float]] | None = None, flawless: object = False) -> Outcomes:
    """One metric; error [seed][target]."""
    array = np.array(error)[:, :, None]
    held = np.full(array.shape, np.nan) if covered is None else np.array(covered, dtype=float)[:, :, None]
    return Outcomes(array, held, np.broadcast_to(np.array(flawless), array.shape[:2])[:, :, None])


def test_families_count_alike_whatever_their_size():
    big = outcomes([[1.0, -3.0], [1.0, 3.0]])
    small = outcomes([[4.0], [-8.0]])
    row = metric_row({"big": big, "small": small}, 0)
    assert row.mae == pytest.approx((2.0 + 6.0) / 2)
    assert row.mae_se == pytest.approx(math.sqrt(8.0) / math.sqrt(2))
    assert row.coverage95 is None
    assert row.coverage95_worst is None


def test_missing_errors_do_not_count():
    row = metric_row({"a": outcomes([[1.0, math.nan], [3.0, math.nan]]), "b": outcomes([[2.0], [2.0]])}, 0)
    assert row.mae == pytest.approx(2.0)


def test_one_family_has_no_standard_error():
    assert metric_row({"a": outcomes([[1.0], [3.0]])}, 0).mae_se == 0


def test_the_95th_percentile_weights_families_equally():
    """20 small errors of one family and two of another: half of the weight is theirs."""
    many = outcomes([[float(number)] for number in range(1, 21)])
    few = outcomes([[100.0], [200.0]])
    assert metric_row({"many": many, "few": few}, 0).p95 == 200.0
    assert metric_row({"many": many}, 0).p95 == 19.0


def test_coverage_is_the_mean_over_families_and_the_worst_is_named():
    good = outcomes([[0.0, 0.0]] * 4, [[1, 1]] * 4)
    poor = outcomes([[0.0]] * 4, [[1], [0], [0], [1]])
    row = metric_row({"good": good, "poor": poor, "plain": outcomes([[0.0]] * 4)}, 0)
    assert row.coverage95 == pytest.approx(0.75)
    assert row.coverage95_worst == pytest.approx(0.5)


def test_relative_errors_by_hand():
    """Families a and b: own 1 and 3 against random's 2 and 4; the jackknife leaves each out once."""
    arm = {"a": outcomes([[1.0], [1.0]]), "b": outcomes([[3.0], [3.0]])}
    random = {"a": outcomes([[2.0], [2.0]]), "b": outcomes([[4.0], [4.0]])}
    row = relative_row(arm, random, [0])
    assert row.relative == pytest.approx(4 / 6)
    ratios = np.array([3 / 4, 1 / 2])
    assert row.relative_se == pytest.approx(math.sqrt(1 * ratios.var()))
    assert row.risk_p70 == 0
    assert row.risk_p70_mean == 0


def test_random_exceeds_its_own_70th_percentile_three_times_in_ten():
    rng = np.random.default_rng(0)
    random = {"a": outcomes(rng.normal(size=(1000, 2)).tolist()), "b": outcomes(rng.normal(size=(1000, 1)).tolist())}
    row = relative_row(random, random, [0])
    assert row.relative == pytest.approx(1)
    assert row.risk_p70 == pytest.approx(0.3, abs=0.002)
    assert row.risk_p70_mean == pytest.approx(0.3, abs=0.002)


def test_a_worse_method_has_a_higher_risk():
    rng = np.random.default_rng(0)
    errors = rng.normal(size=(400, 2))
    random = {name: outcomes(errors.tolist()) for name in "ab"}
    row = relative_row({name: outcomes((2 * errors).tolist()) for name in "ab"}, random, [0])
    assert row.relative == pytest.approx(2)
    assert row.risk_p70 > 0.5


def test_several_metrics_are_averaged_relative_to_random():
    def two(first: float, second: float) -> Outcomes:
        error = np.stack([np.full((3, 1), first), np.full((3, 1), second)], axis=2)
        return Outcomes(error, np.full(error.shape, np.nan), np.zeros(error.shape, dtype=bool))

    arm, random = ({name: two(*values) for name in "ab"} for values in ((1.0, 30.0), (2.0, 40.0)))
    row = relative_row(arm, random, [0, 1])
    assert row.relative == pytest.approx((0.5 + 0.75) / 2)
    assert row.relative_se == pytest.approx(0)
    assert relative_row(arm, random, [1]).relative == pytest.approx(0.75)


def test_one_family_has_a_relative_error_without_a_standard_error():
    row = relative_row({"a": outcomes([[1.0], [1.0]])}, {"a": outcomes([[2.0], [2.0]])}, [0])
    assert row.relative == pytest.approx(0.5)
    assert row.relative_se == 0


def test_coverage_without_a_failure_in_sight():
    a = outcomes([[0.0, 0.0]] * 2, [[1, 0], [1, 1]], [[True, False], [True, True]])
    b = outcomes([[0.0]] * 2, [[0], [1]], [[True], [False]])
    count, share = flawless_coverage({"a": a, "b": b}, 0)
    assert count == 4
    assert share == pytest.approx(3 / 4)
    count, share = flawless_coverage({"c": outcomes([[0.0]], [[1]], [[False]])}, 0)
    assert count == 0
    assert math.isnan(share)
