"""Small problems with a known structure."""

from __future__ import annotations

import numpy as np

from bestrand_drive.compression.policy_estimates import HarmonicRule
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec
from bestrand_drive.study.problem import Problem, Split
from bestrand_drive.study.splits import left_out_families, random_split


def binary_table(items: int = 120, policies: int = 12, seed: int = 0, gaps: float = 0.0) -> ScoreMatrix:
    """0/1 scores of a one-dimensional response model."""
    rng = np.random.default_rng(seed)
    logit = rng.normal(0, 1, policies)[None, :] - rng.normal(0, 1.5, items)[:, None]
    values = (rng.random(logit.shape) < 1 / (1 + np.exp(-2 * logit))).astype(float)[:, :, None]
    values[rng.random(values.shape) < gaps] = np.nan
    return ScoreMatrix.from_arrays(
        values,
        items=[f"q{number}" for number in range(items)],
        policies=[f"m{number}" for number in range(policies)],
        metrics=[MetricSpec("score", 0.0, 1.0, binary=True)],
    )


def table_problem(scores: ScoreMatrix | None = None, probes: int = 5, split: Split | None = None) -> Problem:
    """A table under the random split."""
    scores = binary_table() if scores is None else scores
    abilities = np.nanmean(scores.masked(0), axis=0)
    return Problem("toy", scores, split or random_split(abilities, probes), f"random {probes}")


def driving_problem(items: int = 40, gaps: float = 0.1) -> Problem:
    """Score, success, a speed that not all items log, their harmonic mean; four families, one of two policies."""
    rng = np.random.default_rng(5)
    strata = [f"s{number % 8}" for number in range(items)]
    shared = rng.normal(size=items) + rng.normal(size=8)[np.arange(items) % 8]
    latent = np.array([1.2, 0.4, -0.3, 0.8, 0.1]) + shared[:, None] + rng.normal(0, 0.6, (items, 5))
    score = np.clip(60 + 25 * latent, 0, 100)
    speed = 100 + 20 * rng.normal(size=latent.shape)
    speed[rng.random(latent.shape) < 0.2] = np.nan
    values = np.stack([score, 100.0 * (score >= 100), speed], axis=2)
    values[rng.random(latent.shape) < gaps] = np.nan
    scores = ScoreMatrix.from_arrays(
        values,
        items=[f"r{number}" for number in range(items)],
        policies=["a", "b", "c1", "c2", "d"],
        metrics=[
            MetricSpec("ds", 0.0, 100.0),
            MetricSpec("sr", 0.0, 100.0, binary=True),
            MetricSpec("speed", 0.0, None, ratio=True),
        ],
        strata=strata,
    )
    families = {"a": [0], "b": [1], "c": [2, 3], "d": [4]}
    split = left_out_families(families, families)
    return Problem("roads", scores, split, "families", [HarmonicRule("hm", "ds", "sr")])
