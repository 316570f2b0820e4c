"""Axes with round ends and round steps."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

TINY = 1e-9
"""What is smaller, beside a value or as one, is rounding."""


@dataclass(frozen=True)
class Scale:
    """A linear axis.

    Attributes:
        low: Value at its beginning.
        high: Value at its end.
        step: Between two ticks.
    """

    low: float
    high: float
    step: float

    @property
    def ticks(self) -> list[float]:
        """Multiples of the step inside."""
        first, last = math.ceil(self.low / self.step - 1e-9), math.floor(self.high / self.step + 1e-9)
        return [number * self.step for number in range(first, last + 1)]

    def place(self, value: float) -> float:
        """Share of the way from the beginning to the end, held inside."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)


def round_scale(values: Iterable[float], low: float | None = None, high: float | None = None, most: int = 5) -> Scale:
    """The tightest axis with round ends around some values.

    Args:
        values: What is to be seen.
        low: Least possible value: the axis does not go below it.
        high: Greatest possible value.
        most: Steps at most.
    """
    found = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    least, greatest = min(found), max(found)
    step = _round_step(_spread(least, greatest) / most)
    begin, end = math.floor(least / step) * step, math.ceil(greatest / step) * step
    begin, end = (begin, end) if begin < end else (begin - step, end + step)
    begin = begin if low is None or begin >= low else low
    end = end if high is None or end <= high else high
    return Scale(begin, end, step) if begin < end else Scale(begin - step, begin + step, step)


def _spread(least: float, greatest: float) -> float:
    """How far values lie apart; of equal ones, but for rounding, their size, or 1 around zero."""
    size = max(abs(least), abs(greatest))
    if greatest - least > TINY * max(size, TINY):
        return greatest - least
    return size if size > TINY else 1.0


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))
