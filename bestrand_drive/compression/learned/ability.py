"""The ability of a new model from its answers to a few items of a fitted response model."""

from __future__ import annotations

import numpy as np

from bestrand_drive.compression.learned.irt import LOGIT_LIMIT, ItemParameters

Array = np.ndarray

RIDGE = 1e-4
"""Curvature that keeps the ability finite when all answers agree or the items leave a direction open."""
STEPS = 100


def abilities(answers: Array, items: ItemParameters) -> Array:
    """Maximum-likelihood ability of each model, float64 [model, dimension], from ability 0 by halved Newton steps.

    Args:
        answers: float64 [model, item] of 0 and 1, NaN where not measured.
        items: Parameters of these items.
    """
    a, b = items.discrimination, items.difficulty
    known = ~np.isnan(answers)
    y = np.where(known, answers, 0.0)
    offset = a.shape[1] * b
    theta = np.zeros((len(answers), a.shape[1]))
    loss = _loss(theta, y, known, a, offset)
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(theta @ a.T - offset, -LOGIT_LIMIT, LOGIT_LIMIT)))
        slope = ((chance - y) * known) @ a + RIDGE * theta
        spread = chance * (1 - chance) * known
        curvature = np.einsum("mi,id,ie->mde", spread, a, a) + RIDGE * np.eye(a.shape[1])
        step = -np.linalg.solve(curvature, slope[:, :, None])[:, :, 0]
        theta, loss, moved = _halved(theta, step, loss, (y, known, a, offset))
        if not moved:
            break
    return theta


def _halved(
    theta: Array, step: Array, loss: Array, data: tuple[Array, Array, Array, Array]
) -> tuple[Array, Array, bool]:
    """Take each model's step, halved until its loss falls; models that cannot gain stay."""
    size = np.ones(len(theta))
    for _ in range(20):
        trial = theta + size[:, None] * step
        new = _loss(trial, *data)
        worse = new > loss
        if not worse.any():
            break
        size[worse] /= 2
    better = new < loss - 1e-12 * (1 + np.abs(loss))
    return np.where(better[:, None], trial, theta), np.where(better, new, loss), bool(better.any())


def _loss(theta: Array, y: Array, known: Array, a: Array, offset: Array) -> Array:
    logits = theta @ a.T - offset
    nll = np.where(known, np.logaddexp(0.0, logits) - y * logits, 0.0).sum(axis=1)
    return np.asarray(nll + RIDGE / 2 * (theta**2).sum(axis=1))
