"""The binomial tables against the law: masses, every cell of the look-up, and draws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bestrand_drive.compression.search.binomial import BITS, BinomialTable, binomial_masses

LAWS = [(1, 0.5), (2, 0.01), (7, 0.25), (31250, 0.25), (200_000, 0.01), (1_000_000, 1e-6), (1_000_000, 0.999999)]


@pytest.mark.parametrize(("n", "q"), LAWS)
def test_masses_are_the_binomial_ones(n: int, q: float) -> None:
    low, masses = binomial_masses(n, q)
    numbers = np.arange(low, low + len(masses))
    np.testing.assert_allclose(masses, stats.binom.pmf(numbers, n, q), rtol=1e-6, atol=1e-18)
    assert stats.binom.cdf(low - 1, n, q) + stats.binom.sf(numbers[-1], n, q) < 1e-16


@pytest.mark.parametrize(("n", "q"), LAWS)
def test_a_cell_names_a_number_only_where_all_its_uniform_numbers_mean_that_one(n: int, q: float) -> None:
    table = BinomialTable(n, q)
    cells = np.arange(2**BITS)
    first = np.searchsorted(table._steps, cells / 2**BITS, side="right")
    last = np.searchsorted(table._steps, np.nextafter((cells + 1) / 2**BITS, 0), side="right")
    sure = table._cells >= 0
    assert np.array_equal(table._cells[sure], (first + table._low)[sure])
    assert np.array_equal(first[sure], last[sure])
    assert not (first == last)[~sure].any() or (~sure).mean() < 0.05


@pytest.mark.parametrize(("n", "q"), [(3, 0.3), (40, 0.25), (9000, 0.25)])
def test_draws_have_the_law(n: int, q: float) -> None:
    drawn = BinomialTable(n, q).draw(40_000, np.random.default_rng(1))
    edges = np.unique(stats.binom.ppf(np.linspace(0.02, 0.98, 25), n, q).astype(int))
    edges = edges[edges < n]
    expected = np.diff(np.concatenate([[0.0], stats.binom.cdf(edges, n, q), [1.0]])) * len(drawn)
    seen = np.bincount(np.searchsorted(edges, drawn), minlength=len(expected))
    assert stats.chisquare(seen, expected).pvalue > 1e-3
