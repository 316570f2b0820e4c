"""Ability of a new model, against scipy's general optimiser."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from bestrand_drive.compression.learned.ability import RIDGE, abilities
from bestrand_drive.compression.learned.irt import ItemParameters


@pytest.mark.parametrize("seed", range(3))
def test_ability_is_the_likeliest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    items = ItemParameters(rng.normal(size=(60, 2)), rng.normal(size=60))
    chances = items.chances(rng.normal(size=(4, 2)))
    answers = (rng.random(chances.shape) < chances).astype(float)
    answers[0, ::4] = np.nan
    found = abilities(answers, items)
    for row, own in zip(answers, found, strict=True):
        seen = ~np.isnan(row)

        def loss(theta: np.ndarray, row: np.ndarray = row, seen: np.ndarray = seen) -> float:
            p = items.chances(theta[None])[0][seen]
            y = row[seen]
            return -float((y * np.log(p) + (1 - y) * np.log(1 - p)).sum()) + RIDGE / 2 * float(theta @ theta)

        best = optimize.minimize(loss, np.zeros(2), method="BFGS")
        np.testing.assert_allclose(own, best.x, atol=1e-4)


def test_a_model_that_is_always_right_stays_finite() -> None:
    rng = np.random.default_rng(0)
    items = ItemParameters(np.abs(rng.normal(size=(10, 3))), rng.normal(size=10))
    found = abilities(np.stack([np.ones(10), np.zeros(10)]), items)
    assert np.isfinite(found).all()
    assert items.chances(found)[0].min() > 0.95
    assert items.chances(found)[1].max() < 0.05


def test_fewer_items_than_dimensions_are_enough() -> None:
    items = ItemParameters(np.ones((1, 5)), np.zeros(1))
    found = abilities(np.array([[1.0]]), items)
    assert np.isfinite(found).all()
    assert np.ptp(found) < 1e-9
