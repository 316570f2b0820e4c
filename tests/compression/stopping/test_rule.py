"""The rule against looking block by block, and what may not count: unfinished blocks, and when somebody asked."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from bestrand_drive.compression.noise import Noise
from bestrand_drive.compression.policy_estimates import Population, policy_estimates
from bestrand_drive.compression.stopping.order import Order, suite_order
from bestrand_drive.compression.stopping.rule import Goal, Kind, Verdict, decide
from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec

ITEMS = 90
CODES = np.arange(ITEMS) % 9
NAMES = [f"i{number}" for number in range(ITEMS)]
POPULATION = Population(CODES, np.ones(ITEMS), noise={"ds": Noise(10.0, "x"), "sr": Noise(20.0, "x")})


def results(seed: int = 0, measured: list[str] | None = None) -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    values = np.stack([rng.uniform(0, 100, ITEMS), 100.0 * (rng.random(ITEMS) < 0.6)], axis=1)[:, None, :]
    if measured is not None:
        values[[name not in set(measured) for name in NAMES]] = np.nan
    specs = [MetricSpec("ds", 0.0, 100.0), MetricSpec("sr", 0.0, 100.0, binary=True)]
    return ScoreMatrix.from_arrays(values, items=NAMES, policies=["t"], metrics=specs)


ORDER = suite_order(NAMES, [str(code) for code in CODES], 0, 9)


def half_width(held: int, seed: int, metric: str, kind: Kind) -> float:
    """From the estimates of the first items alone."""
    numbers = [NAMES.index(item) for item in ORDER.items[:held]]
    line = policy_estimates(results(seed).hidden_outside(torch.tensor(numbers)), POPULATION, 0.95)[metric]
    one = line.policy if kind == "policy" else line.run
    assert one is not None
    return (one.high - one.low) / 2


@pytest.mark.parametrize("kind", ["policy", "run"])
@pytest.mark.parametrize("seed", range(5))
def test_the_stop_is_the_first_block_where_all_half_widths_are_small_enough(kind: Kind, seed: int) -> None:
    goal = Goal({"ds": 7.5, "sr": 12.0}, kind, first=20)
    looks = [held for held in range(9, 91, 9) if held >= 20]
    wide = {held: (half_width(held, seed, "ds", kind), half_width(held, seed, "sr", kind)) for held in looks}
    expected = next(held for held in looks if wide[held][0] <= 7.5 and wide[held][1] <= 12)
    found = decide(ORDER, results(seed), POPULATION, goal, measured=NAMES)
    assert found.verdict is Verdict.STOP
    assert found.look is not None
    assert (found.look.items, found.look.blocks) == (expected, expected // 9)
    assert found.look.half_widths == pytest.approx(dict(zip(("ds", "sr"), wide[expected], strict=True)))
    assert found.next_items == ()


def test_the_answer_is_the_same_whenever_it_is_asked() -> None:
    """A driver that was away for three blocks decides as one that looked after each."""
    goal = Goal({"ds": 7.5})
    late = decide(ORDER, results(), POPULATION, goal, measured=NAMES).look
    assert late is not None
    for held in range(9, 91, 9):
        found = decide(ORDER, results(), POPULATION, goal, measured=ORDER.items[:held])
        assert (found.verdict is Verdict.STOP) == (held >= late.items)
        if held >= late.items:
            assert found.look == late


def test_blocks_that_were_judged_need_not_be_looked_at_again() -> None:
    """As long as none of them reaches the goal; the last look is made all the same."""
    goal = Goal({"ds": 6.0}, first=12)
    plain = decide(ORDER, results(), POPULATION, goal, measured=NAMES)
    assert plain.look is not None
    assert plain.look.blocks > 2
    for judged in range(plain.look.blocks):
        assert decide(ORDER, results(), POPULATION, goal, measured=NAMES, judged=judged) == plain
    held = ORDER.items[: ORDER.block * (plain.look.blocks - 1)]
    again = decide(ORDER, results(), POPULATION, goal, measured=held, judged=plain.look.blocks - 1)
    assert again == decide(ORDER, results(), POPULATION, goal, measured=held)


def test_what_lies_beyond_a_whole_block_changes_nothing() -> None:
    """What came of an unfinished block are its quick items; here all are perfect, which would narrow the interval."""
    goal = Goal({"ds": 1e-3})
    held = list(ORDER.items[:36])
    scores = results(0, held)
    extra = [item for item in ORDER.items[36:] if item != ORDER.items[40]]
    values, valid = scores.values.clone(), scores.valid.clone()
    rows = [NAMES.index(item) for item in extra]
    values[rows], valid[rows] = 100.0, True
    quick = ScoreMatrix(
        values, valid, scores.items, scores.policies, scores.metrics, valid.int(), scores.repeat_variance
    )
    alone = decide(ORDER, scores, POPULATION, goal, measured=held)
    found = decide(ORDER, quick, POPULATION, goal, measured=[*held, *extra])
    assert found.look == alone.look
    assert found.next_items == (ORDER.items[40],)
    assert set(alone.next_items) == set(ORDER.items[36:45])


def test_an_item_that_never_comes_is_finished_and_not_measured() -> None:
    gone = ORDER.items[5]
    rest = [item for item in NAMES if item != gone]
    goal = Goal({"ds": 7.5})
    waiting = decide(ORDER, results(0, rest), POPULATION, goal, measured=rest)
    assert (waiting.verdict, waiting.look, waiting.next_items) == (Verdict.GO_ON, None, (gone,))
    found = decide(ORDER, results(0, rest), POPULATION, goal, measured=rest, terminal=[gone])
    assert found.verdict is Verdict.STOP
    assert found.look is not None
    assert found.look.measured == found.look.items - 1


def test_nothing_is_judged_before_the_first_look() -> None:
    goal = Goal({"ds": 99.0}, first=31)
    assert decide(ORDER, results(), POPULATION, goal, measured=ORDER.items[:27]).look is None
    found = decide(ORDER, results(), POPULATION, goal, measured=ORDER.items[:36])
    assert found.look is not None
    assert found.look.items == 36
    small = Order(ORDER.items[:18], 9)
    assert decide(small, results(), POPULATION, goal, measured=NAMES).verdict is Verdict.STOP, "all of a small suite"


def test_all_items_without_the_goal_are_exhausted() -> None:
    """The policy's interval keeps its run noise however many items are measured."""
    found = decide(ORDER, results(), POPULATION, Goal({"ds": 0.5}), measured=NAMES)
    assert found.verdict is Verdict.EXHAUSTED
    assert found.look is not None
    assert found.look.half_widths["ds"] == pytest.approx(1.96 * 10 / ITEMS**0.5, rel=0.1)


@pytest.mark.parametrize("halves", [{}, {"ds": 0.0}, {"ds": float("nan")}, {"ds": -1.0}])
def test_a_goal_that_cannot_be_meant_is_refused(halves: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="half width"):
        Goal(halves)


def test_an_unknown_metric_is_refused() -> None:
    with pytest.raises(UsageError, match="speed"):
        decide(ORDER, results(), POPULATION, Goal({"speed": 1.0}), measured=NAMES)
