"""Tango's interval against its definition, solved by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from bestrand_drive.compression.comparison.score_interval import score_interval, statistic


def constrained_variance(b: float, c: float, n: int, against: float) -> float:
    """n times the variance of the difference under the hypothesis, the likelihood of the 2 x 2 table maximised."""
    low, high = max(0.0, -against), (1 - against) / 2

    def minus_log_likelihood(q: float) -> float:
        cells = (q + against, q, 1 - 2 * q - against)
        counts = (b * n, c * n, (1 - b - c) * n)
        return -sum(count * np.log(max(cell, 1e-300)) for count, cell in zip(counts, cells, strict=True) if count > 0)

    found = optimize.minimize_scalar(
        minus_log_likelihood, bounds=(low, high), method="bounded", options={"xatol": 1e-12}
    )
    return 2 * float(found.x) + against - against**2


@pytest.mark.parametrize(("b", "c", "n"), [(3, 9, 40), (0, 4, 77), (12, 12, 60), (1, 0, 22)])
@pytest.mark.parametrize("against", [-0.3, -0.05, 0.0, 0.1])
def test_the_variance_is_that_of_the_constrained_likelihood(b, c, n, against):
    difference, share = (b - c) / n, (b + c) / n
    variance = constrained_variance(b / n, c / n, n, against)
    expected = (difference - against) / np.sqrt(variance / n)
    assert statistic(difference, share, n, against) == pytest.approx(expected, rel=2e-3, abs=2e-3)


def test_without_a_discordant_pair_it_stays_open():
    z2 = stats.norm.ppf(0.975) ** 2
    assert score_interval(0.0, 0.0, 77, 0.95) == pytest.approx((-z2 / (77 + z2), z2 / (77 + z2)), abs=1e-6)


@pytest.mark.parametrize(
    ("difference", "share", "pairs"), [(0.1, 0.3, 50), (-0.2, 0.2, 22), (1.0, 1.0, 12), (0.0, 0.5, 8.5)]
)
def test_sides_are_alike_and_the_ends_are_where_the_statistic_is_at_the_bar(difference, share, pairs):
    low, high = score_interval(difference, share, pairs, 0.9)
    assert score_interval(-difference, share, pairs, 0.9) == pytest.approx((-high, -low), abs=1e-7)
    bar = stats.norm.ppf(0.95)
    if low > -1:
        assert statistic(difference, share, pairs, low) == pytest.approx(bar, abs=1e-4)
    if high < 1:
        assert statistic(difference, share, pairs, high) == pytest.approx(-bar, abs=1e-4)
    assert low <= difference <= high


def test_rare_losses_are_covered_where_a_symmetric_interval_misses_them():
    """4 of 77 routes really got worse; in one suite of eight none or one of them shows."""
    counts = np.arange(12)
    weights = stats.binom.pmf(counts, 77, 4 / 77)
    inside = [
        score_interval(-c / 77, c / 77, 77, 0.95)[0] <= -4 / 77 <= score_interval(-c / 77, c / 77, 77, 0.95)[1]
        for c in counts
    ]
    assert float(weights @ np.array(inside)) > 0.94
