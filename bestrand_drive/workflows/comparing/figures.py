"""Figures of a comparison in words: how many decimals, signs, intervals."""

from __future__ import annotations

from bestrand_drive.compression.intervals import Interval

NOTHING = "-"
"""Where there is no figure."""
_SHARES = 1.5
"""Scores below lie on a scale of shares."""


def decimals(*scores: float | None) -> int:
    """Of such scores and their differences: four on a scale of shares, else two."""
    return 4 if all(abs(score) < _SHARES for score in scores if score is not None) else 2


def signed(value: float | None, digits: int) -> str:
    """A difference, always with its sign, or a dash."""
    return NOTHING if value is None else f"{value:+.{digits}f}"


def span(around: Interval | None, digits: int) -> str:
    """Both ends of an interval of differences, or a dash."""
    return NOTHING if around is None else f"{signed(around.low, digits)} to {signed(around.high, digits)}"
