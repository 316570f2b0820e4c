"""Random candidates for one draw, as fast as the law allows, and which of them is best balanced.

The laws are those of ``compression.sampling`` and ``compression.search``; the stream of random numbers is another, so a
study's subsets are not those that ``bestrand compress`` chooses with the same seed.
"""

from __future__ import annotations

import numpy as np

from bestrand_drive.compression.search import TIE

Array = np.ndarray
MOST_CLASSES = 64
"""Response patterns up to which candidates are drawn as counts of patterns."""


def simple_candidates(items: int, k: int, count: int, rng: np.random.Generator) -> Array:
    """Random subsets, every one equally likely: int64 [candidate, k]."""
    every = np.broadcast_to(np.arange(items), (count, items))
    return np.asarray(rng.permuted(every, axis=1)[:, :k])


def systematic_candidates(strata: Array, k: int, count: int, rng: np.random.Generator) -> Array:
    """Subsets that hold every stratum's share (``sampling.systematic_stratified``): int64 [candidate, k]."""
    items, kinds = len(strata), int(strata.max()) + 1
    rank = rng.random((count, kinds)).argsort(axis=1).argsort(axis=1)
    order = (rank[:, strata] + rng.random((count, items))).argsort(axis=1)
    start = np.floor(rng.random((count, 1)) * 2**32) / 2**32  # short enough that t + u is exact
    positions = np.floor((np.arange(k)[None, :] + start) * items / k).astype(np.int64)
    return np.take_along_axis(order, positions, axis=1)


def best_candidate(features: Array, candidates: Array, norm: float = 2.0) -> Array:
    """The earliest candidate of least distance between its and all items' feature means, int64 [k].

    Args:
        features: float64 [item, feature], NaN where missing; means are over what is there.
        candidates: int64 [candidate, k].
        norm: Order of the distance.
    """
    mask = np.zeros((len(candidates), len(features)))
    np.put_along_axis(mask, candidates, 1.0, axis=1)
    known = ~np.isnan(features)
    filled = np.where(known, features, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = mask @ filled / (mask @ known.astype(float))
        target = filled.sum(axis=0) / known.sum(axis=0)
    distance = np.linalg.norm(means - target, ord=norm, axis=1)
    return np.asarray(candidates[_earliest_least(np.where(np.isnan(distance), np.inf, distance)[None])[0]])


def response_classes(scores: Array) -> Array | None:
    """Number of each item's pattern of 0/1 scores, int64 [item]; None when scores are not 0/1 or patterns are too many.

    Args:
        scores: float64 [item, probe].
    """
    if 2 ** scores.shape[1] > MOST_CLASSES or not np.isin(scores, (0.0, 1.0)).all():
        return None
    return np.asarray(np.unique(scores @ 2.0 ** np.arange(scores.shape[1]), return_inverse=True)[1])


def best_of_classes(
    features: Array, classes: Array, k: int, count: int, rng: np.random.Generator, norm: float = 2.0
) -> Array:
    """As ``best_candidate`` of ``simple_candidates``, for items that are alike within few classes: int64 [k].

    How many items of each class a random subset holds is multivariate hypergeometric, and its means depend on nothing
    else; so counts are drawn and judged, and items only for the best.

    Args:
        features: float64 [item, feature], equal within a class.
        classes: int64 [item], numbers from 0.
        k: Size.
        count: Candidates.
        rng: Source.
        norm: Order of the distance.
    """
    sizes = np.bincount(classes)
    table = features[np.unique(classes, return_index=True)[1]]
    counts = rng.multivariate_hypergeometric(sizes, k, size=count)
    distance = np.linalg.norm(counts @ table / k - sizes @ table / len(classes), ord=norm, axis=1)
    taken = counts[_earliest_least(distance[None])[0]]
    order = np.argsort(classes + rng.random(len(classes)))
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return np.asarray(order[np.arange(len(order)) - np.repeat(first, sizes) < np.repeat(taken, sizes)])


def _earliest_least(values: Array) -> Array:
    """Position of the first value of each row that is within a tie of the least: int64 [row]."""
    least = values.min(axis=1, keepdims=True)
    return np.asarray((values <= least * (1 + TIE) + 1e-12).argmax(axis=1))


def exchanged(features: Array, chosen: Array, rngs: list[np.random.Generator], proposals: int = 256) -> Array:
    """Exchange items of several draws at once while that lowers the L2 imbalance (``search.improve_by_swaps``).

    Args:
        features: float64 [draw, item, feature], no NaN.
        chosen: int64 [draw, k].
        rngs: One source a draw.
        proposals: Pairs a round.

    Returns:
        int64 [draw, k].
    """
    draws, items, width = features.shape
    k = chosen.shape[1]
    if k >= items or width == 0:
        return chosen
    rounds = max(80, int(np.sqrt(k)))
    centred = (features - features.mean(axis=1, keepdims=True)).reshape(-1, width)
    row = np.arange(draws)
    inside = chosen + items * row[:, None]
    outside = _others(inside, draws, items)
    out = np.stack([rng.integers(k, size=(rounds, proposals)) for rng in rngs], axis=1)
    into = np.stack([rng.integers(items - k, size=(rounds, proposals)) for rng in rngs], axis=1)
    total = centred[inside].sum(axis=1)
    for turn in range(rounds):
        leaving = np.take_along_axis(inside, out[turn], axis=1)
        coming = np.take_along_axis(outside, into[turn], axis=1)
        sums = total[:, None, :] - centred[leaving] + centred[coming]
        squares = np.einsum("bpf,bpf->bp", sums, sums)
        best = _earliest_least(squares)
        helps = row[squares[row, best] < (total**2).sum(axis=1) * (1 - TIE)]
        pick = best[helps]
        inside[helps, out[turn][helps, pick]] = coming[helps, pick]
        outside[helps, into[turn][helps, pick]] = leaving[helps, pick]
        total[helps] = sums[helps, pick]
    return np.asarray(inside - items * row[:, None])


def _others(inside: Array, draws: int, items: int) -> Array:
    """Flat numbers of the items that are not chosen, int64 [draw, item - k]."""
    free = np.ones(draws * items, dtype=bool)
    free[inside] = False
    return np.flatnonzero(free).reshape(draws, -1)
