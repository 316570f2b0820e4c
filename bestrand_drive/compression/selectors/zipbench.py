"""ZipBench: a response model of six real and six synthetic models, with k-means inside every stratum.

Source: ZipBench (arXiv 2609.12475) and its code: six source models of evenly spread accuracy; every ensemble of two to
six of them, small ones first, votes item by item (ties at random), and of each of six equal bins of accuracy the first
ensemble that falls into it is kept; response model of 5 dimensions; k-means on [a, b] in every stratum, whose number of
items is its share, at least one. Construction cost: at most six models on all N items. Own estimator: the
cluster-weighted mean.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Generator, Tensor

from bestrand_drive.compression.learned.clusters import central_items
from bestrand_drive.compression.learned.history import History
from bestrand_drive.compression.learned.irt import EPOCHS, binarised
from bestrand_drive.compression.learned.responses import ResponseModel, fit_responses
from bestrand_drive.compression.sampling import split_generator
from bestrand_drive.compression.selectors.base import ChoiceSettings, Selection, check_size, weighted_selection
from bestrand_drive.compression.selectors.histories import draw_seed, histories
from bestrand_drive.compression.strata import stratum_codes
from bestrand_drive.scores.matrix import ScoreMatrix

Array = np.ndarray

MODELS = 6
DIMENSIONS = (5,)


@dataclass(frozen=True)
class ZipBench:
    """Anchors of a response model of real and voted models, stratum by stratum."""

    settings: ChoiceSettings = field(default_factory=ChoiceSettings)
    name: str = "zipbench"
    needs_history: bool = True

    def select(self, scores: ScoreMatrix, k: int, *, pool: Tensor, generator: Generator) -> Selection:
        """Fit the response model and choose anchors among the pool.

        Raises:
            UsageError: Fewer than two probes, or histories with items that no probe ran.
        """
        check_size(k, pool)
        past = histories(scores, self.settings, self.name, least=2)
        own = split_generator(generator)
        seed = draw_seed(own)
        models = {metric: _model(one, own, self.settings.scaled(EPOCHS)) for metric, one in past.items()}
        leading = next(iter(past))
        items = models[leading].items
        points = np.column_stack([items.discrimination, items.difficulty])
        codes = stratum_codes(scores.strata or [""] * len(scores.items)).codes.numpy()
        indices, weights = _anchors(points, past[leading].weights, codes, k, pool.numpy(), seed)
        return weighted_selection(
            scores,
            torch.from_numpy(indices),
            torch.from_numpy(weights),
            self.settings,
            {"sampling": "centres of item parameters, by stratum", "metric": scores.metrics[leading].name},
            estimator="weighted",
            model=models,
        )


def zipbench_runs(items: int, probes: int, k: int, factor: float | None) -> int:
    """Construction cost: item runs of the six models (fewer when fewer are given)."""
    return min(probes, MODELS) * items


def _model(past: History, generator: Generator, epochs: int) -> ResponseModel:
    """Response model of the real models with the synthetic ones below them, all answers 0 or 1."""
    answers, cut = binarised(past.scores)
    real = answers[spread_models(answers.mean(axis=1), MODELS)]
    both = replace(past, scores=np.concatenate([real, synthetic(real, generator)]))
    return replace(fit_responses([both], [generator], epochs, dimensions=DIMENSIONS, validated=False)[0], cut=cut)


def spread_models(accuracy: Array, count: int) -> Array:
    """Numbers of ``count`` models of evenly spread accuracy (all when there are no more), sorted by accuracy."""
    order = np.argsort(accuracy, kind="stable")
    if len(order) <= count:
        return order
    left = order.tolist()
    chosen = []
    for wanted in np.linspace(accuracy.min(), accuracy.max(), count):
        nearest = min(left, key=lambda number: (abs(accuracy[number] - wanted), number))
        left.remove(nearest)
        chosen.append(nearest)
    return np.array(sorted(chosen, key=lambda number: (accuracy[number], number)))


def synthetic(real: Array, generator: Generator) -> Array:
    """Votes of ensembles, the first that falls into each bin of accuracy, float64 [filled bin, item].

    Bins hold their lower end, the last also its upper one. Ensembles come in order of size, then of their members.

    Args:
        real: float64 [model, item] of 0 and 1.
        generator: Decides ties.
    """
    accuracy = real.mean(axis=1)
    edges = np.linspace(accuracy.min(), accuracy.max(), MODELS + 1)
    filled: dict[int, Array] = {}
    for members in _ensembles(len(real)):
        if len(filled) == MODELS or edges[0] == edges[-1]:
            break
        share = real[list(members)].mean(axis=0)
        coins = torch.rand(len(share), dtype=torch.float64, generator=generator).numpy()
        vote = np.where(share == 0.5, coins < 0.5, share > 0.5).astype(float)
        if edges[0] <= vote.mean() <= edges[-1]:
            place = min(int(np.searchsorted(edges, vote.mean(), side="right")) - 1, MODELS - 1)
            filled.setdefault(place, vote)
    return np.array([filled[place] for place in sorted(filled)]).reshape(-1, real.shape[1])


def _ensembles(models: int) -> Iterator[tuple[int, ...]]:
    for size in range(2, models + 1):
        yield from itertools.combinations(range(models), size)


def _anchors(points: Array, weights: Array, codes: Array, k: int, pool: Array, seed: int) -> tuple[Array, Array]:
    """Anchors and cluster weights; with fewer items than strata all strata are clustered together."""
    sizes = np.bincount(codes[pool], minlength=int(codes.max()) + 1)
    if k < (sizes > 0).sum() or (sizes == 0).any():
        return central_items(points, weights, k, seed, pool)
    found = []
    for stratum, count in enumerate(allocation(sizes, k)):
        members = np.flatnonzero(codes == stratum)
        allowed = np.flatnonzero(np.isin(members, pool))
        own, share = central_items(points[members], weights[members], int(count), seed, allowed)
        found.append((members[own], share))
    return np.concatenate([pair[0] for pair in found]), np.concatenate([pair[1] for pair in found])


def allocation(sizes: Array, k: int) -> Array:
    """Items a stratum: the floor of its share, at least one, then by largest remainder; int64 [stratum], sums to k.

    Args:
        sizes: int64 [stratum], each above 0.
        k: At least the number of strata, at most the sum of the sizes.
    """
    share = sizes * k / sizes.sum()
    counts: Array = np.maximum(1, np.floor(share + 1e-9).astype(np.int64))
    while counts.sum() > k:
        counts[np.argmax(np.where(counts > 1, counts - share, -np.inf))] -= 1
    while counts.sum() < k:
        counts[np.argmax(np.where(counts < sizes, share - counts, -np.inf))] += 1
    return counts
