"""Due times told from the time alone against a clock that counts every tick."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from bestrand_drive.headless.sensors.schedule import Schedule, Span


def counted(period_s: float, steps: list[float]) -> list[bool]:
    """Due at the first tick, then at each first tick at or past the next multiple of the period."""
    due, now_s, first_s, following = [], 0.0, steps[0], 0
    for step_s in steps:
        now_s += step_s
        due.append(now_s - first_s >= following * period_s - 1e-6)
        while now_s - first_s >= following * period_s - 1e-6:
            following += 1
    return due


def told(period_s: float, steps: list[float], born_s: float = 0.0) -> list[Span | None]:
    schedule = Schedule(period_s, born_s, born_s + steps[0])
    now_s, spans = born_s, []
    for step_s in steps:
        now_s += step_s
        spans.append(schedule.due(now_s, step_s))
    return spans


@pytest.mark.parametrize("period_s", [0.02, 0.05, 0.1, 0.12, 0.5, 1.0 / 3.0])
@pytest.mark.parametrize("born_s", [0.0, 7.35])
def test_ticks_that_are_due(period_s: float, born_s: float) -> None:
    for seed in range(20):
        pick = random.Random(seed)
        steps = [0.05] * 60 if seed == 0 else [pick.choice((0.01, 0.05, 0.07, 0.4)) for _ in range(60)]
        assert [span is not None for span in told(period_s, steps, born_s)] == counted(period_s, steps)


@pytest.mark.parametrize("period_s", [0.0, 0.01, 0.05, 0.1, 0.12, 0.5])
def test_spans_follow_each_other_without_gap(period_s: float) -> None:
    spans = [span for span in told(period_s, [0.05] * 200, 3.0) if span is not None]
    assert spans[0].start_s == pytest.approx(0.0)
    for before, after in pairwise(spans):
        assert after.start_s == pytest.approx(before.start_s + before.length_s)
    assert spans[-1].start_s + spans[-1].length_s == pytest.approx(10.0, abs=max(period_s, 0.05) + 1e-9)


def test_a_long_step_makes_one_long_span() -> None:
    spans = told(0.1, [0.05, 0.05, 5.0, 0.05])
    assert [span and round(span.length_s, 9) for span in spans] == [0.1, None, 5.0, 0.1]
