"""A response model of the items with all that its estimators need, and its choice of dimension by validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Generator

from bestrand_drive.compression.learned.ability import abilities
from bestrand_drive.compression.learned.history import History
from bestrand_drive.compression.learned.irt import ItemParameters, binarised, fit_items

Array = np.ndarray

DIMENSIONS = (5, 10)
EVERY = 5
"""Every fifth model validates."""


@dataclass(frozen=True)
class ResponseModel:
    """A fitted response model.

    Attributes:
        items: Parameters of all items.
        cut: Unit score above which an answer counts as correct.
        bias: Mean absolute error of predicted halves of validation models, b; 0 when nothing was validated.
        spread: Mean variance of a model's scores over items, 4 k v.
        low: Of the metric's scale.
        width: Of the metric's scale.
    """

    items: ItemParameters
    cut: float
    bias: float
    spread: float
    low: float
    width: float


def fit_responses(
    pasts: Sequence[History],
    generators: Sequence[Generator],
    epochs: int,
    *,
    dimensions: Sequence[int] = DIMENSIONS,
    validated: bool = True,
) -> list[ResponseModel]:
    """Fit one response model a history; all of one shape are fitted together.

    The dimension is the one whose prediction of the odd items of held-out models from their even items is best.

    Args:
        pasts: Histories of as many models and items each, at least two models.
        generators: One a history.
        epochs: Of each fit.
        dimensions: Candidates for D.
        validated: Whether to hold models out; else the first of ``dimensions`` is taken.
    """
    answers = [binarised(past.scores) for past in pasts]
    binary = [pair[0] for pair in answers]
    losses = np.zeros((len(dimensions), len(pasts)))
    if validated:
        losses = np.array([_held_out(binary, number, generators, epochs) for number in dimensions])
    chosen = losses.argmin(axis=0)
    fitted: dict[int, ItemParameters] = {}
    for number, dimension in enumerate(dimensions):
        members = np.flatnonzero(chosen == number).tolist()
        if members:
            found = fit_items([binary[i] for i in members], dimension, [generators[i] for i in members], epochs)
            fitted |= dict(zip(members, found, strict=True))
    return [
        ResponseModel(
            items=fitted[number],
            cut=answers[number][1],
            bias=float(losses[chosen[number], number]),
            spread=float(past.scores.var(axis=1).mean()),
            low=past.low,
            width=past.width,
        )
        for number, past in enumerate(pasts)
    ]


def _held_out(binary: Sequence[Array], dimension: int, generators: Sequence[Generator], epochs: int) -> list[float]:
    """Mean absolute error of the odd items' mean of every fifth model, by history."""
    held = np.arange(0, len(binary[0]), EVERY)
    kept = np.setdiff1d(np.arange(len(binary[0])), held)
    found = fit_items([block[kept] for block in binary], dimension, generators, epochs)
    return [_halves_error(block[held], items) for block, items in zip(binary, found, strict=True)]


def _halves_error(answers: Array, items: ItemParameters) -> float:
    seen, unseen = slice(0, None, 2), slice(1, None, 2)
    if answers.shape[1] < 2:
        return 0.0
    ability = abilities(answers[:, seen], ItemParameters(items.discrimination[seen], items.difficulty[seen]))
    return float(np.abs(items.chances(ability)[:, unseen].mean(axis=1) - answers[:, unseen].mean(axis=1)).mean())
