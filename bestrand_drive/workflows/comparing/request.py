"""How policies are compared."""

from __future__ import annotations

from dataclasses import dataclass

from bestrand_drive.benchmarks.definitions import MissingRule
from bestrand_drive.errors import UsageError, choices
from bestrand_drive.suite.schema import Suite


@dataclass(frozen=True)
class CompareRequest:
    """How policies are compared.

    Attributes:
        metrics: Names to report, in this order; empty for all that ``estimate`` reports.
        level: Of the intervals, two-sided.
        missing: ``exclude`` pairs on the items that both have, ``zero`` scores missing ones at their worst; None is
            ``exclude``, and the command leaves with 6 when anything is missing.
        allow_mismatch: Accept result files of another benchmark's evaluator.
    """

    metrics: tuple[str, ...] = ()
    level: float = 0.95
    missing: MissingRule | None = None
    allow_mismatch: bool = False

    def check(self, suite: Suite) -> None:
        """Refuse what cannot be compared before anything is read.

        Raises:
            UsageError: Unknown metric, or the level is out of range.
        """
        if not 0.5 <= self.level < 1:
            raise UsageError(f"--level {self.level}: give the confidence of the intervals, from 0.5 to below 1.")
        known = [metric.name for metric in suite.metrics]
        known += [rule.name for rule in suite.harmonic] + [domain.name for domain in suite.domains]
        unknown = [name for name in self.metrics if name not in known]
        if unknown:
            raise UsageError(f"--metric {', '.join(unknown)}: not of this suite; known are {choices(unknown, known)}")
