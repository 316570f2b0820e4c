"""What sizes mean on one benchmark: how many items there are, what they cost, and what probes would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from bestrand_drive.compression.pool import kept_items
from bestrand_drive.errors import NothingSelected, UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.suite.schema import Suite
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
        chosen: The size of a suite that is there, and the hours of its items, likewise.
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
    chosen: tuple[int, tuple[float, ...]] = (0, ())

    def predicted(self, k: int) -> Hours | None:
        """Hours of k items: of those of a suite that is there, else of average length; None without durations."""
        if not self.hours:
            return None
        share, hours = (1.0, self.chosen[1]) if k == self.chosen[0] else (k / self.items, self.hours)
        return Hours(mean=share * sum(hours) / len(hours), least=share * min(hours), most=share * max(hours))

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


def suite_hours(suite: Suite) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Of the chosen items and of all by what a suite keeps: its probes' hours, else the items' costs."""
    total = suite.predicted_hours()
    known = [probe.hours for probe in suite.probes if probe.hours] or ([] if total is None else [total])
    return tuple(float(part) for part, _ in known), tuple(float(whole) for _, whole in known)
