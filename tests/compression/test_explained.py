"""What probes explain of later policies: against plain formulas, and on worlds whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from bestrand_drive.compression.explained import Expectation, explained
from bestrand_drive.compression.theory import r1_squared, rc_squared


def world(rho: float, items: int, targets: int, probes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Exchangeable scores: [item, probe] and [item, target]."""
    rng = np.random.default_rng(seed)
    shared = np.sqrt(rho) * rng.normal(size=(items, 1))
    scores = shared + np.sqrt(1 - rho) * rng.normal(size=(items, probes + targets))
    return scores[:, :probes], scores[:, probes:]


def promised(probes: np.ndarray, rho: float, se: float = 0.0) -> Expectation:
    """The expectation of an exchangeable world whose rho is known."""
    count = probes.shape[1]
    return Expectation(probes.mean(axis=1), np.sqrt(r1_squared(rho, count)), se, count)


def test_the_share_is_the_plain_formula():
    probes, targets = world(0.4, 60, 5, 4, 0)
    found = explained(targets, promised(probes, 0.4))
    f = probes.mean(axis=1)
    covariances = [np.cov(f, column, ddof=0)[0, 1] for column in targets.T]
    share = np.mean(covariances) ** 2 / (f.var() * targets.var(axis=0).mean())
    assert found.share == pytest.approx(share)
    own = [np.corrcoef(f, column)[0, 1] for column in targets.T]
    assert found.own == pytest.approx([np.sign(r) * r**2 for r in own])
    total = found.rho + (1 - found.rho) / 5
    assert found.common == pytest.approx(share / total)


def test_missing_scores_leave_their_cells_out():
    probes, targets = world(0.4, 60, 4, 4, 1)
    gaps = targets.copy()
    gaps[:20, 0] = np.nan
    found = explained(gaps, promised(probes, 0.4))
    f = probes.mean(axis=1)
    covariances = [np.cov(f[20:], targets[20:, 0], ddof=0)[0, 1]]
    covariances += [np.cov(f, column, ddof=0)[0, 1] for column in targets.T[1:]]
    spread = np.mean([f[20:].var(), *[f.var()] * 3])
    variance = np.mean([targets[20:, 0].var(), *targets[:, 1:].var(axis=0)])
    assert found.share == pytest.approx(np.mean(covariances) ** 2 / (spread * variance))


def test_a_target_of_few_items_does_not_count():
    probes, targets = world(0.4, 60, 4, 4, 1)
    targets[:40, 1] = np.nan
    found = explained(targets, promised(probes, 0.4))
    assert found.targets == 3
    assert np.isnan(found.own[1])
    targets[:40, 2] = np.nan
    assert explained(targets, promised(probes, 0.4)) is None


@pytest.mark.parametrize("rho", [0.05, 0.3, 0.8])
@pytest.mark.parametrize("probes", [2, 5])
def test_the_rho_of_a_share_solves_the_formula(rho, probes):
    share = r1_squared(rho, probes)
    expected = Expectation(np.zeros(1), np.sqrt(share), 0.0, probes)
    assert expected.rho == pytest.approx(rho)


def test_large_worlds_give_the_theory_s_numbers():
    probes, targets = world(0.3, 40_000, 8, 5, 2)
    found = explained(targets, promised(probes, 0.3))
    assert found.share == pytest.approx(r1_squared(0.3, 5), abs=0.01)
    assert found.common == pytest.approx(rc_squared(0.3, 5, 8), abs=0.02)
    assert found.expected_common == pytest.approx(rc_squared(0.3, 5, 8))


@pytest.mark.parametrize(("targets", "most"), [(3, 8), (8, 12)])
def test_probes_that_still_explain_are_rarely_called_stale(targets, most):
    """The nominal rate is 1 in 40 (one side of 95 %); of 120 worlds 12 would be 1 in 10."""
    alarms = 0
    for seed in range(120):
        probes, columns = world(0.3, 80, targets, 5, seed)
        alarms += explained(columns, promised(probes, 0.3)).stale
    assert alarms <= most


def test_probes_of_another_world_are_called_stale():
    found = []
    for seed in range(20):
        probes, _ = world(0.4, 150, 0, 5, seed)
        _, strangers = world(0.4, 150, 8, 0, seed + 1000)
        found.append(explained(strangers, promised(probes, 0.4, se=0.05)))
    assert sum(one.stale for one in found) >= 18
    assert all(one.rho > 0.2 for one in found), "the strangers agree among themselves"


def test_without_variance_there_is_nothing_to_judge():
    probes, _ = world(0.3, 30, 0, 3, 0)
    assert explained(np.ones((30, 4)), promised(probes, 0.3)) is None
