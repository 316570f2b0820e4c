"""DatBench: the items that tell models apart best, by the correlation of an item with the overall score.

Source: DatBench (arXiv 2601.02316): point-biserial correlation of correctness with the model's overall score (Pearson's
for graded scores), the greatest first; its cleaning of questions needs their text and is not part of this. Items that
are constant over the models come last; equal ones in random order. Construction cost: all source models on all N items.
Own estimator: the plain mean, which is biased by design: the method is for ranking models.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Generator, Tensor

from bestrand_drive.compression.learned.history import History
from bestrand_drive.compression.sampling import split_generator
from bestrand_drive.compression.selectors.base import ChoiceSettings, Selection, check_size, weighted_selection
from bestrand_drive.compression.selectors.histories import histories
from bestrand_drive.scores.matrix import ScoreMatrix


@dataclass(frozen=True)
class DatBench:
    """The k items of greatest discrimination."""

    settings: ChoiceSettings = field(default_factory=ChoiceSettings)
    name: str = "datbench"
    needs_history: bool = True

    def select(self, scores: ScoreMatrix, k: int, *, pool: Tensor, generator: Generator) -> Selection:
        """Rank the pool's items.

        Raises:
            UsageError: Fewer than two probes, or histories with items that no probe ran.
        """
        check_size(k, pool)
        past = histories(scores, self.settings, self.name, least=2)
        leading = next(iter(past))
        power = np.round(discrimination(past[leading])[pool.numpy()], 9)
        order = torch.rand(len(pool), dtype=torch.float64, generator=split_generator(generator)).numpy()
        indices = pool[torch.from_numpy(np.lexsort((order, -power))[:k].copy())]
        weights = torch.from_numpy(past[leading].weights)[indices]
        return weighted_selection(
            scores,
            indices,
            weights,
            self.settings,
            {"sampling": "greatest discrimination", "metric": scores.metrics[leading].name},
            estimator="mean",
        )


def discrimination(past: History) -> np.ndarray:
    """Correlation of each item with the models' overall scores, [item]; -1 where either is constant."""
    overall = past.scores @ past.weights / past.weights.sum()
    x, y = past.scores - past.scores.mean(axis=0), overall - overall.mean()
    size = np.sqrt((x**2).sum(axis=0) * float(y @ y))
    known = size > 1e-12
    return np.where(known, y @ x / np.where(known, size, 1.0), -1.0)
