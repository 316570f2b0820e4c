"""Run-to-run noise pooled over items."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bestrand_drive.compression.noise import pooled_noise
from tests.compression.worlds import LIGHT, close


@LIGHT
@given(st.lists(st.integers(0, 4), min_size=1, max_size=10), st.integers(0, 999))
def test_pooled_noise_equals_brute_force(repeats: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    runs = [rng.normal(size=r) for r in repeats]
    variance = np.array([np.var(r, ddof=1) if len(r) > 1 else 0.0 for r in runs])
    squares = sum(((r - r.mean()) ** 2).sum() for r in runs if len(r) > 1)
    freedom = sum(len(r) - 1 for r in runs if len(r) > 1)
    found = pooled_noise(variance, np.array(repeats))
    if freedom == 0:
        assert found is None
    else:
        assert found is not None
        close(found, np.sqrt(squares / freedom))


def test_identical_repeats_have_no_noise() -> None:
    assert pooled_noise(np.zeros(3), np.array([2, 2, 1])) == 0.0


def test_what_an_item_run_once_carries_does_not_count() -> None:
    assert pooled_noise(np.array([4.0, 99.0]), np.array([3, 1])) == 2.0
