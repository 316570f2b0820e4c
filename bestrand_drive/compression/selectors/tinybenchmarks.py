"""tinyBenchmarks: items nearest to the centres of k-means on the parameters of an item response model.

Source: Maia Polo et al., tinyBenchmarks (arXiv 2402.14992): response model of 5 or 10 dimensions (``learned.irt``),
continuous scores cut where the models' means are kept, k-means on [a, b] weighted by what an item counts, anchors with
their clusters' weight. Construction cost: all source models on all N items. Own estimator: gp-IRT; ``weighted`` is the
IRT anchor and ``pirt`` p-IRT. With several metrics the items are chosen by the weightiest; each has its own model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Generator, Tensor

from bestrand_drive.compression.learned.clusters import central_items
from bestrand_drive.compression.learned.history import History
from bestrand_drive.compression.learned.irt import EPOCHS
from bestrand_drive.compression.learned.responses import ResponseModel, fit_responses
from bestrand_drive.compression.sampling import split_generator
from bestrand_drive.compression.selectors.base import ChoiceSettings, Selection, check_size, weighted_selection
from bestrand_drive.compression.selectors.histories import draw_seed, histories
from bestrand_drive.scores.matrix import ScoreMatrix


@dataclass(frozen=True)
class TinyBenchmarks:
    """Anchors of an item response model."""

    settings: ChoiceSettings = field(default_factory=ChoiceSettings)
    name: str = "tinybenchmarks"
    needs_history: bool = True

    def select(self, scores: ScoreMatrix, k: int, *, pool: Tensor, generator: Generator) -> Selection:
        """Fit the response model and choose anchors among the pool.

        Raises:
            UsageError: Fewer than two probes, or histories with items that no probe ran.
        """
        return self.select_many([scores], k, pools=[pool], generators=[generator])[0]

    def select_many(
        self, cases: Sequence[ScoreMatrix], k: int, *, pools: Sequence[Tensor], generators: Sequence[Generator]
    ) -> list[Selection]:
        """Several choices of one size, whose models are fitted together; each draws from its own generator.

        Raises:
            UsageError: As ``select``.
        """
        for pool in pools:
            check_size(k, pool)
        pasts = [histories(scores, self.settings, self.name, least=2) for scores in cases]
        own = [split_generator(generator) for generator in generators]
        models: list[dict[int, ResponseModel]] = [{} for _ in cases]
        for batch in _alike(pasts):
            fitted = fit_responses(
                [pasts[case][metric] for case, metric in batch],
                [own[case] for case, _ in batch],
                self.settings.scaled(EPOCHS),
            )
            for (case, metric), model in zip(batch, fitted, strict=True):
                models[case][metric] = model
        return [
            self._selection(scores, k, pool, past, model, draw_seed(generator))
            for scores, pool, past, model, generator in zip(cases, pools, pasts, models, own, strict=True)
        ]

    def _selection(
        self,
        scores: ScoreMatrix,
        k: int,
        pool: Tensor,
        past: dict[int, History],
        models: dict[int, ResponseModel],
        seed: int,
    ) -> Selection:
        leading = next(iter(past))
        model = models[leading]
        points = np.column_stack([model.items.discrimination, model.items.difficulty])
        indices, weights = central_items(points, past[leading].weights, k, seed, pool.numpy())
        return weighted_selection(
            scores,
            torch.from_numpy(indices),
            torch.from_numpy(weights),
            self.settings,
            {
                "sampling": "centres of item parameters",
                "metric": scores.metrics[leading].name,
                "dimensions": model.items.discrimination.shape[1],
                "validation_error": model.bias,
            },
            estimator="gpirt",
            model=models,
        )


def _alike(pasts: Sequence[dict[int, History]]) -> list[list[tuple[int, int]]]:
    """(case, metric) pairs in batches of one shape; a case is at most once in a batch, since its generator is."""
    batches: dict[tuple[int, tuple[int, ...]], list[tuple[int, int]]] = {}
    for case, past in enumerate(pasts):
        for number, (metric, one) in enumerate(past.items()):
            batches.setdefault((number, one.scores.shape), []).append((case, metric))
    return list(batches.values())
