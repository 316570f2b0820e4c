"""Anchors and lines, against exhaustive search, numpy's fits and the authors' follow-up package."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from bestrand_drive.compression.learned import anchors
from bestrand_drive.compression.learned.columns import columns
from bestrand_drive.errors import UsageError
from tests.compression.histories import answered, graded
from tests.compression.worlds import close


def test_correlations_are_numpy_s_and_zero_for_constant_items() -> None:
    scores, _ = graded()
    scores[:, 7] = 0.25
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.nan_to_num(np.corrcoef(scores, rowvar=False))
    close(anchors.correlations(scores), expected)


def test_medoids_are_nearly_the_best_of_all_subsets() -> None:
    distance = 1 - anchors.correlations(answered(9, 12))
    best = min(distance[list(subset)].min(axis=0).sum() for subset in itertools.combinations(range(12), 3))
    found = [anchors.medoids(distance, 3, seed) for seed in range(5)]
    costs = [distance[subset].min(axis=0).sum() for subset in found]
    assert min(costs) == pytest.approx(best)
    assert max(costs) <= 1.15 * best


def test_medoids_of_items_that_are_all_alike_still_differ() -> None:
    for k in (1, 3, 6):
        assert len(set(anchors.medoids(np.zeros((6, 6)), k, 0).tolist())) == k


def test_cluster_weights_count_every_item_once() -> None:
    likeness = np.array([[1.0, 0.2, 0.5, 0.0], [0.2, 1.0, 0.5, -1.0]])
    close(anchors.cluster_weights(likeness, np.arange(4), np.array([1.0, 2.0, 4.0, 8.0])), [13.0, 2.0])
    shared = np.array([0, 1, 2, 1, 3])
    close(anchors.cluster_weights(likeness, shared, np.array([1.0, 2.0, 4.0, 8.0, 16.0])), [21.0, 10.0])


def test_each_item_keeps_the_line_of_least_residual() -> None:
    scores, _ = graded()
    chosen = np.array([2, 11, 30])
    lines = anchors.fit_lines(scores, chosen, np.ones(40), 0.0, 1.0)
    for number, item in enumerate(lines.rest):
        fits = [np.polyfit(scores[:, a], scores[:, item], 1, full=True)[:2] for a in chosen]
        best = int(np.argmin([float(residual[0]) for _, residual in fits]))
        assert lines.anchor[number] == chosen[best]
        close([lines.slope[number], lines.intercept[number]], fits[best][0])


@pytest.mark.parametrize(("k", "expected"), [(6, 0.402710791093666), (12, 0.5381339681951915)])
def test_weighted_is_the_package_s(k: int, expected: float) -> None:
    """AnchorPointsWeightedPred of benchpred 1.0.0 on these scores, with kmedoids' seed 5."""
    scores, target = graded()
    likeness = anchors.correlations(scores)
    chosen = anchors.medoids(1 - likeness, k, 5)
    weights = anchors.cluster_weights(likeness[chosen], np.arange(40), np.ones(40))
    close(weights @ target[chosen] / weights.sum(), expected, rtol=1e-6)


def test_predictor_is_the_package_s() -> None:
    """AnchorPointPredictorPred of benchpred 1.0.0 on these scores, with kmedoids' seed 5."""
    scores, target = graded()
    chosen = anchors.medoids(1 - np.abs(anchors.correlations(scores)), 6, 5)
    lines = anchors.fit_lines(scores, chosen, np.ones(40), 0.0, 1.0)
    close((lines.slope * target[lines.anchor] + lines.intercept).mean(), 0.7102591274801093, rtol=1e-6)


def test_lines_are_on_the_metric_s_own_scale() -> None:
    scores, target = graded()
    chosen = np.array([2, 11, 30])
    unit = anchors.fit_lines(scores, chosen, np.ones(40), 0.0, 1.0)
    other = anchors.fit_lines(scores, chosen, np.ones(40), -5.0, 20.0)
    predicted = unit.slope * target[unit.anchor] + unit.intercept
    close(other.slope * (-5 + 20 * target[other.anchor]) + other.intercept, -5 + 20 * predicted)


def test_a_constant_anchor_predicts_the_mean() -> None:
    scores, _ = graded()
    scores[:, 2] = 0.5
    lines = anchors.fit_lines(scores, np.array([2]), np.ones(40), 0.0, 1.0)
    close(lines.slope, 0.0)
    close(lines.intercept, scores.mean(axis=0)[lines.rest])


def test_too_many_different_items_are_refused() -> None:
    with pytest.raises(UsageError, match="12001 different items"):
        anchors.correlations(np.zeros((2, anchors.MOST_ITEMS + 1)))


def test_anchors_among_many_items_cover_all_that_differ_or_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = answered(5, 90)
    told = columns(scores)
    distance = 1 - anchors.correlations(told.scores)
    different = told.scores.shape[1]
    assert different < 33
    monkeypatch.setattr(anchors, "MOST_ITEMS", 89)
    with pytest.raises(UsageError, match=f"tell apart, {different}; it is {different - 1}"):
        anchors.anchors_of(distance, told.of, different - 1, 0)
    for k in (different, 40, 90):
        chosen = anchors.anchors_of(distance, told.of, k, 3)
        assert len(chosen) == k == len(set(chosen.tolist()))
        far = distance[np.ix_(told.of[chosen], told.of)].min(axis=0).sum()
        least = distance[np.ix_(told.of, told.of)].min(axis=0).sum()
        assert far == least  # nothing lies nearer to an item than what is like it
    starts = {tuple(anchors.anchors_of(distance, told.of, different, seed)) for seed in range(20)}
    assert len(starts) > 1


def test_columns_stand_for_the_items_that_are_alike() -> None:
    scores = answered(4, 60)
    told = columns(scores)
    assert np.array_equal(told.scores[:, told.of], scores)
    assert told.scores.shape[1] == len({tuple(column) for column in scores.T})
    assert list(dict.fromkeys(told.of.tolist())) == list(range(told.scores.shape[1]))
