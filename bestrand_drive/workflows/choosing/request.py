"""What a user may ask of compress."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral

import torch
from torch import Tensor

from bestrand_drive.compression.features import OBJECTIVES
from bestrand_drive.compression.pool import kept_items
from bestrand_drive.compression.search import WAYS
from bestrand_drive.compression.selectors.registry import SELECTORS
from bestrand_drive.errors import UsageError, choices
from bestrand_drive.scores.matrix import ScoreMatrix

BALANCING = ("balanced", "bestrand")
"""Selectors that balance probe scores, and so can balance differences instead."""
MOST = 1e12
"""Of a pool factor and of a metric's weight: beside it nothing else counts, and a suite can hold what follows."""


@dataclass(frozen=True)
class CompressRequest:
    """Size, method and guards of a suite.

    Attributes:
        keep: Share of the items to keep; exactly one of ``keep``, ``k`` and ``hours`` is given.
        k: Number of items.
        hours: Budget of simulator hours a policy, by the probes' durations.
        seed: Of every draw.
        selector: A name in ``selectors.registry``.
        candidates: Random subsets that are judged.
        search: How they are drawn and judged, one of ``compression.search.WAYS``.
        pool_factor: n of the pool min(n k, N); None takes the selector's own (4 for ``bestrand``, else all items).
        metric_weights: Factor a metric that takes part in choosing; empty for the benchmark's own choice.
        families: Name -> probes of one lineage.
        exclude: Item ids that must not be chosen, with the reason.
        guard: Whether every domain (ability) must keep an item.
        probe_data: Whether per-item probe figures go into the suite.
        objective: ``scores`` balances the probes' scores, ``ranking`` the differences between probes.
    """

    keep: float | None = None
    k: int | None = None
    hours: float | None = None
    seed: int = 0
    selector: str = "balanced"
    candidates: int = 128
    search: str = "auto"
    pool_factor: float | None = None
    metric_weights: Mapping[str, float] = field(default_factory=dict)
    families: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    exclude: Mapping[str, str] = field(default_factory=dict)
    guard: bool = True
    probe_data: bool = True
    objective: str = "scores"

    def check(self) -> None:
        """Refuse what cannot be meant.

        Raises:
            UsageError: Not exactly one size, an unknown selector, or a number out of range.
        """
        refuse_fractions({"--k": self.k, "--seed": self.seed, "--candidates": self.candidates})
        sizes = [size for size in (self.keep, self.k, self.hours) if size is not None]
        if len(sizes) != 1:
            raise UsageError("Give exactly one of --keep (share of the items), --k (number) and --hours (budget).")
        if not math.isfinite(sizes[0]) or sizes[0] <= 0:
            raise UsageError("--keep, --k and --hours must be above 0.")
        if self.selector not in SELECTORS:
            raise UsageError(f"--selector {self.selector}: known are {choices(self.selector, SELECTORS)}")
        self._check_objective()
        if self.candidates < 1:
            raise UsageError(f"--candidates {self.candidates}: give 1 or more.")
        if self.search not in WAYS:
            raise UsageError(f"--search {self.search}: known are {choices(self.search, WAYS)}")
        if not 0 <= self.seed < 2**63:
            raise UsageError(f"--seed {self.seed}: give a whole number from 0 to 2^63 - 1.")
        if self.pool_factor is not None and not 1 <= self.pool_factor <= MOST:
            raise UsageError(
                f"--pool-factor {self.pool_factor}: the pool cannot be smaller than the suite; give 1 to {MOST:g}."
            )
        if any(not 0 <= weight <= MOST for weight in self.metric_weights.values()):
            raise UsageError(f"--metric: a weight must be a number from 0 to {MOST:g}.")
        if self.metric_weights and not any(self.metric_weights.values()):
            raise UsageError("--metric: every weight is 0, so nothing is left to choose by.")

    def _check_objective(self) -> None:
        if self.objective not in OBJECTIVES:
            raise UsageError(f"--objective {self.objective}: known are {choices(self.objective, OBJECTIVES)}")
        if self.objective != "scores" and self.selector not in BALANCING:
            raise UsageError(
                f"--objective {self.objective}: --selector {self.selector} balances nothing; take "
                f"{' or '.join(BALANCING)}."
            )

    def factor(self) -> float | None:
        """The pool factor that applies."""
        return SELECTORS[self.selector].pool_factor if self.pool_factor is None else self.pool_factor


