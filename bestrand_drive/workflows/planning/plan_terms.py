"""What sizes mean on one benchmark: how many items there are, what they cost, and what probes would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from bestrand_drive.compression.pool import kept_items
from bestrand_drive.errors import NothingSelected, UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.suite import Suite
from bestrand_drive.workflows.choosing.request import filled_costs
from bestrand_drive.workflows.planning.plan_request import PlanRequest


@dataclass(frozen=True)
class Hours:
    """Predicted hours of one policy: the mean over the probes, and the fastest and the slowest probe's."""

    mean: float
    least: float
    most: float


@dataclass(frozen=True)
class Terms:
    """What a plan is made in.

    Attributes:
        benchmark: Its name.
        route_set: Of the known route set or score table.
        items: N.
        most: Items that can be chosen.
        sharp: Sizes at which every stratum's share is whole, ascending.
        hours: Of all items, one entry a probe whose durations are known; empty when none are.
        probes: Names; copies are none.
        families: How many families they come from.
        factor: n of the pool min(n k, N), None for all items.
    """

    benchmark: str
    route_set: str
    items: int
    most: int
    sharp: Sequence[int]
    hours: tuple[float, ...]
    probes: tuple[str, ...]
    families: int
    factor: float | None

    def predicted(self, k: int) -> Hours | None:
        """Hours of k items, each of average length; None when no duration is known."""
        if not self.hours:
            return None
        share = k / self.items
        return Hours(
            mean=share * sum(self.hours) / len(self.hours), least=share * min(self.hours), most=share * max(self.hours)
        )

    def size(self, request: PlanRequest) -> int:
        """The size that was asked for.

        Raises:
            UsageError: Hours are asked for and no duration is known.
            NothingSelected: More items are asked for than can be chosen, or not even one fits the hours.
        """
        if request.hours is not None:
            return self._within(request.hours)
        k = request.k if request.keep is None else kept_items(self.items, request.keep)
        if k is None:
            raise UsageError("Give --keep, --k or --hours.")
        if k > self.most:
            raise NothingSelected(f"{k} items are asked for, but only {self.most} of {self.items} can be chosen.")
        return k

    def _within(self, hours: float) -> int:
        whole = self.predicted(self.items)
        if whole is None or whole.mean <= 0:
            raise UsageError(
                "--hours needs durations: probes whose results record duration_system, or cost_s in a table's --items."
            )
        k = int(min(float(self.most), hours / (whole.mean / self.items) + 1e-9))
        if k == 0:
            raise NothingSelected(f"--hours {hours:g}: even one item is predicted to take longer; give more.")
        return k


def hours_of(scores: ScoreMatrix) -> tuple[float, ...]:
    """Hours of all items of each probe whose durations are known, gaps filled as ``compress`` does."""
    if scores.cost_s is None:
        return ()
    return _hours(filled_costs(scores.cost_s))


def _hours(seconds: Tensor) -> tuple[float, ...]:
    return tuple((seconds.sum(dim=0) / 3600).tolist())


def suite_hours(suite: Suite) -> tuple[float, ...]:
    """The same by what a suite keeps: its probes' hours, else the items' costs."""
    known = tuple(float(probe.hours[1]) for probe in suite.probes if probe.hours)
    whole = suite.predicted_hours()
    return known or (() if whole is None else (whole[1],))
