"""Simple random sampling looks at no score."""

from __future__ import annotations

from collections import Counter

import numpy as np
import torch
from scipy import stats

from bestrand_drive.compression.selectors.random import Random
from tests.compression.worlds import matrix, seeded


def test_no_score_is_looked_at() -> None:
    rng = np.random.default_rng(0)
    one, other = matrix(rng.normal(size=(20, 2))), matrix(rng.normal(size=(20, 2)))
    pool = torch.arange(20)
    assert torch.equal(
        Random().select(one, 5, pool=pool, generator=seeded(0)).indices,
        Random().select(other, 5, pool=pool, generator=seeded(0)).indices,
    )


def test_every_subset_is_equally_likely() -> None:
    scores, pool, generator = matrix(np.zeros((5, 1))), torch.arange(5), seeded(0)
    draws = 2000
    seen = Counter(
        tuple(Random().select(scores, 2, pool=pool, generator=generator).indices.tolist()) for _ in range(draws)
    )
    assert len(seen) == 10
    assert stats.chisquare(list(seen.values())).pvalue > 1e-3


def test_it_works_without_probes() -> None:
    scores = matrix(np.zeros((8, 0)))
    assert len(Random().select(scores, 3, pool=torch.arange(8), generator=seeded(0)).indices) == 3
