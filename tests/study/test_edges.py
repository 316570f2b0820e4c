"""Studies of degenerate tables: every estimator with every untrained way to choose, numbers or nothing, never NaN."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple

import numpy as np
import pytest

from bestrand_drive.compression.estimators.registry import ESTIMATORS
from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec
from bestrand_drive.study.arms import FAST, Arm
from bestrand_drive.study.cells import Cell, measure, rounding
from bestrand_drive.study.measures import measures
from bestrand_drive.study.pairs import MODELS_OF, serving
from bestrand_drive.study.problem import Problem
from bestrand_drive.study.splits import random_split

ITEMS, MODELS = 24, 9
Maker = Callable[[np.random.Generator], np.ndarray]


def _plain(rng: np.random.Generator) -> np.ndarray:
    return (rng.normal(size=(ITEMS, 1)) + rng.normal(size=(ITEMS, MODELS)) > 0).astype(float)


def _with(place: tuple[slice, slice], value: float) -> Maker:
    def make(rng: np.random.Generator) -> np.ndarray:
        scores = _plain(rng)
        scores[place] = value
        return scores

    return make


def _mostly_missing(rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random((ITEMS, MODELS)) < 0.9, np.nan, _plain(rng))


def _near_collinear(rng: np.random.Generator) -> np.ndarray:
    return np.asarray(rng.random((ITEMS, 1)) + 1e-9 * rng.normal(size=(ITEMS, MODELS)))


EVERY = slice(None)
CASES: dict[str, Maker] = {
    "plain": _plain,
    "constant models": _with((EVERY, slice(0, 4)), 1.0),
    "everything constant": _with((EVERY, EVERY), 0.0),
    "zero items": _with((slice(0, 12), EVERY), 0.0),
    "an item nobody ran": _with((slice(0, 1), EVERY), np.nan),
    "a model without scores": _with((EVERY, slice(0, 1)), np.nan),
    "nine in ten cells missing": _mostly_missing,
    "near-collinear": _near_collinear,
    "negative": lambda rng: rng.normal(size=(ITEMS, MODELS)) - 20,
    "huge": lambda rng: 1e17 * rng.normal(size=(ITEMS, MODELS)),
    "tiny": lambda rng: 1e-9 * rng.random((ITEMS, MODELS)),
}


def _problem(values: np.ndarray, strata: str, probes: int) -> Problem:
    finite = values[~np.isnan(values)]
    bounded = finite.min() >= 0 and finite.max() <= 1
    scores = ScoreMatrix.from_arrays(
        values[:, :, None],
        items=[f"i{number}" for number in range(ITEMS)],
        policies=[f"m{number}" for number in range(MODELS)],
        metrics=[MetricSpec("score", 0.0, 1.0) if bounded else MetricSpec("score")],
        strata={"none": None, "one an item": [f"s{number}" for number in range(ITEMS)]}[strata],
    )
    return Problem("edge", scores, random_split(np.arange(float(MODELS)), probes), f"random {probes}")


WAYS = [(selector, strata) for selector in FAST for strata in ("none", "one an item")]
WAYS.remove(("stratified", "none"))


@pytest.mark.parametrize(("selector", "strata"), WAYS)
@pytest.mark.parametrize("case", CASES)
def test_measures_are_numbers_or_nothing(selector: str, case: str, strata: str) -> None:
    values = CASES[case](np.random.default_rng(0))
    size = float(np.nanmax(np.abs(values)))
    untrained = [name for name in ESTIMATORS if name not in MODELS_OF]
    for probes, k in ((5, 1), (4, 3), (1, 8), (4, ITEMS)):
        problem, arm = _problem(values, strata, probes), Arm.of(selector)
        for estimator in serving(arm, untrained, ITEMS, k):
            try:
                cell = Cell(problem, arm, estimator, k, k / ITEMS)
                outcome = measure(cell, [0, 1])
            except UsageError as error:
                if estimator != "aipw" or "learns from" not in str(error):
                    raise
                continue
            found = measures(cell, outcome, 0, outcome)
            assert all(value is None or np.isfinite(value) for value in astuple(found)), estimator
            assert found.mae is None or found.mae <= 3 * size, estimator
            assert np.isnan(values).any() or found.mae is not None, estimator
            if k == ITEMS and not np.isnan(values).any():
                assert (found.mae or 0.0) <= 1e-6 * size + 1e-12, estimator
                assert found.coverage95 in (None, 1.0), estimator


def test_a_seed_whose_pool_hides_a_probe_does_not_change_the_others() -> None:
    problem = _problem(_mostly_missing(np.random.default_rng(0)), "none", 4)
    cell = Cell(problem, Arm.of("bestrand"), "expc", 2, 2 / ITEMS)
    together = measure(cell, range(6))
    for seed in range(6):
        alone = measure(cell, [seed])
        np.testing.assert_allclose(together.error[seed], alone.error[0], atol=1e-6)
        np.testing.assert_allclose(together.width[seed], alone.width[0], atol=1e-6)


def test_what_counts_as_rounding_has_the_size_of_the_scores() -> None:
    """Else every interval of scores near 1e-12 would hold the truth, however wrong it is."""
    values = np.random.default_rng(0).normal(size=(ITEMS, MODELS))
    allowed = [rounding(_problem(unit * values, "none", 4))[0, 0] for unit in (1.0, 1e-12)]
    assert 0 < allowed[0] < 1e-7
    assert allowed[1] == pytest.approx(1e-12 * allowed[0], rel=1e-3)
    measured = [
        measure(Cell(_problem(unit * values, "none", 4), Arm.of("random"), None, 3, 0.125), range(40))
        for unit in (1.0, 1e-12)
    ]
    assert (measured[0].covered == 0).any()
    np.testing.assert_array_equal(measured[0].covered, measured[1].covered)
