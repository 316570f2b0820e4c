"""Simple random sampling: every subset of the pool is equally likely. The baseline of every comparison.

Source: Cochran, Sampling Techniques, chapter 2. Construction cost: none. Own estimator: the plain mean.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Generator, Tensor

from bestrand_drive.compression.sampling import simple_random
from bestrand_drive.compression.search import SearchSpace, best_of, guard_rows
from bestrand_drive.compression.selectors.base import ChoiceSettings, Selection, check_size, selection
from bestrand_drive.scores.matrix import ScoreMatrix


@dataclass(frozen=True)
class Random:
    """One random subset; looks at no score."""

    settings: ChoiceSettings = field(default_factory=ChoiceSettings)
    name: str = "random"
    needs_history: bool = False

    def select(self, scores: ScoreMatrix, k: int, *, pool: Tensor, generator: Generator) -> Selection:
        """Draw once (again only when a guarded domain has no item)."""
        check_size(k, pool)
        guards = guard_rows(list(scores.domains.values()) if self.settings.guard_domains else [], pool)
        space = SearchSpace(torch.zeros((len(pool), 0), dtype=torch.float64), None, None, guards)
        found = best_of(simple_random(len(pool), k), k, space, 1, generator, memory_mib=self.settings.memory_mib)
        return selection(pool, found.subset, scores, {"sampling": "simple random", "rejected": found.rejected})
