"""Whether scores are what the theory takes them for: equal variances, equal correlations, all of them positive."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bestrand_drive.compression.theory import Moments, moments
from bestrand_drive.study.problem import Problem
from bestrand_drive.study.study import Row

LEAST_MEAN = 0.98
"""Mean standard deviation over the root of the mean variance, from which variances count as equal: it is the factor by
which unequal ones lower the mean error."""
LEAST_POSITIVE = 0.95
"""Share of pairs that covary positively from which all count as doing so."""


@dataclass(frozen=True)
class Assumptions:
    """One metric of a benchmark.

    Attributes:
        benchmark: Name.
        metric: Name.
        moments: Over all models.
    """

    benchmark: str
    metric: str
    moments: Moments

    @property
    def variance_factor(self) -> float:
        """Mean standard deviation over the root of the mean variance, at most 1."""
        return self.moments.mean_sd / self.moments.sigma if self.moments.sigma > 0 else 1.0

    @property
    def chance_sd(self) -> float:
        """Spread that correlations over that many items have by chance, (1 - r^2) / sqrt(N), were they all equal."""
        return (1 - self.moments.correlation**2) / math.sqrt(self.moments.items)

    @property
    def failures(self) -> list[str]:
        """What does not hold, in words, with what it does to the theory."""
        found = self.moments
        lines = []
        if self.variance_factor < LEAST_MEAN:
            lines.append(
                f"variances differ (their spread is {found.variance_cv:.2f} of their mean): the mean error is "
                f"{self.variance_factor:.3f} of that of equal ones"
            )
        if found.correlation_sd > 2 * self.chance_sd:
            lines.append(
                f"correlations differ ({found.correlation:.2f} with a spread of {found.correlation_sd:.2f}; chance "
                f"makes {self.chance_sd:.2f}): one rho stands for many, so large errors can be commoner than it says"
            )
        if found.positive < LEAST_POSITIVE:
            lines.append(
                f"{1 - found.positive:.0%} of the pairs do not covary positively: such models say nothing, or the "
                "opposite, about each other"
            )
        if found.constant:
            lines.append(f"{found.constant} of {found.models} models have one score everywhere and no error at all")
        return lines

    @property
    def row(self) -> Row:
        """For the machine-readable form."""
        found = self.moments
        return {
            "benchmark": self.benchmark,
            "metric": self.metric,
            "items": found.items,
            "models": found.models,
            "sigma": found.sigma,
            "rho": found.rho,
            "variance_cv": found.variance_cv,
            "variance_factor": self.variance_factor,
            "correlation": found.correlation,
            "correlation_sd": found.correlation_sd,
            "correlation_chance_sd": self.chance_sd,
            "positive": found.positive,
            "constant": found.constant,
            "equal_variance": self.variance_factor >= LEAST_MEAN,
            "equal_correlation": found.correlation_sd <= 2 * self.chance_sd,
            "positive_covariances": found.positive >= LEAST_POSITIVE,
        }


def assumptions(problem: Problem) -> list[Assumptions]:
    """Each metric of a benchmark.

    Args:
        problem: Without columns that repeat another: copies correlate perfectly.
    """
    names = problem.scores.metric_names
    return [Assumptions(problem.name, name, moments(problem.values[:, :, n])) for n, name in enumerate(names)]
