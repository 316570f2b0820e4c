"""Small full histories that the tests of methods of the field share."""

from __future__ import annotations

import numpy as np
import torch

from bestrand_drive.compression.estimators.source import Source
from bestrand_drive.compression.learned.history import History
from bestrand_drive.compression.selectors.base import Selection
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec

CHOSEN = np.array([4, 6, 12, 15, 16, 19, 26, 27, 37, 39])


def graded() -> tuple[np.ndarray, np.ndarray]:
    """Scores of 9 models on 40 items, and of a target that none of them is."""
    rng = np.random.default_rng(0)
    scores = rng.random((9, 40)) * rng.random((1, 40))
    return scores, rng.random(40)


def answered(models: int = 8, items: int = 40, seed: int = 1) -> np.ndarray:
    """Right and wrong answers of models of different ability, [model, item]."""
    rng = np.random.default_rng(seed)
    ability, difficulty = rng.normal(size=(models, 1)), rng.normal(size=(1, items))
    return (rng.logistic(size=(models, items)) < 2 * ability - difficulty).astype(float)


def past(scores: np.ndarray, weights: np.ndarray | None = None) -> History:
    """A history on the unit scale."""
    return History(scores, np.ones(scores.shape[1]) if weights is None else weights, 0.0, 1.0)


def score_matrix(scores: np.ndarray, strata: np.ndarray | None = None) -> ScoreMatrix:
    """Score matrix of [model, item] in [0, 1]."""
    return ScoreMatrix.from_arrays(
        scores.T[:, :, None],
        items=[f"i{number:03d}" for number in range(scores.shape[1])],
        policies=[f"m{number}" for number in range(len(scores))],
        metrics=[MetricSpec("score", low=0.0, high=1.0)],
        strata=None if strata is None else [f"s{label:03d}" for label in strata],
    )


def drawn(indices: np.ndarray) -> Selection:
    """A plain selection of these items."""
    return Selection(torch.from_numpy(indices), torch.full((len(indices),), 1 / len(indices), dtype=torch.float64), {})


def source(scores: np.ndarray, pool: np.ndarray | None = None, strata: np.ndarray | None = None) -> Source:
    """What estimators see of [model, item] scores."""
    matrix = score_matrix(scores, strata)
    numbers = np.arange(scores.shape[1]) if pool is None else pool
    return Source(matrix.hidden_outside(torch.from_numpy(numbers)), numbers)
