"""A response model's choice of dimension and what gp-IRT weighs it by, against scipy and the written rule."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from bestrand_drive.compression.learned.irt import ItemParameters, fit_items
from bestrand_drive.compression.learned.responses import fit_responses
from tests.compression.histories import answered, past
from tests.compression.worlds import close, seeded

EPOCHS = 60


def _error(answers: np.ndarray, items: ItemParameters) -> float:
    """Mean over models of the error of the odd items' mean, with the likeliest ability on the even items."""
    wrong = []
    for row in answers:

        def loss(theta: np.ndarray, row: np.ndarray = row) -> float:
            chances = items.chances(theta[None])[0][::2].clip(1e-10, 1 - 1e-10)
            return -float((row[::2] * np.log(chances) + (1 - row[::2]) * np.log(1 - chances)).sum())

        theta = optimize.minimize(loss, np.zeros(items.discrimination.shape[1]), method="BFGS").x
        wrong.append(abs(items.chances(theta[None])[0][1::2].mean() - row[1::2].mean()))
    return float(np.mean(wrong))


@pytest.mark.parametrize("seed", range(3))
def test_every_fifth_model_decides_the_dimension_and_gives_b(seed: int) -> None:
    scores = answered(11, 60, seed=seed)
    generator = seeded(seed)
    held = [0, 5, 10]
    kept = np.delete(scores, held, axis=0)
    errors = {d: _error(scores[held], fit_items([kept], d, [generator], EPOCHS)[0]) for d in (1, 3)}
    best = min(errors, key=lambda d: errors[d])
    found = fit_responses([past(scores)], [seeded(seed)], EPOCHS, dimensions=(1, 3))[0]
    assert found.items.discrimination.shape == (60, best)
    close(found.items.difficulty, fit_items([scores], best, [generator], EPOCHS)[0].difficulty, rtol=1e-6)
    assert found.bias == pytest.approx(errors[best], abs=2e-3)
    close(found.spread, np.mean([row.mean() * (1 - row.mean()) for row in scores]), rtol=1e-9)


def test_without_validation_the_anchors_are_not_distrusted_nor_the_model() -> None:
    found = fit_responses([past(answered())], [seeded(0)], 5, dimensions=(2, 4), validated=False)[0]
    assert found.items.discrimination.shape == (40, 2)
    assert found.bias == 0
