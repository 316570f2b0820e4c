"""SparseEval: anchors by k-means, refined by a network that predicts the full score from them. Linear or MLP.

Source: SparseEval's code: items as L2-normalised +-1 vectors over the source models, the item nearest to each k-means
centre; ten times the anchor on which the proxy network's loss hangs least is exchanged for the item that correlates
most with its residuals; a final network of the same kind, kept by validation loss and order. A quarter of the source
models validates the final network and takes no part in the search; with fewer than four none does, and the final
network is trained as long as a proxy. With fewer source models than anchors, which the authors never have, the networks
keep what of their random start no source model contradicts, and guess worse than a plain mean. Construction cost: all
source models on all N items. Own estimator: that network. With several metrics the anchors are those of the weightiest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Generator, Tensor

from bestrand_drive.compression.learned.clusters import central_items
from bestrand_drive.compression.learned.history import History
from bestrand_drive.compression.learned.sparse import (
    FINAL_EPOCHS,
    PROXY_EPOCHS,
    SparseNetwork,
    predictors,
    refined,
    split,
)
from bestrand_drive.compression.sampling import split_generator
from bestrand_drive.compression.selectors.base import ChoiceSettings, Selection, check_size, weighted_selection
from bestrand_drive.compression.selectors.histories import draw_seed, histories
from bestrand_drive.scores.matrix import ScoreMatrix


@dataclass(frozen=True)
class SparseEval:
    """Refined anchors with a network. ``deep`` is the MLP."""

    settings: ChoiceSettings = field(default_factory=ChoiceSettings)
    deep: bool = False
    needs_history: bool = True

    @property
    def name(self) -> str:
        """As on the command line."""
        return "sparseeval-mlp" if self.deep else "sparseeval-linear"

    def select(self, scores: ScoreMatrix, k: int, *, pool: Tensor, generator: Generator) -> Selection:
        """Choose anchors among the pool and train the predictor of every metric.

        Raises:
            UsageError: Fewer than two probes, or histories with items that no probe ran.
        """
        return self.select_many([scores], k, pools=[pool], generators=[generator])[0]

    def select_many(
        self, cases: Sequence[ScoreMatrix], k: int, *, pools: Sequence[Tensor], generators: Sequence[Generator]
    ) -> list[Selection]:
        """Several choices of one size, whose networks are trained together where their histories have one shape.

        Raises:
            UsageError: As ``select``.
        """
        for pool in pools:
            check_size(k, pool)
        pasts = [histories(scores, self.settings, self.name, least=2) for scores in cases]
        found: dict[int, Selection] = {}
        for rows in _alike(pasts):
            batch = self._together(
                [cases[row] for row in rows],
                [pasts[row] for row in rows],
                [pools[row] for row in rows],
                [generators[row] for row in rows],
                k=k,
            )
            found |= dict(zip(rows, batch, strict=True))
        return [found[row] for row in range(len(cases))]

    def _together(
        self,
        cases: Sequence[ScoreMatrix],
        pasts: Sequence[dict[int, History]],
        pools: Sequence[Tensor],
        generators: Sequence[Generator],
        *,
        k: int,
    ) -> list[Selection]:
        """Choices from histories of one shape."""
        own = [split_generator(generator) for generator in generators]
        leading = [past[next(iter(past))] for past in pasts]
        parts = [split(len(past.scores), generator) for past, generator in zip(leading, own, strict=True)]
        fit = [_models(past, part[0]) for past, part in zip(leading, parts, strict=True)]
        numbers = [pool.numpy() for pool in pools]
        starts = [_start(past, k, pool, draw_seed(each)) for past, pool, each in zip(fit, numbers, own, strict=True)]
        anchors = refined(fit, starts, numbers, self.deep, own, self.settings.scaled(PROXY_EPOCHS))
        models: list[dict[int, SparseNetwork]] = [{} for _ in cases]
        for metric in pasts[0]:
            networks = self._networks([past[metric] for past in pasts], anchors, parts, own)
            for model, network in zip(models, networks, strict=True):
                model[metric] = network
        return [self._selection(*each) for each in zip(cases, anchors, pasts, models, strict=True)]

    def _networks(
        self,
        pasts: Sequence[History],
        anchors: Sequence[np.ndarray],
        parts: Sequence[tuple[np.ndarray, np.ndarray]],
        generators: Sequence[Generator],
    ) -> list[SparseNetwork]:
        """Predictors of one metric; models that validate are those that the anchors never saw."""
        if len(pasts[0].scores) != sum(len(part) for part in parts[0]):  # some model lacks this metric
            parts = [split(len(past.scores), generator) for past, generator in zip(pasts, generators, strict=True)]
        kept, held = ([_models(p, part[side]) for p, part in zip(pasts, parts, strict=True)] for side in (0, 1))
        epochs = self.settings.scaled(PROXY_EPOCHS), self.settings.scaled(FINAL_EPOCHS)
        return predictors(kept, held, anchors, self.deep, generators, epochs)

    def _selection(
        self, scores: ScoreMatrix, anchors: np.ndarray, past: dict[int, History], models: dict[int, SparseNetwork]
    ) -> Selection:
        leading = next(iter(past))
        return weighted_selection(
            scores,
            torch.from_numpy(anchors),
            torch.from_numpy(past[leading].weights[anchors]),
            self.settings,
            {"sampling": "anchors of a network", "metric": scores.metrics[leading].name},
            estimator="sparse-network",
            model=models,
        )


def _alike(pasts: Sequence[dict[int, History]]) -> list[list[int]]:
    """Numbers of the cases, in groups whose histories have the same metrics and shapes."""
    groups: dict[tuple[tuple[int, tuple[int, ...]], ...], list[int]] = {}
    for case, past in enumerate(pasts):
        groups.setdefault(tuple((metric, one.scores.shape) for metric, one in past.items()), []).append(case)
    return list(groups.values())


def _models(past: History, numbers: np.ndarray) -> History:
    return replace(past, scores=past.scores[numbers])


def _start(past: History, k: int, pool: np.ndarray, seed: int) -> np.ndarray:
    """Items nearest to k-means centres of the items' normalised +-1 vectors."""
    vectors = (2 * past.scores - 1).T
    size = np.linalg.norm(vectors, axis=1, keepdims=True)
    return central_items(vectors / np.where(size > 1e-12, size, 1.0), np.ones(len(vectors)), k, seed, pool)[0]
