"""What choosing buys: less imbalance, and a mean nearer the truth, than a random draw."""

from __future__ import annotations

import numpy as np
import torch

from bestrand_drive.compression.selectors.balanced import Balanced
from bestrand_drive.compression.selectors.base import Selector
from bestrand_drive.compression.selectors.bestrand import Bestrand
from bestrand_drive.compression.selectors.random import Random
from tests.compression import reference
from tests.statistical.worlds import LIKE_EFFICIENCY, generators, simulated, sizes_of

SELECTORS: dict[str, Selector] = {"random": Random(), "bestrand": Bestrand(), "balanced": Balanced()}


def test_bestrand_and_balanced_lower_imbalance_and_error() -> None:
    draws = 60
    imbalance = {name: np.zeros(draws) for name in SELECTORS}
    error = {name: np.zeros(draws) for name in SELECTORS}
    for t, (rng, generator) in enumerate(generators(21, draws)):
        world = simulated(rng, sizes_of("equal", rng), LIKE_EFFICIENCY)
        pool = torch.arange(len(world.target))
        features, _ = reference.masked_features([world.scores.masked(0)])
        for name, selector in SELECTORS.items():
            suite = selector.select(world.scores, 22, pool=pool, generator=generator).indices.numpy()
            imbalance[name][t] = np.linalg.norm(features[suite].mean(axis=0) - features.mean(axis=0))
            error[name][t] = abs(world.target[suite].mean() - world.target.mean())
    mean = {name: value.mean() for name, value in imbalance.items()}
    assert mean["bestrand"] < 0.5 * mean["random"]
    assert mean["balanced"] < 0.5 * mean["random"]
    assert (imbalance["bestrand"] < imbalance["random"]).mean() > 0.95
    assert error["bestrand"].mean() < 0.9 * error["random"].mean()
    assert error["balanced"].mean() < 0.8 * error["random"].mean()


def test_the_mean_square_over_candidates_is_that_of_random_draws() -> None:
    """The diagnostic that says what one random draw has on average."""
    rng = np.random.default_rng(22)
    world = simulated(rng, sizes_of("equal", rng), LIKE_EFFICIENCY)
    pool = torch.arange(len(world.target))
    features, _ = reference.masked_features([world.scores.masked(0)])
    squares, said = [], []
    for _, generator in generators(23, 40):
        found = Bestrand().select(world.scores, 22, pool=pool, generator=generator)
        said.append(float(found.diagnostics["mean_square_imbalance"]))
        for _ in range(10):
            suite = Random().select(world.scores, 22, pool=pool, generator=generator).indices.numpy()
            squares.append(np.sum((features[suite].mean(axis=0) - features.mean(axis=0)) ** 2))
    expected = (1 / 22 - 1 / 220) * np.var(features, axis=0, ddof=1).sum()
    assert abs(np.mean(said) / expected - 1) < 0.05
    assert abs(np.mean(squares) / expected - 1) < 0.2


def test_more_candidates_lower_the_imbalance() -> None:
    from bestrand_drive.compression.selectors.base import ChoiceSettings

    rng = np.random.default_rng(24)
    world = simulated(rng, sizes_of("equal", rng), LIKE_EFFICIENCY)
    pool = torch.arange(len(world.target))
    means = []
    for candidates in (1, 8, 128):
        settings = ChoiceSettings(candidates=candidates)
        found = [
            float(Bestrand(settings).select(world.scores, 22, pool=pool, generator=g).diagnostics["imbalance"])
            for _, g in generators(25, 30)
        ]
        means.append(np.mean(found))
    assert means[0] > means[1] > means[2]
