"""What a report tells of a suite: how it stands for the pool, and what to expect of its size."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from bestrand_drive.benchmarks.catalog import UNKNOWN, load_rules
from bestrand_drive.benchmarks.definitions import DEFINITIONS
from bestrand_drive.compression.planning.goals import about_policies
from bestrand_drive.compression.theory import TwoPhase, mean_mae
from bestrand_drive.reports.data import Curve, Metric, Probe, Share, SuiteFacts
from bestrand_drive.suite.schema import Suite, SuiteMetric
from bestrand_drive.workflows.planning.outlook import Outlook, Way
from bestrand_drive.workflows.planning.plan_request import PLANNED, PlanRequest
from bestrand_drive.workflows.planning.suite_outlook import suite_outlook

POINTS, FEW = 28, 9
"""Sizes at which a curve is known; fewer above ``LARGE`` items, where the law of a single size takes half a second."""
LARGE = 5000


def suite_facts(suite: Suite) -> SuiteFacts:
    """What is told of a suite."""
    kind, settings = DEFINITIONS.get(suite.benchmark), suite.choice.settings
    imbalance, candidates = settings.get("imbalance"), settings.get("judged", settings.get("candidates"))
    return SuiteFacts(
        title=(load_rules(suite.benchmark).title or suite.benchmark) if kind else suite.route_set,
        benchmark=suite.benchmark,
        route_set="" if suite.route_set == UNKNOWN else suite.route_set,
        k=suite.k,
        n=suite.n,
        item_word=kind.item_word if kind else "items",
        stratum_word=kind.stratum_word if kind else "strata",
        driving=kind is not None,
        strata=_strata(suite),
        parts=tuple(
            Share(domain.name, len(domain.items), len(set(domain.items) & set(suite.chosen)))
            for domain in suite.domains
        ),
        selector=suite.choice.selector,
        seed=suite.choice.seed,
        imbalance=float(imbalance) if isinstance(imbalance, float | int) and suite.probes else None,
        candidates=int(candidates) if isinstance(candidates, int) else None,
        hours=suite.predicted_hours(),
        excluded=dict(suite.choice.excluded),
        findings=tuple(suite.findings),
        digest=suite.choice_digest(),
        source_sha256=suite.source_sha256,
        probes=tuple(Probe(one.name, one.source, one.licence, one.items) for one in suite.probes),
    )


def _strata(suite: Suite) -> tuple[Share, ...]:
    label = {item.id: item.stratum for item in suite.items}
    chosen = Counter(label[item] for item in suite.chosen)
    return tuple(Share(name, count, chosen[name]) for name, count in suite.strata.items())


def metrics_of(suite: Suite) -> tuple[Metric, ...]:
    """All numbers that are estimated, in the order of estimates: metrics, harmonic means, parts."""
    own = [_metric(one, one.name, part=False, curve=error_curve(suite, one)) for one in suite.metrics]
    means = [_metric(suite.metric(rule.score), rule.name, part=False) for rule in suite.harmonic]
    parts = [_metric(suite.metric(domain.metric), domain.name, part=True) for domain in suite.domains]
    return tuple(own + means + parts)


def _metric(metric: SuiteMetric, name: str, *, part: bool, curve: Curve | None = None) -> Metric:
    return Metric(
        name=name,
        unit=metric.unit,
        low=metric.low,
        high=metric.high,
        higher_is_better=metric.higher_is_better,
        part=part,
        of_items=name == metric.name,
        curve=curve,
    )


def error_curve(suite: Suite, metric: SuiteMetric) -> Curve:
    """Expected error of an estimate by size, as ``bestrand plan`` has it; or why it is not known."""
    way = _way(suite)
    if way is None:
        return Curve(reason=f"no law of errors is known for the selector {suite.choice.selector}")
    outlook = suite_outlook(suite, metric, way)
    if outlook.law is None:
        return Curve(reason=outlook.reason)
    most = sum(item.in_pool for item in suite.items)
    return _drawn(outlook, suite.k, suite.n, most)


def _way(suite: Suite) -> Way | None:
    if suite.choice.selector not in PLANNED:
        return None
    factor = suite.choice.settings.get("pool_factor")
    request = PlanRequest(
        k=suite.k, selector=suite.choice.selector, pool_factor=None if factor is None else float(factor)
    )
    return request.way(bool(suite.strata))


def _drawn(outlook: Outlook, k: int, n: int, most: int) -> Curve:
    law, noise = outlook.law, outlook.noise
    if law is None:
        return Curve(reason=outlook.reason)
    sizes = _sizes(k, max(most, k))
    errors = [law(size) for size in sizes]
    about = [] if noise is None else [about_policies(error, noise.sd, n) for error in errors]
    floor = None if noise is None else about_policies(TwoPhase(0.0, 0.0), noise.sd, n)
    return Curve(
        sizes,
        tuple(_rounded(mean_mae(error.sd)) for error in errors),
        tuple(_rounded(mean_mae(error.sd)) for error in about),
        None if floor is None else _rounded(mean_mae(floor.sd)),
    )


def _sizes(k: int, most: int) -> tuple[int, ...]:
    """Sizes that make a smooth curve: even in the logarithm, from a twentieth of the most on, k among them."""
    first = max(2, math.ceil(most / 20))
    grid = np.unique(np.geomspace(min(first, k), most, POINTS if most <= LARGE else FEW).round().astype(int)).tolist()
    return tuple(sorted({*grid, k}))


def _rounded(value: float) -> float:
    """As many digits as a suite keeps."""
    return float(f"{value:.9g}")
