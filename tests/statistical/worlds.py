"""Simulated benchmarks with a known truth: shared item difficulty, own stratum and item effects, run noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch

from bestrand_drive.compression.difficulty import fit_difficulty
from bestrand_drive.compression.estimation import ProbeKnowledge
from bestrand_drive.compression.estimators.expc import fit_regression
from bestrand_drive.compression.estimators.sample import Sample
from bestrand_drive.compression.profiles import profiles
from bestrand_drive.compression.strata import stratum_codes
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec

Array = np.ndarray

LIKE_DRIVING_SCORE = (0.08, 0.05, 0.12, 0.75)
LIKE_EFFICIENCY = (0.5, 0.15, 0.1, 0.25)
WITHIN_ONLY = (0.02, 0.5, 0.05, 0.43)
"""Variances: shared between strata, shared within, a policy's own stratum effects, its own item effects."""


@dataclass(frozen=True)
class Simulated:
    """Probes as a matrix with strata, the target's scores of one run [item], and its mean over runs and items."""

    scores: ScoreMatrix
    target: Array
    policy_mean: float

    @property
    def codes(self) -> Array:
        """Stratum numbers."""
        assert self.scores.strata is not None
        return stratum_codes(self.scores.strata).codes.numpy()

    def sample(self, suite: Array) -> Sample:
        """The target measured on the suite."""
        values = np.full(len(self.target), np.nan)
        values[suite] = self.target[suite]
        return Sample(values, np.ones(len(values)), self.codes)

    def known(self, pool: Array, *, strata: bool = True) -> ProbeKnowledge:
        """What the probes tell on the pool."""
        columns = profiles(self.scores.masked(0), [[j] for j in range(len(self.scores.policies))], pool)
        if strata:
            return ProbeKnowledge(model=fit_difficulty(columns, self.codes, pool))
        return ProbeKnowledge(regression=fit_regression(columns, pool, len(self.target)))


def sizes_of(kind: str, rng: np.random.Generator) -> Array:
    """44 strata of 5 items, or of 1 to about 20."""
    return np.full(44, 5) if kind == "equal" else 1 + rng.multinomial(176, rng.dirichlet(np.full(44, 1.5)))


def simulated(
    rng: np.random.Generator, sizes: Array, shares: tuple[float, ...], probes: int = 5, noise: float = 0.0
) -> Simulated:
    """One run of the probes and of a target; slopes on the shared difficulty vary over policies (sd 0.2)."""
    between, within, own, item = np.sqrt(shares)
    strata = np.repeat(np.arange(len(sizes)), sizes)
    b, w = between * rng.normal(size=len(sizes)), within * rng.normal(size=len(strata))
    columns = []
    for _ in range(probes + 1):
        slope = 1 + 0.2 * rng.normal(size=2)
        u = own * rng.normal(size=len(sizes))
        e = item * rng.normal(size=len(strata))
        columns.append(rng.normal() + slope[0] * w + (slope[1] * b + u)[strata] + e)
    x = np.stack(columns, axis=1)
    policy_mean = float(x[:, probes].mean())
    x += noise * rng.normal(size=x.shape)
    matrix = ScoreMatrix.from_arrays(
        x[:, :probes, None],
        items=[f"i{i:03d}" for i in range(len(strata))],
        policies=[f"p{j}" for j in range(probes)],
        metrics=[MetricSpec("s")],
        strata=[f"s{h:02d}" for h in strata],
    )
    return Simulated(matrix, x[:, probes], policy_mean)


def generators(seed: int, draws: int) -> Iterator[tuple[np.random.Generator, torch.Generator]]:
    """One numpy and one torch generator a draw."""
    for number in range(draws):
        yield np.random.default_rng([seed, number]), torch.Generator().manual_seed(1000 * seed + number)
