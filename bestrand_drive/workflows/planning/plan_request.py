"""What a user may ask of ``bestrand plan``."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from bestrand_drive.compression.selectors.registry import SELECTORS
from bestrand_drive.errors import UsageError, choices
from bestrand_drive.workflows.choosing.request import refuse_fractions
from bestrand_drive.workflows.planning.outlook import Way

GoalKind = Literal["p95", "error", "detect"]
Claim = Literal["run", "policy"]
PLANNED = ("balanced", "bestrand", "random", "stratified")
"""Selectors whose law is known: those that draw at random. Learned ones can only be studied."""
ESTIMATORS = ("default", "mean")


@dataclass(frozen=True)
class PlanRequest:
    """A goal or a size, and how the suite will be chosen.

    Attributes:
        goal: What must be reached: ``p95``, the 95th percentile of the error; ``error``, its mean; ``detect``, a
            difference between two policies; None with a size.
        wanted: By metric, in its units; "" for all that are not named.
        keep: Share of the items.
        k: Number of items.
        hours: Budget of hours a policy.
        targets: How many policies will be estimated: errors are means over them.
        claim: About ``run``, this run on all items, or ``policy``, its mean over runs; None for the policy where run
            noise is known.
        selector: A name in ``PLANNED``.
        estimator: ``default`` or ``mean``.
        candidates: Random subsets judged.
        pool_factor: n of the pool min(n k, N); None takes the selector's own.
        metrics: Metrics to plan for; empty for those that take part in choosing.
        families: Name -> probes of one lineage.
        seed: Of draws over which variances are averaged.
    """

    goal: GoalKind | None = None
    wanted: Mapping[str, float] = field(default_factory=dict)
    keep: float | None = None
    k: int | None = None
    hours: float | None = None
    targets: int = 1
    claim: Claim | None = None
    selector: str = "balanced"
    estimator: str = "default"
    candidates: int = 128
    pool_factor: float | None = None
    metrics: tuple[str, ...] = ()
    families: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    seed: int = 0

    def check(self, *, size_known: bool = False) -> None:
        """Refuse what cannot be meant.

        Args:
            size_known: Whether a suite gives a size.

        Raises:
            UsageError: Not exactly one goal or size, an unknown name, or a number out of range.
        """
        refuse_fractions({"--k": self.k, "--seed": self.seed})
        self._check_size(size_known=size_known)
        if self.targets < 1:
            raise UsageError(f"--targets {self.targets}: give 1 or more.")
        if self.claim is not None and self.claim not in get_args(Claim):
            raise UsageError(f"--claim {self.claim}: known are {choices(self.claim, get_args(Claim))}")
        if self.selector not in PLANNED:
            raise UsageError(
                f"--selector {self.selector}: planned are {', '.join(PLANNED)}; others need `bestrand study`."
            )
        if self.estimator not in ESTIMATORS:
            raise UsageError(f"--estimator {self.estimator}: planned are {', '.join(ESTIMATORS)}.")
        if self.candidates < 1:
            raise UsageError(f"--candidates {self.candidates}: give 1 or more.")
        if self.pool_factor is not None and not (math.isfinite(self.pool_factor) and self.pool_factor >= 1):
            raise UsageError(
                f"--pool-factor {self.pool_factor}: the pool cannot be smaller than the suite; give 1 or more."
            )
        if not 0 <= self.seed < 2**63:
            raise UsageError(f"--seed {self.seed}: give a whole number from 0 to 2^63 - 1.")

    def _check_size(self, *, size_known: bool) -> None:
        sizes = {"keep": self.keep, "k": self.k, "hours": self.hours}
        given = {f"--{name}": size for name, size in sizes.items() if size is not None}
        asked = len(given) + (self.goal is not None)
        if asked > 1 or (asked == 0 and not size_known):
            raise UsageError(
                "Give exactly one of --p95, --error, --detect (what the suite must reach) and --keep, --k, --hours "
                "(its size)."
            )
        given |= {f"--{self.goal} {name}".strip(): goal for name, goal in self.wanted.items()}
        for option, number in given.items():
            if not math.isfinite(number) or number <= 0:
                raise UsageError(f"{option} {number:g}: goals and sizes must be above 0.")

    def way(self, strata: bool) -> Way:
        """How the suite will be chosen, on items with strata or without."""
        entry = SELECTORS[self.selector]
        return Way(
            selector=self.selector,
            estimator=self.estimator,
            factor=entry.pool_factor if self.pool_factor is None else self.pool_factor,
            candidates=self.candidates,
            seed=self.seed,
            stratified=strata and entry.stratified_pool,
        )

    def check_named(self, metrics: Collection[str]) -> None:
        """Refuse goals for what is not planned, such as a misspelt name beside a value for all.

        Raises:
            UsageError: Naming them.
        """
        unknown = [name for name in self.wanted if name and name not in metrics]
        if unknown:
            raise UsageError(f"--{self.goal} {unknown[0]}: not planned; planned are {', '.join(metrics)} (--metric).")

    def wanted_of(self, metric: str) -> float:
        """The goal of one metric.

        Raises:
            UsageError: None was given for it.
        """
        goal = self.wanted.get(metric, self.wanted.get(""))
        if goal is None:
            raise UsageError(f"--{self.goal}: nothing is said of {metric}; give {metric}=VALUE, or name --metric.")
        return goal


def goal_of(given: Mapping[GoalKind, Mapping[str, float] | None]) -> tuple[GoalKind | None, dict[str, float]]:
    """Which kind of goal was given, and its value by metric ("" for all others).

    Raises:
        UsageError: Two kinds are given.
    """
    goals = {kind: wanted for kind, wanted in given.items() if wanted is not None}
    if len(goals) > 1:
        raise UsageError("Give exactly one of " + ", ".join(f"--{kind}" for kind in goals) + ".")
    for kind, wanted in goals.items():
        return kind, dict(wanted)
    return None, {}
