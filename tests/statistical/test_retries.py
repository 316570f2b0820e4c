"""F22: trying again after an infrastructure failure does not raise a policy's mean; trying until success would.

A Bernoulli policy drives routes of different difficulty; the simulator fails with a probability that may depend on how
the drive would have ended, and the policy may hang with a probability that depends on the route. The runs go through
the real plan and its rule of what counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
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


HANGS = 0.9 - CHANCES
"""Chance that the policy hangs [route]: the harder the route, the more often."""


def drive_or_hang(of: AttemptKey, number: int, chance: float, hangs: float, rng: np.random.Generator) -> Attempt:
    """One attempt on a simulator that now and then fails for its own reasons."""
    if rng.random() < 0.2:
        return Attempt(key=of, number=number, outcome=Outcome.INFRASTRUCTURE, reason=Reason.TM_STALL)
    if rng.random() < hangs:
        return Attempt(key=of, number=number, outcome=Outcome.AGENT_HUNG, reason=Reason.AGENT_HANG)
    return drive(of, number, chance, (0.0, 0.0), rng)


def as_infrastructure(attempt: Attempt) -> Attempt:
    """The rule that would take a hang for the simulator's: no progress, tried again."""
    if attempt.outcome is not Outcome.AGENT_HUNG:
        return attempt
    changes = {"outcome": Outcome.INFRASTRUCTURE, "reason": Reason.NO_PROGRESS}
    return Attempt.model_validate(attempt.model_dump() | changes)


@dataclass(frozen=True)
class Hung:
    """What a policy that hangs gets: the counted scores alone, and the official rule, by which no score is zero."""

    counted: Mean
    official: Mean


def with_hangs(rule: Callable[[Attempt], Attempt], max_attempts: int, rng: np.random.Generator) -> Hung:
    """Through the plan; routes that only the simulator failed on are left out of the official mean."""
    counted, official = [], []
    for route, (chance, hangs) in enumerate(zip(CHANCES, HANGS, strict=True)):
        attempts: list[Attempt] = []
        while True:
            (cell,) = plan([key(route)], attempts, max_attempts=max_attempts)
            if cell.action is not Action.RUN:
                break
            attempts.append(rule(drive_or_hang(cell.key, cell.number, chance, hangs, rng)))
        if cell.counted is not None:
            counted.append(float(cell.counted.status == "Completed"))
        if any(one.reason is not Reason.TM_STALL for one in attempts):
            official.append(counted[-1] if cell.counted is not None else 0.0)
    return Hung(mean(counted), mean(official))


def hung_truth() -> tuple[float, float]:
    """Exact means of one drive that the simulator let be: over the scores, and with a hang as zero."""
    scored = 1 - HANGS
    return float(np.sum(scored * CHANCES) / np.sum(scored)), float(np.mean(scored * CHANCES))


def test_a_policy_that_hangs_gains_nothing_by_retries():
    """F3, F22: a hang ends its route, so that what counts is as without retries, by either rule of missing routes."""
    counted, official = hung_truth()
    once = with_hangs(lambda attempt: attempt, 1, np.random.default_rng(5))
    tried = with_hangs(lambda attempt: attempt, 8, np.random.default_rng(6))
    for found in (once, tried):
        assert abs(found.counted.value - counted) < 3 * found.counted.error
        assert abs(found.official.value - official) < 3 * found.official.error
    assert abs(tried.counted.value - once.counted.value) < 3 * math.hypot(tried.counted.error, once.counted.error)
    assert tried.official.measured > once.official.measured, "retries did give routes back that the simulator took"


def test_trying_a_hang_again_would_raise_the_official_mean():
    """The positive control: the same sample shows the bias of taking a hang for the simulator's many times over."""
    _, official = hung_truth()
    found = with_hangs(as_infrastructure, 8, np.random.default_rng(7))
    assert found.official.value - official > 8 * found.official.error
