"""Every selector with every estimator on degenerate data: a right answer or one clear error, never NaN."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

from bestrand_drive.compression.estimators.registry import ESTIMATORS, guesses
from bestrand_drive.compression.estimators.source import Source
from bestrand_drive.compression.selectors.base import ChoiceSettings, Selection, Selector
from bestrand_drive.compression.selectors.registry import SELECTORS
from bestrand_drive.errors import BestrandError, NothingSelected, UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec
from tests.compression.worlds import seeded

ITEMS = 24
Maker = Callable[[np.random.Generator], tuple[np.ndarray, int]]


def _scores(rng: np.random.Generator, probes: int = 5) -> np.ndarray:
    easy = rng.normal(size=(ITEMS, 1))
    return (easy + rng.normal(size=(ITEMS, probes)) > 0).astype(float)


def _constant_columns(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    scores = _scores(rng)
    scores[:, :2] = (0.0, 1.0)
    return scores, 8


def _all_constant(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    return np.ones((ITEMS, 4)), 8


def _zero_items(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    scores = _scores(rng)
    scores[:12] = 0.0
    return scores, 8


def _ninety_percent_missing(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    scores = _scores(rng, 20)
    scores[rng.random(scores.shape) < 0.9] = np.nan
    return scores, 8


def _near_collinear(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    base = rng.random((ITEMS, 1))
    return np.clip(base + 1e-6 * rng.normal(size=(ITEMS, 6)), 0, 1), 8


CASES: dict[str, Maker] = {
    "constant columns": _constant_columns,
    "everything constant": _all_constant,
    "all-zero items": _zero_items,
    "one probe": lambda rng: (_scores(rng, 1), 8),
    "no probe": lambda rng: (_scores(rng, 0), 8),
    "more probes than items chosen": lambda rng: (_scores(rng, 12), 4),
    "one item": lambda rng: (_scores(rng), 1),
    "all items": lambda rng: (_scores(rng), ITEMS),
    "nine in ten cells missing": _ninety_percent_missing,
    "near-collinear probes": _near_collinear,
}
STRATA = {"none": None, "some": np.arange(ITEMS) // 6, "one an item": np.arange(ITEMS)}
QUICK = ChoiceSettings(candidates=16, effort=0.01)


def _matrix(scores: np.ndarray, strata: str) -> ScoreMatrix:
    labels = STRATA[strata]
    return ScoreMatrix.from_arrays(
        scores[:, :, None],
        items=[f"i{i:02d}" for i in range(ITEMS)],
        policies=[f"p{j}" for j in range(scores.shape[1])],
        metrics=[MetricSpec("score", low=0.0, high=1.0)],
        strata=None if labels is None else [f"s{label}" for label in labels],
    )


def _made(name: str) -> Selector:
    """The selector; networks, which are the slowest, are trained for a few steps only."""
    return SELECTORS[name].make(replace(QUICK, effort=0.001) if name.startswith("sparseeval") else QUICK)


def _chosen(name: str, scores: ScoreMatrix, k: int) -> Selection | None:
    """The selection, or None after one clear error."""
    try:
        return _made(name).select(scores, k, pool=torch.arange(ITEMS), generator=seeded(3))
    except BestrandError as error:
        if not _clear(error):
            raise
        return None


def _cannot_be_served(name: str, case: str, strata: str) -> bool:
    """Whether the scores lack what the selector chooses by."""
    learns = SELECTORS[name].make(QUICK).needs_history
    if name == "stratified":
        return strata == "none"
    if case == "one probe":
        return learns and name != "aipw"
    if case in ("no probe", "nine in ten cells missing"):  # of these a candidate hides some probe whatever it holds
        return learns or name == "bestrand"
    return False


def _clear(error: BestrandError) -> bool:
    """Whether it is the user's matter, in a whole sentence."""
    return type(error) in (UsageError, NothingSelected) and len(str(error)) > 30


def _targets() -> np.ndarray:
    rng = np.random.default_rng(7)
    graded = rng.random(ITEMS)
    return np.column_stack([rng.integers(0, 2, ITEMS), np.zeros(ITEMS), np.ones(ITEMS), graded]).astype(float)


