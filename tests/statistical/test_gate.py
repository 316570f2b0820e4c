"""A gate cries wolf as seldom as it says, on real run noise; the longer measurement is scripts/bench_gate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bestrand_drive.compression.comparison.paired import PairedDifference
from bestrand_drive.compression.gating.rules import Question, Rule, Status
from scripts.compare_worlds import Case, Outcomes, dropped, judged, recorded, without_crashes

DRAWS = 400
HALF = 0.025
SLACK = 3.5 * (HALF * (1 - HALF) / DRAWS) ** 0.5
ANY_DROP = Question(Rule.REGRESSION, 0.95, None, higher_is_better=True)


def share(question: Question, found: list[PairedDifference], status: Status) -> float:
    """How often a gate says something."""
    return float(np.mean([question.status(one) is status for one in found]))


@pytest.fixture(scope="module")
def simlingo(shared_data: Path) -> Outcomes:
    """Driven twice on Bench2Drive."""
    return recorded(shared_data, "bench2drive", {"SimLingo": ["SimLingo", "SimLingo-repeat"]}, kept=without_crashes)


@pytest.fixture(scope="module")
def same(simlingo: Outcomes) -> list[PairedDifference]:
    """One policy against itself on suites of 77 routes."""
    runs = simlingo.runs["SimLingo"][:, :, 0]
    return [one for one, _ in judged(Case(simlingo.strata, runs, runs, 100.0, swap=True), 77, 1, DRAWS, 0)]


def test_the_noise_is_that_of_181_routes(simlingo):
    runs = simlingo.runs["SimLingo"][:, :, 0]
    assert len(runs) == 181
    assert np.sqrt(runs.var(axis=1, ddof=1).mean()) == pytest.approx(13.3, abs=0.1)


def test_a_policy_against_itself_seldom_fails(same):
    assert share(ANY_DROP, same, Status.FAILED) < HALF + SLACK


@pytest.mark.parametrize("rule", Rule)
@pytest.mark.parametrize("drop", [2.0, 6.0])
def test_a_drop_on_the_bound_fails_and_passes_as_seldom(same, rule, drop):
    """The candidate is worse by just what is tolerated: neither verdict has evidence."""
    asked = replace(ANY_DROP, rule=rule, max_drop=drop)
    worse = [dropped(one, drop) for one in same]
    assert share(asked, worse, Status.FAILED) < HALF + SLACK
    assert share(asked, worse, Status.PASSED) < HALF + SLACK
    assert share(asked, worse, Status.UNDECIDED) > 1 - 2 * (HALF + SLACK)


def test_the_detectable_drop_is_found_in_eight_of_ten(same):
    sees = float(np.mean([one.detectable(0.95) for one in same]))
    assert 4 < sees < 9, "points, of driving score with one run a side"
    assert share(ANY_DROP, [dropped(one, sees) for one in same], Status.FAILED) == pytest.approx(0.8, abs=0.1)


def test_ten_drops_of_a_point_pass_the_baseline_and_not_the_anchor(shared_data):
    """Every version is a point worse than the one before; 50 pairs of routes, three runs each."""
    seeds = recorded(shared_data, "fail2drive", {"TFv6": ["TFv6"]})
    runs = seeds.runs["TFv6"][:, :, seeds.metrics.index("base_driving_score")]
    noise = [one for one, _ in judged(Case(seeds.strata, runs, runs, 100.0), 50, 3, 200, 1)]
    asked = replace(ANY_DROP, max_drop=2.0)
    steps = share(asked, [dropped(one, 1.0) for one in noise], Status.FAILED)
    assert steps < HALF + SLACK
    history = [share(asked, [dropped(one, float(many)) for one in noise], Status.FAILED) for many in range(1, 11)]
    assert history == sorted(history)
    assert history[-1] > 0.95
