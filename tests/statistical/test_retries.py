"""F22: trying again after an infrastructure failure does not raise a policy's mean; trying until success would.

A Bernoulli policy drives routes of different difficulty; the simulator fails with a probability that may depend on how
the drive would have ended. The runs go through the real plan and its rule of what counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.simulation.attempts.key import AttemptKey
from bestrand_drive.simulation.attempts.plan import Action, plan
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.record import Attempt
from bestrand_drive.simulation.attempts.stops import place_of
from tests.simulation.attempts.made import failed, key

ROUTES, MAX_ATTEMPTS = 2500, 3
CHANCES = np.tile([0.1, 0.35, 0.6, 0.85], ROUTES // 4)
"""Chance of success [route]."""


@dataclass(frozen=True)
class Mean:
    """Mean success over the routes that have a result, its standard error, and how many have one."""

    value: float
    error: float
    measured: int


def mean(values: list[float]) -> Mean:
    return Mean(float(np.mean(values)), float(np.std(values, ddof=1) / math.sqrt(len(values))), len(values))


def drive(of: AttemptKey, number: int, chance: float, fails: tuple[float, float], rng: np.random.Generator) -> Attempt:
    """One attempt; ``fails`` are the simulator's chances to fail in a drive that would fail, and that would succeed."""
    success = bool(rng.random() < chance)
    if rng.random() < fails[success]:
        return Attempt(key=of, number=number, outcome=Outcome.INFRASTRUCTURE, reason=Reason.SIMULATION_CRASH)
    status = "Completed" if success else "Failed - Agent got blocked"
    return Attempt(key=of, number=number, outcome=Outcome.SCORED, status=status)


def by_the_plan(fails: tuple[float, float], max_attempts: int, rng: np.random.Generator, outages: int = 0) -> Mean:
    """Mean under the rule.

    Args:
        fails: See ``drive``.
        max_attempts: Of the plan.
        rng: Of all draws.
        outages: Starts on a broken machine before the others; each costs every route an attempt that is excused.
    """
    values = []
    for route, chance in enumerate(CHANCES):
        attempts = [failed(number, key(route)) for number in range(1, outages + 1)]
        excused = frozenset(map(place_of, attempts))
        while True:
            (cell,) = plan([key(route)], attempts, excused=excused, max_attempts=max_attempts)
            if cell.action is not Action.RUN:
                break
            attempts.append(drive(cell.key, cell.number, chance, fails, rng))
        if cell.counted is not None:
            values.append(float(cell.counted.status == "Completed"))
    return mean(values)


def until_success(fails: tuple[float, float], rng: np.random.Generator) -> Mean:
    """The rule of launchers that submit every failed route again: the last attempt counts."""
    values = []
    for route, chance in enumerate(CHANCES):
        for number in range(1, MAX_ATTEMPTS + 1):
            attempt = drive(key(route), number, chance, fails, rng)
            if attempt.status == "Completed":
                break
        values.append(float(attempt.status == "Completed"))
    return mean(values)


def expected(fails: tuple[float, float], max_attempts: int) -> float:
    """Exact mean over measured routes: in every try a result is a success with p(1-f1) / (p(1-f1) + (1-p)(1-f0))."""
    success, failure = CHANCES * (1 - fails[1]), (1 - CHANCES) * (1 - fails[0])
    measured = 1 - (1 - success - failure) ** max_attempts
    return float(np.sum(measured * success / (success + failure)) / np.sum(measured))


def test_failures_that_do_not_depend_on_the_drive():
    found = by_the_plan((0.3, 0.3), MAX_ATTEMPTS, np.random.default_rng(1))
    assert abs(found.value - CHANCES.mean()) < 3 * found.error
    assert found.measured > 0.95 * ROUTES


@pytest.mark.parametrize("fails", [(0.5, 0.1), (0.1, 0.5), (0.7, 0.0)])
def test_failures_that_depend_on_the_drive(fails):
    """Such a simulator distorts the scores by itself; trying again does not add to it, it takes some away."""
    once = by_the_plan(fails, 1, np.random.default_rng(2))
    tried = by_the_plan(fails, MAX_ATTEMPTS, np.random.default_rng(3))
    for found, attempts in ((once, 1), (tried, MAX_ATTEMPTS)):
        assert abs(found.value - expected(fails, attempts)) < 3 * found.error
    truth = float(CHANCES.mean())
    bias = [abs(expected(fails, attempts) - truth) for attempts in (1, 2, 3, 50)]
    assert np.all(np.diff(bias) < 0), "every further try brings the mean nearer to the truth"
    assert tried.value < max(once.value, truth) + 3 * math.hypot(once.error, tried.error)
    assert abs(once.value - truth) > 3 * once.error, "the simulator's own distortion would have been noticed"


@pytest.mark.parametrize("fails", [(0.3, 0.3), (0.5, 0.1)])
def test_outages_that_are_excused_change_no_number(fails):
    """The same draws give the same results, to the last one, whatever the machine did before."""
    without, after = (by_the_plan(fails, 2, np.random.default_rng(5), outages) for outages in (0, 4))
    assert without == after
    assert without.measured < ROUTES, "the cap is met, and by the same routes"


@pytest.mark.parametrize("fails", [(0.0, 0.0), (0.3, 0.3)])
def test_trying_until_success_would_raise_the_mean(fails):
    """The positive control: the same sample size shows the bias of the usual rule many times over."""
    found = until_success(fails, np.random.default_rng(4))
    assert found.value - CHANCES.mean() > 8 * found.error
