"""Anchor Points, weighted and predictor: medoids of the items' correlations over the source models.

Source: Vivek, Ethayarajh, Yang and Kiela, Anchor Points (arXiv 2309.08638); on correctness instead of class confidence
as in benchpred 1.0.0: distance 1 - C (weighted) or 1 - |C| (predictor), FasterPAM from a random start, constant items
uncorrelated with all. Construction cost: all source models on all N items. Own estimators: the cluster-weighted mean;
the anchors' lines. With several metrics the anchors are those of the weightiest one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Generator, Tensor

from bestrand_drive.compression.learned.anchors import anchors_of, cluster_weights, correlations, fit_lines
from bestrand_drive.compression.learned.columns import columns
from bestrand_drive.compression.learned.history import History
from bestrand_drive.compression.selectors.base import ChoiceSettings, Selection, check_size, weighted_selection
from bestrand_drive.compression.selectors.histories import draw_seed, histories
from bestrand_drive.scores.matrix import ScoreMatrix


@dataclass(frozen=True)
class AnchorPoints:
    """Medoids with the share of the items nearest to each as its weight."""

    settings: ChoiceSettings = field(default_factory=ChoiceSettings)
    name: str = "anchor-points"
    needs_history: bool = True

    def select(self, scores: ScoreMatrix, k: int, *, pool: Tensor, generator: Generator) -> Selection:
        """Choose medoids among the pool; all items are assigned to them.

        Raises:
            UsageError: Fewer than two probes, histories with items that no probe ran, or too many different items.
        """
        check_size(k, pool)
        past = histories(scores, self.settings, self.name, least=2)
        leading = past[next(iter(past))]
        told = columns(leading.scores)
        likeness = correlations(told.scores)
        anchors = _anchors(1 - likeness, told.of, k, pool, generator)
        weights = cluster_weights(likeness[told.of[anchors]], told.of, leading.weights)
        return weighted_selection(
            scores,
            torch.from_numpy(anchors),
            torch.from_numpy(weights),
            self.settings,
            {"sampling": "medoids of correlations", "metric": scores.metrics[next(iter(past))].name},
            estimator="weighted",
        )


@dataclass(frozen=True)
class AnchorPredictor:
    """Medoids under the absolute correlation, with a line from an anchor to every other item."""

    settings: ChoiceSettings = field(default_factory=ChoiceSettings)
    name: str = "anchor-predictor"
    needs_history: bool = True

    def select(self, scores: ScoreMatrix, k: int, *, pool: Tensor, generator: Generator) -> Selection:
        """Choose medoids among the pool and fit the lines of every metric.

        Raises:
            UsageError: Fewer than two probes, histories with items that no probe ran, or too many different items.
        """
        check_size(k, pool)
        past = histories(scores, self.settings, self.name, least=2)
        leading = past[next(iter(past))]
        told = columns(leading.scores)
        anchors = _anchors(1 - np.abs(correlations(told.scores)), told.of, k, pool, generator)
        return weighted_selection(
            scores,
            torch.from_numpy(anchors),
            torch.from_numpy(leading.weights[anchors]),
            self.settings,
            {"sampling": "medoids of absolute correlations", "metric": scores.metrics[next(iter(past))].name},
            estimator="anchor-predictor",
            model={metric: _lines(one, anchors) for metric, one in past.items()},
        )


def _anchors(distance: np.ndarray, of: np.ndarray, k: int, pool: Tensor, generator: Generator) -> np.ndarray:
    """Item numbers of the medoids, sorted; only items of the pool are eligible."""
    numbers = pool.numpy()
    return np.asarray(numbers[anchors_of(distance, of[numbers], k, draw_seed(generator))])


def _lines(past: History, anchors: np.ndarray) -> object:
    return fit_lines(past.scores, anchors, past.weights, past.low, past.width)
