"""What is asked of a gate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from bestrand_drive.benchmarks.definitions import MissingRule
from bestrand_drive.compression.gating.rules import Question, Rule
from bestrand_drive.errors import UsageError, choices
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.comparing.request import CompareRequest

Undecided = Literal["pass", "fail"]


@dataclass(frozen=True)
class GateRequest:
    """What is asked of a gate.

    Attributes:
        metrics: Names, the primary one first; empty for the suite's first metric.
        max_drop: Metric -> largest tolerated drop, metric units.
        level: Confidence of the two-sided intervals.
        rule: Who has to prove what.
        undecided: What an undecided gate does; None passes by ``regression`` and fails by ``non-inferior``.
        missing: As in ``CompareRequest``.
        allow_mismatch: Accept result files of another benchmark's evaluator.
    """

    metrics: tuple[str, ...] = ()
    max_drop: Mapping[str, float] = field(default_factory=dict)
    level: float = 0.95
    rule: Rule = Rule.REGRESSION
    undecided: Undecided | None = None
    missing: MissingRule | None = None
    allow_mismatch: bool = False

    @property
    def undecided_passes(self) -> bool:
        """Whether an undecided gate lets the change through."""
        return self.undecided == "pass" or (self.undecided is None and self.rule is Rule.REGRESSION)

    def names(self, suite: Suite) -> tuple[str, ...]:
        """The metrics, the primary one first."""
        return self.metrics or (suite.metrics[0].name,)

    def tolerating(self, suite: Suite, drop: float | Mapping[str, float] | None) -> GateRequest:
        """The same with tolerated drops; a number is that of the primary metric."""
        if drop is None:
            return self
        return replace(self, max_drop=drop if isinstance(drop, Mapping) else {self.names(suite)[0]: float(drop)})

    def comparison(self, suite: Suite) -> CompareRequest:
        """How all are compared: on every metric, so that flipped items are told of whatever is gated.

        Raises:
            UsageError: The request contradicts itself or the suite.
        """
        if not 0.5 <= self.level < 1:
            raise UsageError(f"--confidence {self.level}: give that of the two-sided intervals, from 0.5 to below 1.")
        if self.undecided is not None and self.undecided not in get_args(Undecided):
            raise UsageError(f"--undecided {self.undecided}: known are {choices(self.undecided, get_args(Undecided))}")
        names = self.names(suite)
        asked = CompareRequest(names, self.level, self.missing, self.allow_mismatch)
        asked.check(suite)
        for name, drop in self.max_drop.items():
            if name not in names:
                raise UsageError(f"--max-drop {name}={drop:g}: {name} is not gated; add --metric {name}.")
            if not (math.isfinite(drop) and drop >= 0):
                raise UsageError(f"--max-drop {name}={drop:g}: give the size of the drop, 0 or more.")
        without = [name for name in names if name not in self.max_drop]
        if self.rule is Rule.NON_INFERIOR and without:
            raise UsageError(
                f"--rule non-inferior: say which drop of {', '.join(without)} is tolerated: "
                f"--max-drop {without[0]}=NUMBER."
            )
        return replace(asked, metrics=())

    def question(self, name: str, *, higher_is_better: bool) -> Question:
        """What is asked of one metric."""
        return Question(self.rule, self.level, self.max_drop.get(name), higher_is_better)
