"""Stopping where the interval is narrow enough leaves its coverage, and the estimate, as they were."""

from __future__ import annotations

import numpy as np
import pytest

from bestrand_drive.compression.policy_estimates import Population
from bestrand_drive.compression.stopping.order import suite_order
from bestrand_drive.compression.stopping.rule import Goal, Verdict, decide
from bestrand_drive.scores.matrix import ScoreMatrix
from tests.statistical.worlds import LIKE_DRIVING_SCORE, LIKE_EFFICIENCY, generators, simulated, sizes_of

DRAWS = 150


@pytest.mark.parametrize(
    ("seed", "shares", "sizes", "half"),
    [(0, LIKE_DRIVING_SCORE, "equal", 0.16), (1, LIKE_EFFICIENCY, "unequal", 0.10)],
)
def test_the_interval_at_the_stop_holds_the_truth(
    seed: int, shares: tuple[float, ...], sizes: str, half: float
) -> None:
    inside, error, held = np.zeros(DRAWS), np.zeros(DRAWS), np.zeros(DRAWS)
    for t, (rng, _) in enumerate(generators(seed, DRAWS)):
        world = simulated(rng, sizes_of(sizes, rng), shares)
        items = len(world.target)
        population = Population(world.codes, np.ones(items), {"s": world.known(np.arange(items))})
        target = ScoreMatrix.from_arrays(
            world.target[:, None, None], items=world.scores.items, policies=["t"], metrics=world.scores.metrics
        )
        order = suite_order(world.scores.items, world.scores.strata, t)
        goal = Goal({"s": half}, "run", first=40)
        found = decide(order, target, population, goal, measured=target.items)
        assert found.verdict is Verdict.STOP
        assert found.look is not None
        line = found.look.estimates["s"]
        assert line.run is not None
        assert line.value is not None
        truth = float(world.target.mean())
        inside[t] = line.run.low <= truth <= line.run.high
        error[t], held[t] = line.value - truth, found.look.items
    assert 0.95 - 4 * (0.95 * 0.05 / DRAWS) ** 0.5 < inside.mean() < 0.995
    assert abs(error.mean()) < 4 * error.std() / DRAWS**0.5
    assert len(set(held.tolist())) > 2, "policies stop at different sizes, else nothing is tested"
    assert held.mean() < 200
