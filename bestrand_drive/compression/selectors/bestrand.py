"""BestRand as published: the best of m random subsets of the pool by the L2 distance of probe means.

Source: "Random Is Almost Enough? Stable and Low-Cost Benchmark Compression via BestRand". The pool of min(n k, N) items
(n = 4) is drawn before, since the probes are run on nothing else; m = 128. With several metrics each is divided by its
standard deviation pooled over items and probes. Construction cost: all probes on the pool. Own estimator: the plain
mean.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Generator, Tensor

from bestrand_drive.compression.features import differences
from bestrand_drive.compression.search import SearchSpace, guard_rows, search
from bestrand_drive.compression.selectors.base import ChoiceSettings, Selection, check_size, selection, way_taken
from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix


@dataclass(frozen=True)
class Bestrand:
    """Best of ``settings.candidates`` simple random subsets on raw probe means; families are not merged."""

    settings: ChoiceSettings = field(default_factory=ChoiceSettings)
    name: str = "bestrand"
    needs_history: bool = False

    def select(self, scores: ScoreMatrix, k: int, *, pool: Tensor, generator: Generator) -> Selection:
        """Judge random subsets of the pool.

        Raises:
            UsageError: There is no probe, or no metric to choose by.
        """
        check_size(k, pool)
        features, valid = _probe_features(scores, pool, self.settings)
        if features.shape[1] == 0 and self.settings.objective == "ranking":
            raise UsageError("--objective ranking needs two probes whose scores differ.")
        if features.shape[1] == 0 and not self._same_everywhere(scores, pool):
            raise UsageError("bestrand needs at least one probe with a score on the pool; use --selector balanced.")
        guards = guard_rows(list(scores.domains.values()) if self.settings.guard_domains else [], pool)
        weights = None if scores.weights is None else scores.weights[pool]
        found = search(
            None,
            k,
            SearchSpace(features, None if bool(valid.all()) else valid, weights, guards),
            self.settings.candidates if features.shape[1] else 1,
            generator,
            way=self.settings.search,
            memory_mib=self.settings.memory_mib,
            device=self.settings.device,
        )
        told: dict[str, float | int | str] = {
            "sampling": "simple random",
            "imbalance": found.distance,
            "mean_square_imbalance": found.mean_square,
            "judged": found.judged,
            "rejected": found.rejected,
        }
        return selection(pool, found.subset, scores, told | way_taken(found, self.settings))

    def _same_everywhere(self, scores: ScoreMatrix, pool: Tensor) -> bool:
        """Whether there are scores to choose by, though they tell the pool's items not apart: one subset is as good."""
        numbers = self.settings.chosen_metrics(scores)
        return bool(scores.valid[pool][:, :, numbers].any())


def _probe_features(scores: ScoreMatrix, pool: Tensor, settings: ChoiceSettings) -> tuple[Tensor, Tensor]:
    """Scores (or differences) over the pooled deviation, and their mask: Tensor[pool item, metric x probe] each."""
    blocks, masks = [], []
    for metric in range(len(scores.metrics)):
        weight = settings.weight(scores, metric)
        values = scores.values[pool, :, metric].to(torch.float64)
        valid = scores.valid[pool, :, metric]
        if settings.objective == "ranking":
            values = torch.from_numpy(np.nan_to_num(differences(scores.masked(metric)[pool.numpy()])))
        spread = _pooled_deviation(values, valid)
        if weight == 0 or spread <= 1e-12:
            continue
        blocks.append(weight * values / spread)
        masks.append(valid)
    if not blocks:
        return torch.zeros((len(pool), 0), dtype=torch.float64), torch.zeros((len(pool), 0), dtype=torch.bool)
    features, valid = torch.cat(blocks, dim=1), torch.cat(masks, dim=1)
    used = valid.any(dim=0)
    return features[:, used], valid[:, used]


def _pooled_deviation(values: Tensor, valid: Tensor) -> float:
    """Standard deviation pooled over items and probes: root mean square of the valid cells about each probe's mean."""
    count = valid.sum(dim=0)
    means = values.sum(dim=0) / count.clamp(min=1)
    squares = torch.where(valid, (values - means) ** 2, torch.zeros((), dtype=values.dtype))
    return float((squares.sum() / count.sum().clamp(min=1)).sqrt())
