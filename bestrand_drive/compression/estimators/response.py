"""p-IRT and gp-IRT: unmeasured items are predicted by a response model at the target's ability.

Source: Maia Polo et al., tinyBenchmarks (arXiv 2402.14992), section 4; the IRT anchor estimate is ``weighted``.
"""

from __future__ import annotations

import numpy as np

from bestrand_drive.compression.estimators.sample import Array
from bestrand_drive.compression.estimators.source import Guess, Source
from bestrand_drive.compression.learned.ability import abilities
from bestrand_drive.compression.learned.irt import ItemParameters
from bestrand_drive.compression.learned.responses import ResponseModel
from bestrand_drive.compression.selectors.base import Selection
from bestrand_drive.errors import UsageError


def p_irt(values: Array, selection: Selection, source: Source) -> list[Guess]:
    """``(k / N) mean_S y + (1 - k / N) mean_R P(correct)``, with the items' weights for k and N.

    Raises:
        UsageError: The selection has no response model for this metric.
    """
    return [Guess(float(value)) for value in _predicted(values, selection, source, _model(selection, source, "pirt"))]


def gp_irt(values: Array, selection: Selection, source: Source) -> list[Guess]:
    """``lambda anchor + (1 - lambda) p-IRT``, lambda = b^2 / (v + b^2): less trust in a model that validated badly.

    Raises:
        UsageError: The selection has no response model for this metric.
    """
    model = _model(selection, source, "gpirt")
    known = ~np.isnan(values)
    weights = np.where(known, selection.weights.numpy()[:, None], 0.0)
    weights = np.where(weights.sum(axis=0) > 0, weights, known.astype(float))
    anchor = (weights * np.nan_to_num(values)).sum(axis=0) / weights.sum(axis=0)
    chance = model.spread / (4 * known.sum(axis=0))
    share = model.bias**2 / np.maximum(chance + model.bias**2, 1e-300)
    mixed = share * anchor + (1 - share) * _predicted(values, selection, source, model)
    return [Guess(float(value)) for value in mixed]


def _model(selection: Selection, source: Source, name: str) -> ResponseModel:
    model = selection.model.get(source.metric)
    if not isinstance(model, ResponseModel):
        raise UsageError(f"{name} needs a response model of the metric: choose by tinybenchmarks or zipbench.")
    return model


def _predicted(values: Array, selection: Selection, source: Source, model: ResponseModel) -> Array:
    """p-IRT of every target, metric units [target]."""
    indices, weights = selection.indices.numpy(), source.weights
    unit = (values.T - model.low) / model.width
    answers = np.where(np.isnan(unit), np.nan, (unit > model.cut).astype(float))
    own = ItemParameters(model.items.discrimination[indices], model.items.difficulty[indices])
    chances = model.items.chances(abilities(answers, own))
    laid = chances.copy()
    laid[:, indices] = np.where(np.isnan(unit), chances[:, indices], unit)
    return np.asarray(model.low + model.width * (laid @ weights) / weights.sum())
