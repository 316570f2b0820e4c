"""A random subset for the AIPW estimator, which learns from the histories of the source models.

Source: Zhang, Dorner and Hardt, How Benchmark Prediction from Fewer Data Misses the Mark (2025); their benchpred 1.0.0.
Construction cost: all source models on all N items, for the estimator. Own estimator: AIPW.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from torch import Generator, Tensor

from bestrand_drive.compression.selectors.base import ChoiceSettings, Selection
from bestrand_drive.compression.selectors.histories import histories
from bestrand_drive.compression.selectors.random import Random
from bestrand_drive.scores.matrix import ScoreMatrix


@dataclass(frozen=True)
class Aipw:
    """One random subset; refuses histories that the estimator could not use."""

    settings: ChoiceSettings = field(default_factory=ChoiceSettings)
    name: str = "aipw"
    needs_history: bool = True

    def select(self, scores: ScoreMatrix, k: int, *, pool: Tensor, generator: Generator) -> Selection:
        """Draw once.

        Raises:
            UsageError: No probe, or histories with items that no probe ran.
        """
        found = Random(self.settings).select(scores, k, pool=pool, generator=generator)
        histories(scores, self.settings, self.name, least=1)
        return replace(found, estimator="aipw")
