"""Proportional sampling looks at strata and at no score."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from bestrand_drive.compression.selectors.stratified import Stratified
from bestrand_drive.errors import UsageError
from tests.compression.worlds import matrix, seeded

LABELS = np.repeat([0, 1, 2], [10, 20, 30])


@pytest.mark.parametrize("k", [6, 12, 17])
def test_every_stratum_has_the_floor_or_ceiling_of_its_share(k: int) -> None:
    rng = np.random.default_rng(0)
    one, other = (matrix(rng.normal(size=(60, 2)), strata=LABELS) for _ in range(2))
    found = Stratified().select(one, k, pool=torch.arange(60), generator=seeded(k))
    counts = np.bincount(LABELS[found.indices.numpy()], minlength=3)
    assert (np.abs(counts - np.bincount(LABELS) * k / 60) < 1).all()
    assert found.estimator == "stratified"
    again = Stratified().select(other, k, pool=torch.arange(60), generator=seeded(k))
    assert torch.equal(found.indices, again.indices)


def test_without_strata_it_is_refused() -> None:
    with pytest.raises(UsageError, match="use random"):
        Stratified().select(matrix(np.zeros((9, 1))), 3, pool=torch.arange(9), generator=seeded(0))
