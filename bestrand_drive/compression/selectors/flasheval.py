"""FlashEval: an evolutionary search for the subset that ranks the source models like the whole benchmark.

Source: FlashEval (arXiv 2403.16379), scaled down from 3,000,000 sets a round to 500 to 5,000: each round draws random
k-sets of the items that are left, keeps the 2 % of greatest rank correlation, and goes on with the items that these
hold most often, their number falling geometrically from N to k in 12 rounds; the best set of all rounds is the answer.
Rank correlation is Kendall's tau-b with equal scores as ties, as in its code (whose margins of a tie belong to its four
metrics). Unlike the original, a set holds no item twice. Construction cost: all source models on all N items. Own
estimator: the plain mean.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Generator, Tensor

from bestrand_drive.compression.learned.history import History
from bestrand_drive.compression.sampling import simple_random, split_generator
from bestrand_drive.compression.selectors.base import ChoiceSettings, Selection, check_size, weighted_selection
from bestrand_drive.compression.selectors.histories import histories
from bestrand_drive.scores.matrix import ScoreMatrix

ROUNDS = 12
KEPT = 0.02
DRAWN_KEYS = 4_000_000
"""Random keys a round: sets x items left."""
SETS = (500, 5_000)
DOUBLES = 4_000_000
"""Most numbers in one temporary array (32 MB)."""


@dataclass(frozen=True)
class FlashEval:
    """Items that good subsets hold often."""

    settings: ChoiceSettings = field(default_factory=ChoiceSettings)
    name: str = "flasheval"
    needs_history: bool = True

    def select(self, scores: ScoreMatrix, k: int, *, pool: Tensor, generator: Generator) -> Selection:
        """Search the pool.

        Raises:
            UsageError: Fewer than two probes, or histories with items that no probe ran.
        """
        check_size(k, pool)
        past = histories(scores, self.settings, self.name, least=2)
        leading = next(iter(past))
        subset, agreement = search(past[leading], k, pool, split_generator(generator), self.settings.effort)
        return weighted_selection(
            scores,
            subset,
            torch.from_numpy(past[leading].weights)[subset],
            self.settings,
            {"sampling": "evolutionary", "metric": scores.metrics[leading].name, "agreement": agreement},
            estimator="mean",
        )


def search(past: History, k: int, pool: Tensor, generator: Generator, effort: float = 1.0) -> tuple[Tensor, float]:
    """The best set found, long Tensor[k], and its agreement with the full ranking (-1 to 1).

    Args:
        past: Histories.
        k: Size.
        pool: long Tensor[pool item], what may be chosen.
        generator: All of the search draws from it.
        effort: Factor on the number of sets.
    """
    scores = torch.from_numpy(past.scores * past.weights)
    weights = torch.from_numpy(past.weights)
    full = scores.sum(dim=1) / weights.sum()
    left, best, agreement = pool, pool[:k], -2.0
    for number in range(ROUNDS):
        sets = max(1, round(effort * float(np.clip(DRAWN_KEYS // len(left), *SETS))))
        chunks = [min(sets, 2000)] * -(-sets // 2000)
        every = torch.cat([left[simple_random(len(left), k)(size, generator)] for size in chunks])
        values = _agreements(every, scores, weights, full)
        if float(values.max()) > agreement + 1e-12:
            agreement = float(values.max())
            best = every[int((values >= agreement - 1e-12).nonzero()[0])]
        if len(left) == k or agreement > 1 - 1e-12:  # no later set can be better
            break
        top = values.argsort(descending=True, stable=True)[: max(1, int(KEPT * len(every)))]
        counts = torch.bincount(every[top].flatten(), minlength=len(weights))[left]
        size = max(k, round(len(pool) * (k / len(pool)) ** ((number + 1) / (ROUNDS - 1))))
        left = left[counts.argsort(descending=True, stable=True)[:size]].sort().values
    return best, agreement


def _agreements(sets: Tensor, scores: Tensor, weights: Tensor, full: Tensor) -> Tensor:
    """Agreement of each set's ranking with the full one, float64 Tensor[set], so many at once as memory is meant for.

    Args:
        sets: long Tensor[set, k], item numbers.
        scores: float64 Tensor[model, item], by weight.
        weights: float64 Tensor[item].
        full: float64 Tensor[model].
    """
    most = max(1, DOUBLES // (len(full) * max(sets.shape[1], len(full))))
    means = (scores[:, part].sum(dim=2) / weights[part].sum(dim=1) for part in torch.split(sets, most))
    return torch.cat([rank_agreement(one, full) for one in means])


def rank_agreement(means: Tensor, full: Tensor) -> Tensor:
    """Kendall's tau-b between set means and full means, float64 Tensor[set]; 0 where either does not tell models apart.

    Args:
        means: float64 Tensor[model, set].
        full: float64 Tensor[model].
    """
    first, second = torch.triu_indices(len(full), len(full), offset=1)
    wanted = _signs(full[first] - full[second])[:, None]
    got = _signs(means[first] - means[second])
    apart = (wanted.abs().sum(dim=0) * got.abs().sum(dim=0)).sqrt()
    return torch.where(apart > 0, (wanted * got).sum(dim=0) / apart.clamp(min=1), 0.0)


def _signs(differences: Tensor) -> Tensor:
    return torch.where(differences.abs() <= 1e-9, 0.0, differences.sign()).to(torch.float64)