@pytest.mark.parametrize("strata", STRATA)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", SELECTORS)
def test_a_right_answer_or_one_clear_error(name: str, case: str, strata: str) -> None:
    values, k = CASES[case](np.random.default_rng(0))
    scores = _matrix(values, strata)
    found = _chosen(name, scores, k)
    assert (found is None) == _cannot_be_served(name, case, strata)
    if found is None:
        return
    assert found.indices.tolist() == sorted(set(found.indices.tolist()))
    assert len(found.indices) == k
    assert float(found.weights.sum()) == pytest.approx(1.0)
    assert bool((found.weights >= 0).all())
    targets, answered = _targets(), []
    for estimator in ESTIMATORS:
        try:
            told = guesses(estimator, targets[found.indices.numpy()], found, Source(scores, np.arange(ITEMS)))
        except UsageError as error:
            if not _clear(error):
                raise
            continue
        answered.append(estimator)
        values = np.array([guess.value for guess in told])
        assert np.isfinite(values).all(), estimator
        assert (values >= 0).all(), estimator
        assert (values <= 1).all(), estimator
        assert all(guess.variance is None or 0 <= guess.variance < np.inf for guess in told), estimator
        if k == ITEMS:
            np.testing.assert_allclose(values, targets.mean(axis=0), atol=1e-12, err_msg=estimator)
    assert {"mean", "weighted", "stratified", "default", found.estimator} <= set(answered)


@pytest.mark.parametrize("name", SELECTORS)
def test_a_target_s_missing_scores_are_no_zeros(name: str) -> None:
    """A policy that is right on all that was measured of it keeps a good estimate, whatever is missing."""
    scores = _matrix(_scores(np.random.default_rng(0)), "some")
    found = _chosen(name, scores, 12)
    assert found is not None
    values = np.ones((12, 1))
    values[::3] = np.nan
    source = Source(scores, np.arange(ITEMS))
    for estimator in ESTIMATORS:
        if estimator in ("sparse-network", "anchor-predictor", "pirt", "gpirt") and estimator != found.estimator:
            continue
        told = guesses(estimator, values, found, source)[0].value
        assert np.isfinite(told)
        if estimator in ("mean", "weighted", "stratified", "poststratified"):
            assert told == pytest.approx(1.0)


@pytest.mark.parametrize("name", [name for name, entry in SELECTORS.items() if entry.make(QUICK).needs_history])
def test_a_partial_pool_is_refused_by_what_needs_histories(name: str) -> None:
    pool = torch.arange(ITEMS)[::2]
    scores = _matrix(_scores(np.random.default_rng(0)), "none").hidden_outside(pool)
    with pytest.raises(UsageError, match="12 of 24 items have no probe score"):
        _made(name).select(scores, 5, pool=pool, generator=seeded(0))


@pytest.mark.parametrize("name", SELECTORS)
def test_excluded_items_are_never_chosen(name: str) -> None:
    pool = torch.arange(ITEMS)[::2]
    scores = _matrix(_scores(np.random.default_rng(0)), "some")
    found = _made(name).select(scores, 7, pool=pool, generator=seeded(0))
    assert len(found.indices) == 7
    assert bool(torch.isin(found.indices, pool).all())


@pytest.mark.parametrize("name", SELECTORS)
def test_one_seed_gives_one_selection_for_any_number_of_threads(name: str) -> None:
    scores = _matrix(_scores(np.random.default_rng(0)), "some")
    before = torch.get_num_threads()
    told = []
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            found = _chosen(name, scores, 9)
            assert found is not None
            value = guesses(found.estimator, _targets()[found.indices.numpy()], found, Source(scores, np.arange(ITEMS)))
            told.append((found.indices.tolist(), found.weights.tolist(), [guess.value for guess in value]))
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert told[0] == told[1]


@pytest.mark.parametrize("name", SELECTORS)
def test_what_a_choice_costs(name: str) -> None:
    expected = {"random": 0, "stratified": 0, "bestrand": 8 * 40, "zipbench": 6 * 100}.get(name, 8 * 100)
    entry = SELECTORS[name]
    assert entry.cost(100, 8, 10, entry.pool_factor) == expected
