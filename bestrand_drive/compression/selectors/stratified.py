"""Proportional stratified sampling: every stratum at its share, items random inside. Looks at no score.

Source: Cochran, Sampling Techniques, 5.3, drawn systematically (``sampling.systematic_stratified``).
Construction cost: none. Own estimator: the stratified mean.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import torch
from torch import Generator, Tensor

from bestrand_drive.compression.sampling import systematic_stratified
from bestrand_drive.compression.search import SearchSpace, best_of, guard_rows
from bestrand_drive.compression.selectors.base import ChoiceSettings, Selection, check_size, selection
from bestrand_drive.compression.strata import stratum_codes
from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix


@dataclass(frozen=True)
class Stratified:
    """One proportional draw."""

    settings: ChoiceSettings = field(default_factory=ChoiceSettings)
    name: str = "stratified"
    needs_history: bool = False

    def select(self, scores: ScoreMatrix, k: int, *, pool: Tensor, generator: Generator) -> Selection:
        """Draw once (again only when a guarded domain has no item).

        Raises:
            UsageError: The items have no strata.
        """
        check_size(k, pool)
        if scores.strata is None:
            raise UsageError("stratified needs a stratum of every item (--items); without strata use random.")
        codes = stratum_codes([scores.strata[i] for i in pool.tolist()]).codes
        guards = guard_rows(list(scores.domains.values()) if self.settings.guard_domains else [], pool)
        space = SearchSpace(torch.zeros((len(pool), 0), dtype=torch.float64), None, None, guards)
        draw = systematic_stratified(codes, k)
        found = best_of(draw, k, space, 1, generator, memory_mib=self.settings.memory_mib)
        told: dict[str, float | int | str] = {
            "sampling": "proportional, systematic within strata",
            "rejected": found.rejected,
        }
        return replace(selection(pool, found.subset, scores, told), estimator="stratified")
