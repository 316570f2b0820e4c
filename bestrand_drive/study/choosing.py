"""Choosing for a batch of seeds at once: fast draws with the law of the selectors, or the selectors themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from bestrand_drive.compression.features import differences, standardised_features
from bestrand_drive.compression.imbalance import NORMS
from bestrand_drive.compression.pool import draw_pool, pool_size
from bestrand_drive.compression.profiles import profiles
from bestrand_drive.compression.selectors.base import BatchSelector, ChoiceSettings, Selection
from bestrand_drive.compression.selectors.registry import SELECTORS
from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.study.arms import FAST, NEEDS_STRATA, Arm, Chosen
from bestrand_drive.study.candidates import (
    best_candidate,
    best_of_classes,
    exchanged,
    response_classes,
    simple_candidates,
    systematic_candidates,
)
from bestrand_drive.study.problem import Problem, Roles

Array = np.ndarray
DOUBLES = 4_000_000
"""Most numbers in one temporary array (32 MB)."""


def choose_batch(
    problem: Problem, arm: Arm, k: int, seeds: Sequence[int], roles: Sequence[Roles], case: int
) -> list[Chosen]:
    """Choose once a seed.

    Args:
        problem: Benchmark.
        arm: How.
        k: Size.
        seeds: One subset each; a seed's subset does not depend on the others (of selectors that train: but for
            rounding, which training amplifies).
        roles: Of each seed.
        case: Number of the case, which has draws of its own.
    """
    if arm.selector not in FAST:
        return _by_selector(problem, arm, k, seeds, roles, case)
    if arm.selector == "stratified" and problem.scores.strata is None:
        raise UsageError(NEEDS_STRATA)
    rngs = [np.random.default_rng([1, seed, case, k]) for seed in seeds]
    prepared = [_prepared(problem, arm, k, role, rng) for role, rng in zip(roles, rngs, strict=True)]
    places = [_place(arm, one, k, rng) for one, rng in zip(prepared, rngs, strict=True)]
    if arm.selector == "balanced" and problem.scores.strata is None and arm.candidates > 1:
        places = _exchange(prepared, places, rngs)
    return [
        Chosen(role, one.pool[np.sort(place)], one.pool)
        for role, one, place in zip(roles, prepared, places, strict=True)
    ]


@dataclass(frozen=True)
class _Prepared:
    """A pool with what its items are judged by; classes when they are alike within few."""

    pool: Array
    features: Array
    classes: Array | None
    strata: Array | None


def _prepared(problem: Problem, arm: Arm, k: int, roles: Roles, rng: np.random.Generator) -> _Prepared:
    entry = SELECTORS[arm.selector]
    items = len(problem.scores.items)
    size = pool_size(k, arm.pool_factor, items)
    stratified = problem.scores.strata is not None and entry.stratified_pool
    pool = np.arange(items)
    if size < items:
        draw = systematic_candidates(problem.codes, size, 1, rng)[0] if stratified else rng.choice(items, size, False)
        pool = np.sort(draw)
    strata = np.unique(problem.codes[pool], return_inverse=True)[1] if stratified else None
    if arm.selector in ("random", "stratified"):
        return _Prepared(pool, np.empty((size, 0)), None, strata)
    scores = problem.values[pool][:, list(roles.probes)]
    whole = scores.shape[2] == 1 and strata is None and all(len(family) == 1 for family in roles.families)
    classes = response_classes(scores[:, :, 0]) if whole else None
    if arm.selector == "balanced":
        features = balanced_features(problem, scores, roles, arm.objective)
    else:
        features = bestrand_features(problem, scores, arm.objective)
    return _Prepared(pool, features, classes, strata)


def bestrand_features(problem: Problem, scores: Array, objective: str = "scores") -> Array:
    """Raw scores over each metric's pooled deviation, NaN where missing: float64 [pool item, metric x probe].

    Args:
        problem: Says which metrics take part.
        scores: float64 [pool item, probe, metric].
        objective: ``ranking`` takes the differences between probes.
    """
    blocks = []
    for number, spec in enumerate(problem.scores.metrics):
        block = scores[:, :, number]
        block = block[:, ~np.isnan(block).all(axis=0)]
        block = differences(block) if objective == "ranking" else block
        spread = float(np.sqrt(np.nanmean((block - np.nanmean(block, axis=0)) ** 2))) if block.size else 0.0
        if spec.select and spread > 1e-12:
            blocks.append(block / spread)
    return np.concatenate(blocks, axis=1) if blocks else np.empty((len(scores), 0))


def balanced_features(problem: Problem, scores: Array, roles: Roles, objective: str = "scores") -> Array:
    """Standardised family columns and their profile: float64 [pool item, feature]; ``roles`` tell the families."""
    columns = [family_profiles(scores[:, :, number], roles) for number in range(scores.shape[2])]
    columns = [differences(block) for block in columns] if objective == "ranking" else columns
    return standardised_features(columns, [float(spec.select) for spec in problem.scores.metrics]).numpy()


def family_profiles(scores: Array, roles: Roles) -> Array:
    """``profiles`` over all rows; without gaps and relatives that is only centring.

    Args:
        scores: float64 [pool item, probe], one metric.
        roles: Of the probes.
    """
    if all(len(family) == 1 for family in roles.families) and not np.isnan(scores).any():
        return np.asarray(scores - scores.mean(axis=0))
    return profiles(scores, roles.families, np.arange(len(scores)))


def _place(arm: Arm, one: _Prepared, k: int, rng: np.random.Generator) -> Array:
    """Positions in the pool of the best candidate, int64 [k]."""
    size = len(one.pool)
    if not one.features.shape[1]:
        if one.strata is None:
            return rng.choice(size, k, replace=False)
        return np.asarray(systematic_candidates(one.strata, k, 1, rng)[0])
    if one.classes is not None:
        return best_of_classes(one.features, one.classes, k, arm.candidates, rng, NORMS[arm.distance])
    if one.strata is None:
        candidates = simple_candidates(size, k, arm.candidates, rng)
    else:
        candidates = systematic_candidates(one.strata, k, arm.candidates, rng)
    return best_candidate(one.features, candidates, NORMS[arm.distance])


def _exchange(prepared: Sequence[_Prepared], places: Sequence[Array], rngs: list[np.random.Generator]) -> list[Array]:
    """Exchanges for all draws, as many at once as fit the memory and have as many features."""
    out: list[Array] = []
    start = 0
    while start < len(places):
        shape = prepared[start].features.shape
        most = start + max(1, DOUBLES // max(shape[0] * shape[1], 1))
        stop = start + 1
        while stop < min(most, len(places)) and prepared[stop].features.shape == shape:
            stop += 1
        features = np.stack([one.features for one in prepared[start:stop]])
        out.extend(exchanged(features, np.stack(places[start:stop]), rngs[start:stop]))
        start = stop
    return out


def _by_selector(
    problem: Problem, arm: Arm, k: int, seeds: Sequence[int], roles: Sequence[Roles], case: int
) -> list[Chosen]:
    """Ask the selector itself, with each seed's own generator; what trains does so for many seeds at once."""
    entry = SELECTORS[arm.selector]
    settings = ChoiceSettings(candidates=arm.candidates, objective=arm.objective)
    selector = entry.make(settings)
    asked = [_asked(problem, arm, k, seed, role, case) for seed, role in zip(seeds, roles, strict=True)]
    found: list[Selection] = []
    if isinstance(selector, BatchSelector):
        step = max(1, DOUBLES // max(len(problem.scores.items) * len(roles[0].probes), 1))
        for start in range(0, len(asked), step):
            cases, pools, generators = zip(*asked[start : start + step], strict=True)
            found += selector.select_many(cases, k, pools=pools, generators=generators)
    else:
        for role, (visible, pool, generator) in zip(roles, asked, strict=True):
            own = entry.make(replace(settings, families=[list(family) for family in role.families]))
            found.append(own.select(visible, k, pool=pool, generator=generator))
    return [
        Chosen(role, one.indices.numpy(), pool.numpy(), one)
        for role, (_, pool, _), one in zip(roles, asked, found, strict=True)
    ]


def _asked(
    problem: Problem, arm: Arm, k: int, seed: int, roles: Roles, case: int
) -> tuple[ScoreMatrix, torch.Tensor, torch.Generator]:
    """What a selector is given: the probes' scores, the pool and the seed's own generator."""
    entry = SELECTORS[arm.selector]
    generator = torch.Generator().manual_seed(int(np.random.default_rng([1, seed, case, k]).integers(2**62)))
    probes = problem.scores.with_policies([problem.scores.policies[number] for number in roles.probes])
    probes = replace(probes, domains={}, cost_s=None)
    strata = probes.strata if entry.stratified_pool else None
    pool = draw_pool(torch.arange(len(probes.items)), k, arm.pool_factor, strata, generator)
    return (probes if len(pool) == len(probes.items) else probes.hidden_outside(pool)), pool, generator
