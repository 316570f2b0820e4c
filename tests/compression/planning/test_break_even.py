"""From how many targets on probes pay."""

from __future__ import annotations

import pytest

from bestrand_drive.compression.planning.break_even import break_even_targets, equal_size
from bestrand_drive.compression.planning.laws import exchangeable_law

N = 1_000_000


def laws(rho: float, imbalance: float = 0.0):
    guided = exchangeable_law(1.0, rho, probes=5, items=N, factor=4.0, imbalance=imbalance)
    return guided, exchangeable_law(1.0, rho, probes=0, items=N)


@pytest.mark.parametrize("rho", [0.15, 0.33, 0.7])
def test_against_the_closed_form(rho):
    """k far below N, pool 4 k: Var = (3/4 (1 - R1^2) + 1/4) / k, so k' = k / that factor and T = 20 k / (k' - k)."""
    guided, bare = laws(rho)
    factor = 0.75 * (1 - 5 * rho**2 / (1 + 4 * rho)) + 0.25
    wanted = 20 / (1 / factor - 1)
    found = break_even_targets(100, guided, bare, probe_runs=5 * 400, most=N)
    assert found == pytest.approx(wanted, rel=0.01, abs=1)


def test_by_counting_runs():
    """One target fewer and the larger random subset errs less for the same item runs, one more and it errs more."""
    guided, bare = laws(0.5)
    targets = break_even_targets(100, guided, bare, probe_runs=2000, most=N)
    assert targets is not None
    for count, pays in ((targets - 2, False), (targets + 2, True)):
        same_cost = 100 + 2000 / count
        below, above = bare(int(same_cost)).variance, bare(int(same_cost) + 1).variance
        random = below + (same_cost % 1) * (above - below)
        assert (guided(100).variance < random) == pays


def test_ends():
    guided, bare = laws(0.5)
    assert break_even_targets(100, guided, bare, probe_runs=0, most=N) == 0
    assert break_even_targets(100, bare, bare, probe_runs=2000, most=N) is None
    assert equal_size(bare(7).variance, bare, N) == pytest.approx(7)
    assert equal_size(10 * bare(1).variance, bare, N) == 1.0
