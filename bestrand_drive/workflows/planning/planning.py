"""Plans by score tables, by driving results and by a suite alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from bestrand_drive.compression.noise import Noise, pooled_noise
from bestrand_drive.compression.policy_estimates import LEAST_REPEAT_FREEDOM
from bestrand_drive.compression.pool import whole_shares
from bestrand_drive.errors import DataRefused, UsageError, choices
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.choosing.choose import driven_items, family_numbers
from bestrand_drive.workflows.estimating.knowledge import probe_count
from bestrand_drive.workflows.estimating.targets import TABLE, read_target
from bestrand_drive.workflows.evidence.evidence import Evidence
from bestrand_drive.workflows.evidence.probe_models import run_noise
from bestrand_drive.workflows.planning.outlook import Outlook
from bestrand_drive.workflows.planning.plan import SuitePlan, make_plan
from bestrand_drive.workflows.planning.plan_request import PLANNED, PlanRequest
from bestrand_drive.workflows.planning.plan_terms import Terms, hours_of, suite_hours
from bestrand_drive.workflows.planning.probe_outlook import metric_outlook
from bestrand_drive.workflows.planning.suite_outlook import suite_outlook


def plan_evidence(evidence: Evidence, request: PlanRequest, noise: Mapping[str, Noise] | None = None) -> SuitePlan:
    """Plan by the scores of probes.

    Args:
        evidence: Scores of the probes; one at least.
        request: What was asked.
        noise: Run noise by metric that goes before the evidence's (the target's own repeats).

    Raises:
        UsageError: The request contradicts itself or names what is not there.
        DataRefused: There is no probe, or nothing can be told of any metric.
        NothingSelected: As ``Terms.size``.
    """
    request.check()
    scores = evidence.scores
    if not scores.policies:
        raise UsageError("plan needs scores of some policies to know how much errors are: give --probe.")
    numbers = _planned_metrics(scores, request)
    copies = scores.copies()
    families = family_numbers(scores, request.families, copies)
    way = request.way(scores.strata is not None)
    pool = driven_items(scores).numpy().nonzero()[0]
    outlooks = []
    for number in numbers:
        borrowed = run_noise(evidence, scores, number)
        known = None if borrowed is None else Noise(borrowed.sd, borrowed.source)
        known = (noise or {}).get(scores.metrics[number].name, known)
        outlooks.append(metric_outlook(scores, number, families, pool, way, known))
    sizes = list(Counter(scores.strata[i] for i in pool.tolist()).values()) if scores.strata and way.stratified else []
    terms = Terms(
        benchmark=evidence.benchmark,
        route_set=evidence.route_set,
        items=len(scores.items),
        most=len(pool),
        sharp=whole_shares(sizes),
        hours=hours_of(scores),
        probes=tuple(name for name in scores.policies if name not in copies),
        families=len(families),
        factor=way.factor,
    )
    return make_plan(outlooks, terms, request)


def _planned_metrics(scores: ScoreMatrix, request: PlanRequest) -> list[int]:
    """Numbers of the metrics asked for, else of those that take part in choosing."""
    if request.metrics:
        return [scores.metric_index(name) for name in request.metrics]
    chosen = [number for number, spec in enumerate(scores.metrics) if spec.select]
    return chosen or list(range(len(scores.metrics)))


def plan_suite(suite: Suite, request: PlanRequest, noise: Mapping[str, Noise] | None = None) -> SuitePlan:
    """Plan by a suite alone: its own size unless another is asked for.

    Args:
        suite: Chosen by a selector that draws at random.
        request: What was asked; the selector, its settings and the families are the suite's.
        noise: Run noise by metric that goes before the suite's.

    Raises:
        UsageError: The request contradicts itself, or names a metric that is not there.
        DataRefused: The suite keeps too little to tell.
        NothingSelected: As ``Terms.size``.
    """
    factor, selector = suite.choice.settings.get("pool_factor"), suite.choice.selector
    if selector not in PLANNED:
        raise DataRefused(
            f"the suite was chosen by {selector}, of which no law is known; measure it by `bestrand study`."
        )
    request = replace(request, selector=selector, pool_factor=None if factor is None else float(factor))
    request.check(size_known=True)
    known = {metric.name: metric for metric in suite.metrics}
    absent = [name for name in request.metrics if name not in known]
    if absent:
        raise UsageError(f"--metric {', '.join(absent)}: not in this suite; it has {choices(absent, known)}")
    way = request.way(bool(suite.strata))
    outlooks: list[Outlook] = []
    for name in request.metrics or known:
        found = suite_outlook(suite, known[name], way)
        outlooks.append(replace(found, noise=(noise or {}).get(name, found.noise)))
    inside = [item for item in suite.items if item.in_pool]
    sizes = list(Counter(item.stratum for item in inside).values()) if suite.strata and way.stratified else []
    chosen, hours = suite_hours(suite)
    terms = Terms(
        benchmark=suite.benchmark,
        route_set=suite.route_set,
        items=suite.n,
        most=len(inside) if factor is None or suite.strata else suite.n,
        sharp=whole_shares(sizes),
        hours=hours,
        chosen=(suite.k, chosen),
        probes=tuple(probe.name for probe in suite.probes if probe.copy_of is None),
        families=probe_count(suite),
        factor=way.factor,
    )
    return make_plan(outlooks, terms, request, suite.k)


def target_runs(suite: Suite, runs: Mapping[str, Path]) -> ScoreMatrix:
    """Several runs of one policy on a suite's benchmark, as columns.

    Args:
        suite: Whatever they ran on, its items are the rows.
        runs: Results of one run each (or of one policy with repeats, which are averaged).

    Raises:
        DataRefused: As ``read_target``.
    """
    read = [
        read_target(suite, path, name=name if suite.benchmark != TABLE else None).scores for name, path in runs.items()
    ]
    return replace(
        read[0],
        policies=tuple(runs),
        values=torch.cat([one.values for one in read], dim=1),
        valid=torch.cat([one.valid for one in read], dim=1),
        repeats=torch.cat([one.repeats for one in read], dim=1),
        repeat_variance=torch.cat([one.repeat_variance for one in read], dim=1),
    )


def noise_of_runs(scores: ScoreMatrix, names: Sequence[str]) -> dict[str, Noise]:
    """Run noise of a policy by several runs of it.

    Args:
        scores: Runs of one policy as columns, or one column that averages repeats.
        names: What the runs are called.

    Raises:
        DataRefused: They tell nothing: too few items were run twice, or all agree exactly.
    """
    found = {}
    for number, spec in enumerate(scores.metrics):
        variance, repeats = _spread_of(scores, number)
        sd = pooled_noise(variance, repeats)
        if sd and int(np.maximum(repeats - 1, 0).sum()) >= LEAST_REPEAT_FREEDOM:
            found[spec.name] = Noise(sd, f"own repeats: {', '.join(names)}")
    if not found:
        raise DataRefused(
            f"--repeats {', '.join(names)}: fewer than {LEAST_REPEAT_FREEDOM} items were run twice, or the runs agree "
            "exactly (copies of one run)."
        )
    return found


def _spread_of(scores: ScoreMatrix, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Sample variance over runs and number of runs, float64 [item] each."""
    if len(scores.policies) == 1:
        return scores.repeat_variance[:, 0, number].numpy().astype(float), scores.repeats[:, 0, number].numpy()
    values = scores.masked(number)
    count = (~np.isnan(values)).sum(axis=1)
    mean = np.nansum(values, axis=1) / np.maximum(count, 1)
    return np.nansum((values - mean[:, None]) ** 2, axis=1) / np.maximum(count - 1, 1), count
