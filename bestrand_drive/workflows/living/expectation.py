"""What a suite's probes promised of a new policy, from what ``suite.json`` keeps."""

from __future__ import annotations

import numpy as np

from bestrand_drive.compression.difficulty import DifficultyModel
from bestrand_drive.compression.estimators.blup import expected_variance
from bestrand_drive.compression.explained import Expectation
from bestrand_drive.compression.theory import HALF_NORMAL_MEAN, moments, r1_squared
from bestrand_drive.suite.schema import Regression, Suite, SuiteMetric
from bestrand_drive.workflows.estimating.knowledge import (
    chosen_numbers,
    item_weights,
    probe_count,
    probe_knowledge,
)


def expectation(suite: Suite, metric: SuiteMetric) -> Expectation | None:
    """The predictor on the suite's items and how well a policy like the probes should follow it.

    Returns:
        None without per-item probe data, or with one probe, from which nothing can be learned of others.
    """
    model = probe_knowledge(suite, metric).model
    if model is not None:
        return _of_model(suite, metric, model)
    return None if metric.regression is None else _of_regression(metric.regression)


def _of_model(suite: Suite, metric: SuiteMetric, model: DifficultyModel) -> Expectation | None:
    """Predictor f = d'beta; variance around it = slopes' + strata's + items', the last two as of a single policy."""
    chosen = chosen_numbers(suite)
    d = model.d[chosen] - model.d[chosen].mean(axis=0)
    spread = d.T @ d / len(d)
    foreseen = float(model.beta @ spread @ model.beta)
    probes = probe_count(suite)
    if foreseen <= 0 or probes < 2:
        return None
    slopes = float(np.sum(model.v_b * np.diag(spread)))
    total = foreseen + slopes + (model.s_u2 + model.s_e2) * _single_policy(suite, metric, model, chosen)
    root = float(np.sqrt(foreseen / total))
    gradient = model.beta @ spread  # of the covariance with f, per unit of each slope
    variance = float(np.sum(gradient**2 * model.v_b)) / probes
    return Expectation(d @ model.beta, root, float(np.sqrt(variance / (foreseen * total))), probes)


def _single_policy(suite: Suite, metric: SuiteMetric, model: DifficultyModel, chosen: np.ndarray) -> float:
    """By how much a single policy varies more than columns averaged over families; ``expected_error`` holds it."""
    if metric.expected_error is None:
        return 1.0
    of_columns = expected_variance(chosen, item_weights(suite), model)
    return float((metric.expected_error / HALF_NORMAL_MEAN) ** 2 / of_columns) if of_columns > 0 else 1.0


def _of_regression(kept: Regression) -> Expectation | None:
    """Predictor f = mean of the probes; rho as kept, its error by leaving out one probe at a time."""
    scores = np.array(kept.scores)
    probes = scores.shape[1]
    if probes < 2 or kept.correlation <= 0:
        return None
    root = float(np.sqrt(r1_squared(min(kept.correlation, 1.0), probes)))
    roots = [
        np.sqrt(r1_squared(float(np.clip(moments(np.delete(scores, one, axis=1)).rho, 0, 1)), probes))
        for one in range(probes)
    ]
    se = float(np.sqrt((probes - 1) * np.var(roots))) if probes > 2 else root
    return Expectation(scores.mean(axis=1), root, se, probes)
