"""Small random worlds of probes, strata, pools and suites that the tests of this room draw from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from bestrand_drive.compression.estimators.sample import Sample
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec
from tests.compression import reference

Array = np.ndarray

LIGHT = settings(
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
LAYOUTS = ("mixed", "pairs", "one", "singletons", "mixed", "pairs")
SCORES = ("normal", "binary", "normal", "constant column", "copies", "constant metric", "dead probe")


@dataclass(frozen=True)
class World:
    """Probes `scores` [item, probe] (NaN missing), a target, strata, and pool and suite with suite inside pool."""

    scores: Array
    target: Array
    strata: Array
    pool: Array
    suite: Array
    weights: Array
    families: tuple[tuple[int, ...], ...]

    @cached_property
    def columns(self) -> Array:
        """Reference columns over the pool, families without any score left out."""
        return reference.family_average(self.scores[self.pool], self.alive)

    @property
    def alive(self) -> list[tuple[int, ...]]:
        """Families that have a score on the pool."""
        seen = ~np.isnan(self.scores[self.pool])
        return [family for family in self.families if seen[:, list(family)].any()]

    def sample(self, weights: Array | None = None) -> Sample:
        """The target measured on the suite."""
        values = np.full(len(self.target), np.nan)
        values[self.suite] = self.target[self.suite]
        return Sample(values, self.weights if weights is None else weights, self.strata)


def _strata(layout: str, items: int, rng: np.random.Generator) -> Array:
    if layout == "one":
        return np.zeros(items, dtype=np.int64)
    if layout == "singletons":
        return rng.permutation(items)
    if layout == "pairs":
        return np.arange(items) // 2
    drawn = rng.integers(0, max(2, items // 3), items)
    return np.unique(drawn, return_inverse=True)[1].astype(np.int64)


def _scores(kind: str, strata: Array, probes: int, rng: np.random.Generator) -> Array:
    items = len(strata)
    level = rng.normal(size=strata.max() + 1)[strata] + rng.normal(size=items)
    x = level[:, None] + rng.normal(size=(items, probes)) + 3 * rng.normal(size=probes)
    if kind == "binary":
        x = (x > x.mean(axis=0)).astype(float)
    if kind == "constant column":
        x[:, rng.integers(probes)] = 0.7
    if kind == "constant metric":
        x[:] = 0.3
    if kind == "copies":
        x[:] = x[:, :1]
    return x


@st.composite
def worlds(
    draw: st.DrawFn,
    *,
    least: int = 2,
    most: int = 24,
    kinds: Sequence[str] = SCORES,
    missing: Sequence[float] = (0.0, 0.1, 0.3, 0.9),
    families: bool = True,
    partial: bool = True,
) -> World:
    """Draw a world; the structure shrinks, the numbers come from a seed."""
    items = draw(st.integers(least, most), label="items")
    probes = draw(st.sampled_from([1, 2, 3, 4, 5, 3]), label="probes")
    layout = draw(st.sampled_from(LAYOUTS), label="layout")
    kind = draw(st.sampled_from(kinds), label="kind")
    gaps = draw(st.sampled_from(missing), label="missing")
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    strata = _strata(layout, items, rng)
    x = _scores(kind, strata, probes, rng)
    x[rng.random(x.shape) < gaps] = np.nan
    if kind == "dead probe" and probes > 1:
        x[:, 0] = np.nan
    size = draw(st.one_of(st.just(items), st.integers(2, items)), label="pool") if partial else items
    pool = np.sort(rng.permutation(items)[:size])
    k = draw(st.one_of(st.integers(1, size), st.just(size), st.just(1)), label="k")
    shares = draw(st.sampled_from(("ones", "sizes", "real")), label="weights")
    weights = {"ones": np.ones(items), "sizes": rng.integers(1, 4, items) * 1.0, "real": rng.random(items) + 0.1}
    groups = draw(st.one_of(st.just(probes), st.integers(1, probes)), label="families") if families else probes
    return World(
        scores=x,
        target=rng.normal(size=items) + rng.normal(size=strata.max() + 1)[strata],
        strata=strata,
        pool=pool,
        suite=np.sort(rng.permutation(pool)[:k]),
        weights=weights[shares],
        families=tuple(tuple(range(g, probes, groups)) for g in range(groups)),
    )


def matrix(
    scores: Array | Sequence[Array],
    *,
    strata: Sequence[object] | None = None,
    names: Sequence[str] | None = None,
) -> ScoreMatrix:
    """Score matrix out of one array [item, probe] a metric."""
    blocks = [scores] if isinstance(scores, np.ndarray) else list(scores)
    dense = np.stack(blocks, axis=2)
    return ScoreMatrix.from_arrays(
        dense,
        items=[f"i{i:04d}" for i in range(dense.shape[0])],
        policies=[f"p{j}" for j in range(dense.shape[1])],
        metrics=[MetricSpec(name) for name in names or [f"m{m}" for m in range(dense.shape[2])]],
        strata=None if strata is None else [f"s{label}" for label in strata],
    )


def seeded(seed: int) -> torch.Generator:
    """A CPU generator."""
    return torch.Generator().manual_seed(seed)


def close(actual: object, expected: object, *, rtol: float = 1e-7, scale: float = 1.0) -> None:
    """Equal but for rounding, zero meaning zero on the given scale; never NaN."""
    assert not np.isnan(np.asarray(actual, dtype=float)).any()
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=1e-10 * scale)


def earliest_least(judged: Sequence[tuple[float, list[int]]]) -> tuple[float, list[int]]:
    """Distance and subset of the first candidate that no other undercuts by more than rounding."""
    least = min(distance for distance, _ in judged)
    return next(pair for pair in judged if pair[0] <= least * (1 + 1e-9) + 1e-12)
