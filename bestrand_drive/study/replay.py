"""Replays: choose a suite by probes and estimate other policies, many times, against their known scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Generator

from bestrand_drive.compression.difficulty import fit_difficulty
from bestrand_drive.compression.estimation import Bound, Estimate, ProbeKnowledge, withheld
from bestrand_drive.compression.harmonic import harmonic
from bestrand_drive.compression.policy_estimates import HarmonicRule, Population, policy_estimates
from bestrand_drive.compression.pool import draw_pool
from bestrand_drive.compression.profiles import profiles
from bestrand_drive.compression.selectors.base import Selector
from bestrand_drive.compression.strata import stratum_codes
from bestrand_drive.scores.matrix import ScoreMatrix

LEVEL = 0.95


@dataclass(frozen=True)
class Arm:
    """One way to choose and estimate.

    Attributes:
        name: In tables.
        selector: Chooses.
        plain: Estimate by the plain mean of the measured items instead of the default estimator.
        pool_factor: n of the pool min(n k, N), or None for all items.
    """

    name: str
    selector: Selector
    plain: bool
    pool_factor: float | None = None


@dataclass(frozen=True)
class Case:
    """Targets with the probes that do not belong to their family.

    Attributes:
        family: Of the targets.
        probes: Scores of all other families.
        families: Policy numbers of each family among the probes.
        targets: Scores of this family's policies on the same items.
        harmonic: Harmonic means to report.
    """

    family: str
    probes: ScoreMatrix
    families: Sequence[Sequence[int]]
    targets: ScoreMatrix
    harmonic: Sequence[HarmonicRule] = ()

    @property
    def metric_names(self) -> list[str]:
        """Metrics that are reported."""
        return [*self.targets.metric_names, *(rule.name for rule in self.harmonic)]


@dataclass(frozen=True)
class Outcomes:
    """What happened over the seeds of one arm and size.

    Attributes:
        error: float64 [seed, target, metric], estimate minus truth; NaN where the target lacks the metric.
        covered: float64 [seed, target, metric], 1 where the run interval held the truth, 0 where not, NaN without one
            (plain means have none).
        flawless: bool [seed, target, metric], every measured value at the upper bound.
    """

    error: np.ndarray
    covered: np.ndarray
    flawless: np.ndarray


def replay(case: Case, arm: Arm, k: int, seeds: Sequence[int]) -> Outcomes:
    """Choose ``k`` items once a seed and estimate every target.

    Args:
        case: Probes and targets.
        arm: How.
        k: Size of the suite.
        seeds: One suite each.
    """
    truth = true_values(case)
    shape = (len(seeds), *truth.shape)
    error, covered = np.full(shape, np.nan), np.full(shape, np.nan)
    flawless = np.zeros(shape, dtype=bool)
    population: Population | None = None
    for row, seed in enumerate(seeds):
        generator = Generator().manual_seed(seed)
        every = torch.arange(len(case.probes.items))
        pool = draw_pool(every, k, arm.pool_factor, case.probes.strata, generator)
        visible = case.probes if len(pool) == len(every) else case.probes.hidden_outside(pool)
        chosen = arm.selector.select(visible, k, pool=pool, generator=generator).indices
        if population is None or arm.pool_factor is not None:
            population = _population(case, visible, pool.numpy())
        for target, name in enumerate(case.targets.policies):
            seen = case.targets.with_policies([name]).hidden_outside(chosen)
            lines = _plain(seen, case) if arm.plain else policy_estimates(seen, population, LEVEL)
            for metric, line in enumerate(lines.values()):
                if line.value is None or np.isnan(truth[target, metric]):
                    continue
                error[row, target, metric] = line.value - truth[target, metric]
                flawless[row, target, metric] = line.at_bound is Bound.BEST
                if line.run is not None:
                    inside = line.run.low - 1e-9 <= truth[target, metric] <= line.run.high + 1e-9
                    covered[row, target, metric] = float(inside)
    return Outcomes(error, covered, flawless)


def true_values(case: Case) -> np.ndarray:
    """Each target's own mean over its non-missing items, float64 [target, metric]; harmonic means of those."""
    lines = [_plain(case.targets.with_policies([name]), case) for name in case.targets.policies]
    return np.array([[np.nan if e.value is None else e.value for e in line.values()] for line in lines])


def _plain(scores: ScoreMatrix, case: Case) -> dict[str, Estimate]:
    """Plain means of one policy's measured items, without intervals, in the order of ``Case.metric_names``."""
    means: dict[str, float] = {}
    for name in scores.metric_names:
        column = scores.masked(name)[:, 0]
        known = ~np.isnan(column)
        weights = np.ones(len(column)) if case.probes.weights is None else case.probes.weights.numpy()
        means[name] = float(np.average(column[known], weights=weights[known])) if known.any() else float("nan")
    means |= {rule.name: harmonic(means[rule.score], means[rule.success]) for rule in case.harmonic}
    return {
        name: replace(withheld(LEVEL, ""), value=None if np.isnan(v) else v, method="mean") for name, v in means.items()
    }


def _population(case: Case, visible: ScoreMatrix, pool: np.ndarray) -> Population:
    """The benchmark with what the visible probes tell."""
    codes = stratum_codes(case.probes.strata or [""] * len(case.probes.items)).codes.numpy()
    columns = {name: profiles(visible.masked(name), case.families, pool) for name in case.targets.metric_names}
    knowledge = {name: ProbeKnowledge(model=fit_difficulty(block, codes, pool)) for name, block in columns.items()}
    weights = np.ones(len(codes)) if case.probes.weights is None else case.probes.weights.numpy()
    return Population(strata=codes, weights=weights, knowledge=knowledge, harmonic=case.harmonic)