def refuse_fractions(options: Mapping[str, float | None]) -> None:
    """Refuse what Python can give for a number of things and the command line cannot.

    Args:
        options: Name of an option -> what was given; None for nothing.

    Raises:
        UsageError: One is no whole number.
    """
    for option, number in options.items():
        if number is not None and not isinstance(number, Integral):
            raise UsageError(f"{option} {number}: give a whole number.")


def check_metrics(request: CompressRequest, scores: ScoreMatrix) -> None:
    """Refuse a metric to choose by that the benchmark has not.

    Raises:
        UsageError: Naming it.
    """
    unknown = [name for name in request.metric_weights if name not in scores.metric_names]
    if unknown:
        known = choices(unknown, scores.metric_names)
        raise UsageError(f"--metric {', '.join(unknown)}: not measured here; known are {known}")


def size_of(request: CompressRequest, items: int, choosable: int, cost_s: Tensor | None) -> int:
    """How many items to choose; for a budget of hours, the first guess.

    Args:
        request: Checked.
        items: N.
        choosable: Items that are not excluded.
        cost_s: float64 Tensor[item] seconds, or None.

    Raises:
        UsageError: Hours are asked for and no duration is known.
    """
    if request.k is not None:
        return request.k
    if request.keep is not None:
        return kept_items(items, request.keep)
    if cost_s is None:
        raise UsageError(
            "--hours needs durations: probes whose results record duration_system, or cost_s in a table's --items."
        )
    each = float(cost_s.mean()) / 3600
    if each <= 0:
        raise UsageError("--hours: every known duration is zero, so a budget of hours says nothing; use --k or --keep.")
    return max(1, math.floor(min(float(choosable), (request.hours or 0.0) / each)))


def mean_costs(scores: ScoreMatrix) -> Tensor | None:
    """Mean duration of each item over the probes, seconds; gaps of a probe take the mean of the others scaled to it.

    A probe's durations are first divided by its own mean, so that an item that only slow probes drove does not look
    long; the result is on the scale of the mean probe.

    Returns:
        float64 Tensor[item], or None when no duration is known.
    """
    if scores.cost_s is None:
        return None
    return filled_costs(scores.cost_s).mean(dim=1)


def filled_costs(cost_s: Tensor) -> Tensor:
    """Durations [item, policy] without gaps; policies without any duration are left out."""
    known = ~torch.isnan(cost_s)
    used = known.any(dim=0)
    cost_s, known = cost_s[:, used], known[:, used]
    scale = torch.where(known, cost_s, 0.0).sum(dim=0) / known.sum(dim=0)
    relative = torch.where(known, cost_s / scale.clamp(min=1e-12), 0.0)
    count = known.sum(dim=1)
    typical = torch.where(count > 0, relative.sum(dim=1) / count.clamp(min=1), torch.ones(()).double())
    return torch.where(known, cost_s, typical[:, None] * scale)


def excluded_items(
    request: CompressRequest, scores: ScoreMatrix, members: tuple[tuple[str, ...], ...]
) -> dict[str, str]:
    """Item ids that must not be chosen, with the reason; a member's id stands for its item.

    Raises:
        UsageError: An id is not of this benchmark, or means two things.
    """
    known = set(scores.items)
    owner = {member: item for item, group in zip(scores.items, members, strict=True) for member in group}
    out: dict[str, str] = {}
    for name, reason in request.exclude.items():
        if name in known and owner.get(name, name) != name:
            raise UsageError(
                f"--exclude {name}: is the name of a group and of an item in group {owner[name]}; name a group."
            )
        item = name if name in known else owner.get(name)
        if item is None:
            raise UsageError(f"--exclude {name}: no such item in this benchmark (it has {scores.items[0]}, ...).")
        out[item] = reason
    return out
