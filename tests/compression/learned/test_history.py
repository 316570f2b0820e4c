"""Histories: scale, gaps and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from bestrand_drive.compression.learned.history import history
from bestrand_drive.errors import UsageError
from tests.compression.worlds import close, matrix


def test_an_additive_table_is_filled_exactly() -> None:
    items, models = np.linspace(0.2, 0.6, 5), np.array([0.0, 0.1, 0.2])
    scores = items[:, None] + models[None, :]
    scores[0, 0], scores[4, 2] = 0.0, 1.0  # the range of the unit scale
    gappy = scores.copy()
    gappy[2, 1] = np.nan
    found = history(matrix(gappy), 0, "x", least=1)
    level = np.nanmean(gappy, axis=1)
    assert found.scores[1, 2] == pytest.approx(level[2] + np.nanmean(gappy[:, 1] - level), abs=1e-6)
    close(np.delete(found.scores[1], 2), np.delete(scores[:, 1], 2), rtol=1e-5)


def test_unbounded_metrics_use_the_models_range() -> None:
    found = history(matrix(np.array([[10.0, 30.0], [20.0, 20.0]])), 0, "x", least=1)
    close(found.scores, [[0.0, 0.5], [1.0, 0.5]])
    close(found.units(0.25), 15.0)
    close(found.unit(np.array([40.0])), 1.5)


def test_dead_probes_do_not_count_and_items_nobody_ran_are_refused() -> None:
    scores = np.random.default_rng(0).random((6, 3))
    scores[:, 1] = np.nan
    assert len(history(matrix(scores), 0, "x", least=2).scores) == 2
    with pytest.raises(UsageError, match="at least 3 probes"):
        history(matrix(scores), 0, "x", least=3)
    scores[4] = np.nan
    with pytest.raises(UsageError, match="1 of 6 items"):
        history(matrix(scores), 0, "x", least=2)
