"""The verb ``plan``: the smallest suite for a goal, or what to expect of a size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bestrand_drive.compression.noise import Noise
from bestrand_drive.compression.planning.break_even import break_even_targets
from bestrand_drive.compression.planning.differences import smallest_difference
from bestrand_drive.compression.planning.goals import about_policies, p95_error, smallest_size
from bestrand_drive.compression.planning.laws import Law
from bestrand_drive.compression.pool import pool_size
from bestrand_drive.compression.theory import TwoPhase, mean_mae
from bestrand_drive.errors import DataRefused, UsageError, each_once
from bestrand_drive.workflows.planning.outlook import Outlook
from bestrand_drive.workflows.planning.plan_request import Claim, PlanRequest
from bestrand_drive.workflows.planning.plan_terms import Hours, Terms


@dataclass(frozen=True)
class Errors:
    """What is expected at one size, metric units.

    Attributes:
        expected: Mean absolute error.
        p95: What the mean over the targets stays under in 95 of 100 suites.
        detects: Smallest difference between two policies that is found at 95 % in 80 of 100 suites; None for one item.
    """

    expected: float
    p95: float
    detects: float | None


@dataclass(frozen=True)
class BreakEven:
    """From how many targets on probes that must be run first are cheaper than a larger suite chosen without them.

    Attributes:
        cached: With the results at hand: 0.
        if_run: Were they to be run, against a larger suite with the same strata; None when they save nothing there.
        if_run_random: The same against a larger simple random subset.
        probe_runs: Item runs that would cost.
    """

    cached: int
    if_run: int | None
    if_run_random: int | None
    probe_runs: int


@dataclass(frozen=True)
class MetricPlan:
    """One metric.

    Attributes:
        outlook: What it rests on.
        claim: ``run`` or ``policy``.
        k: Smallest size that reaches the goal, or the size asked for; None when there is none.
        reason: Why there is none; else what must be known; "" for nothing.
        at: Errors at k about ``claim``.
        run: Errors at k about this run.
        floor: Errors about the policy of one run on all N items; None when run noise is not known.
        break_even: Or None.
    """

    outlook: Outlook
    claim: Claim
    k: int | None
    reason: str = ""
    at: Errors | None = None
    run: Errors | None = None
    floor: Errors | None = None
    break_even: BreakEven | None = None


@dataclass(frozen=True)
class SuitePlan:
    """A plan for all metrics.

    Attributes:
        terms: Of the benchmark.
        request: What was asked.
        metrics: One entry a metric.
        k: Size that reaches the goal on every metric that can be told of; None when there is none.
        hours: Predicted at k.
        notes: What must be known, as sentences.
    """

    terms: Terms
    request: PlanRequest
    metrics: list[MetricPlan]
    k: int | None
    hours: Hours | None
    notes: list[str] = field(default_factory=list)


def make_plan(outlooks: Sequence[Outlook], terms: Terms, request: PlanRequest, size: int | None = None) -> SuitePlan:
    """Plan by what is known of each metric.

    Args:
        outlooks: One a metric.
        terms: Of the benchmark.
        request: Checked.
        size: Used when neither a goal nor a size was asked for (a suite's own).

    Raises:
        DataRefused: Nothing can be told of any metric.
        UsageError: As ``Terms.size``; a claim about policies without run noise; a goal for what is not planned.
        NothingSelected: As ``Terms.size``.
    """
    request.check_named([one.name for one in outlooks])
    if all(one.reason for one in outlooks):
        said = "; ".join(each_once((one.name, one.reason) for one in outlooks))
        raise DataRefused(f"{said}. Give other or more probes.")
    if request.goal is None:
        size = size if (request.keep, request.k, request.hours) == (None, None, None) else terms.size(request)
    metrics = [_metric_plan(one, terms, request, size) for one in outlooks]
    told = [one for one in metrics if not one.outlook.reason]
    sizes = [one.k for one in told if one.k is not None]
    k = max(sizes) if len(sizes) == len(told) else None
    notes = [f"{one.outlook.name}: {one.reason}" for one in metrics if one.reason]
    notes += list(dict.fromkeys(note for one in told for note in one.outlook.notes))
    return SuitePlan(terms, request, metrics, k, None if k is None else terms.predicted(k), notes)


def _metric_plan(outlook: Outlook, terms: Terms, request: PlanRequest, size: int | None) -> MetricPlan:
    claim = _claim(outlook, request)
    if outlook.law is None or outlook.difference is None:
        return MetricPlan(outlook, claim, None, outlook.reason)
    view = _View(outlook.law, outlook.difference, outlook.noise, terms.items, request.targets)
    floor = view.floor()
    if request.goal is None:
        k, reason = size, ""
    else:
        k, reason = _reached(view, claim, floor, terms, request, request.wanted_of(outlook.name))
    if k is None:
        return MetricPlan(outlook, claim, None, reason, floor=floor)
    even = _break_even(k, outlook, terms)
    return MetricPlan(outlook, claim, k, reason, view.errors(k, claim), view.errors(k, "run"), floor, even)


def _claim(outlook: Outlook, request: PlanRequest) -> Claim:
    if request.claim == "policy" and outlook.noise is None and not outlook.reason:
        raise UsageError(
            f"--claim policy: the run noise of {outlook.name} is not known; give --repeats, or --claim run."
        )
    return request.claim or ("run" if outlook.noise is None else "policy")


@dataclass(frozen=True)
class _View:
    """Errors of one metric by size and claim."""

    law: Law
    difference: Law
    noise: Noise | None
    items: int
    targets: int

    def errors(self, k: int, claim: Claim) -> Errors:
        return self._errors(self.law(k), self.difference(k), k, claim)

    def floor(self) -> Errors | None:
        """Of one run on all items, which is what no suite is better than."""
        nothing = TwoPhase(0.0, 0.0)
        return None if self.noise is None else self._errors(nothing, nothing, self.items, "policy")

    def _errors(self, error: TwoPhase, difference: TwoPhase, k: int, claim: Claim) -> Errors:
        apart = difference.variance
        if claim == "policy" and self.noise is not None:
            error = about_policies(error, self.noise.sd, self.items)
            apart += 2 * self.noise.sd**2 / self.items
        return Errors(mean_mae(error.sd), p95_error(error, self.targets), smallest_difference(apart, k))


def _reached(
    view: _View, claim: Claim, floor: Errors | None, terms: Terms, request: PlanRequest, wanted: float
) -> tuple[int | None, str]:
    """The smallest size for a goal, or why there is none; with a size, what must be known of it."""

    def value(errors: Errors) -> float:
        found = {"p95": errors.p95, "error": errors.expected, "detect": errors.detects}[request.goal or "p95"]
        return float("inf") if found is None else found

    k = smallest_size(lambda size: value(view.errors(size, claim)) <= wanted, terms.most, terms.sharp)
    limit = None if floor is None else value(floor)
    if k is not None and (claim == "policy" or limit is None or limit <= wanted):
        return k, ""
    if k is not None:
        return k, f"{wanted:g} is finer than a re-run of all {terms.items}: that alone moves by {limit:.3g}"
    if limit is not None and claim == "policy" and limit > wanted:
        return None, f"{wanted:g} is below the noise floor: one run of all {terms.items} items reaches {limit:.3g} only"
    best = value(view.errors(terms.most, claim))
    return None, f"{wanted:g} is out of reach: all {terms.most} items that can be chosen reach {best:.3g}"


def _break_even(k: int, outlook: Outlook, terms: Terms) -> BreakEven | None:
    """None where the laws without probes are not known, or where nothing is left out."""
    if outlook.law is None or outlook.unaided is None or outlook.random is None or k >= terms.items:
        return None
    guided, runs = outlook.law, len(terms.probes) * pool_size(k, terms.factor, terms.most)
    since = [
        break_even_targets(k, guided, bare, probe_runs=runs, most=terms.items)
        for bare in (outlook.unaided, outlook.random)
    ]
    return BreakEven(0, since[0], since[1], runs)
