"""Tango's score interval for a difference of paired proportions, at an effective number of pairs.

It does not collapse where no pair is discordant, and leans to the side on which rare differences may be hidden. Tango,
Statistics in Medicine 17 (1998), 891-908; the effective number as Korn and Graubard, Survey Methodology 24 (1998), do
it for one proportion.
"""

from __future__ import annotations

import numpy as np
from scipy import optimize, stats

EDGE = 1 - 1e-9
"""Differences of proportions that are looked at lie inside this and its negative."""


def statistic(difference: float, share: float, pairs: float, against: float) -> float:
    """Tango's statistic, standard normal when the difference is ``against``.

    With b and c the shares of pairs that speak for and against, the variance under the hypothesis is
    ``(2 q + D (1 - D)) / n``, q the constrained estimate of the share against, the larger root of
    ``2 q^2 + ((2 - b + c) D - b - c) q - c D (1 - D) = 0``.

    Args:
        difference: b - c.
        share: b + c.
        pairs: Effective number, n.
        against: The hypothesis, D.
    """
    c = (share - difference) / 2
    linear = (2 - difference) * against - share
    root = np.sqrt(max(0.0, linear**2 + 8 * c * against * (1 - against)))
    variance = (2 * (root - linear) / 4 + against * (1 - against)) / pairs
    if variance <= 0:
        return 0.0 if difference == against else float(np.copysign(np.inf, difference - against))
    return float((difference - against) / np.sqrt(variance))


def score_interval(difference: float, share: float, pairs: float, level: float) -> tuple[float, float]:
    """Both ends of the interval, in [-1, 1].

    Args:
        difference: b - c.
        share: b + c.
        pairs: Effective number.
        level: Such as 0.95.
    """
    bar = float(stats.norm.ppf(0.5 + level / 2))

    def end(side: int) -> float:
        far = side * EDGE

        def beyond(against: float) -> float:
            return side * statistic(difference, share, pairs, against) + bar

        if (abs(difference) >= EDGE and difference * side > 0) or beyond(far) > 0:
            return float(side)
        return float(optimize.brentq(beyond, difference, far, xtol=1e-10))

    return end(-1), end(1)
