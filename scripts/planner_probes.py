"""Part 2 of bench_planner: what a plan by a few random probes says, beside what it would by all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from documents import markdown
from planner_known import PROBES, Row, law_of
from public_policies import BENCH2DRIVE

from bestrand_drive.compression.planning.goals import p95_error
from bestrand_drive.compression.pool import kept_items
from bestrand_drive.compression.theory import moments
from bestrand_drive.workflows.evidence.driving import ResultSource, driving_evidence, load_benchmark
from bestrand_drive.workflows.evidence.evidence import Evidence
from bestrand_drive.workflows.evidence.tabular import TableSource, table_evidence
from bestrand_drive.workflows.planning.plan_request import PlanRequest
from bestrand_drive.workflows.planning.planning import plan_evidence

SPREAD_KEEP = 0.1
"""Share of the items at which predictions from few probes are compared."""
FAMILIES = [tuple(name for name in members if name != "SimLingo-repeat") for members in BENCH2DRIVE.values()]
"""Of Bench2Drive, each policy with one run."""


def probe_rows(data: Path, paths: Sequence[Path], draws: int) -> Iterator[Row]:
    """Part 2."""
    for path in paths:
        whole = table_evidence(TableSource(path))
        groups = [(name,) for name in whole.scores.policies]
        known = moments(whole.scores.masked(0))
        sure = p95_error(law_of("balanced", known, known.rho)(kept_items(known.items, SPREAD_KEEP)), 1)
        yield from spread_rows(path.name.split(".")[0], whole, groups, draws, {"score": sure})
    routes = data / "bench2drive" / "routes" / "bench2drive220.xml"
    results = data / "bench2drive" / "results"
    sources = [ResultSource(name, results / name) for members in FAMILIES for name in members]
    driving = driving_evidence(load_benchmark("bench2drive", routes), sources)
    yield from spread_rows("bench2drive", driving, FAMILIES, draws, {})


def spread_rows(
    name: str, whole: Evidence, groups: Sequence[tuple[str, ...]], draws: int, sure: Mapping[str, float]
) -> Iterator[Row]:
    """Predictions from random probes, one row a metric.

    They are divided by what as many probes would predict that knew the moments of all models, by metric (``sure``), or,
    where strata leave no such formula, by the mean over the draws.
    """
    k = kept_items(len(whole.scores.items), SPREAD_KEEP)
    rng = np.random.default_rng(0)
    found = []
    for _ in range(draws):
        picked = [groups[number] for number in rng.choice(len(groups), PROBES, replace=False)]
        found.append(predicted(whole, picked, k))
    for metric in dict.fromkeys(name for one in found for name in one):
        values = np.array([one[metric][0] for one in found if metric in one])
        expected = sure.get(metric, float(values.mean()))
        ratios = values / expected
        doubts = np.array([one[metric][1] for one in found if metric in one])
        low, middle, high = np.quantile(ratios, (0.1, 0.5, 0.9))
        yield {
            "part": "probes",
            "benchmark": name,
            "metric": metric,
            "k": k,
            "predicted": expected,
            "median": float(middle),
            "low": float(low),
            "high": float(high),
            "sd": float(ratios.std(ddof=1)),
            "told": float(np.median(doubts)),
        }


def predicted(whole: Evidence, groups: Sequence[tuple[str, ...]], k: int) -> dict[str, tuple[float, float]]:
    """Predicted P95 error about this run of one target and the planner's own doubt, by metric."""
    names = [name for members in groups for name in members]
    infos = tuple(info for info in whole.probes if info.name in names)
    scores = whole.scores.with_policies(names)
    families = {members[0]: members for members in groups if len(members) > 1}
    evidence = replace(whole, scores=replace(scores, cost_s=None), probes=infos)
    plan = plan_evidence(evidence, PlanRequest(k=k, claim="run", families=families))
    return {one.outlook.name: (one.at.p95, one.outlook.doubt or 0.0) for one in plan.metrics if one.at is not None}


def probes_table(rows: Sequence[Row]) -> str:
    """Part 2 as docs/planner.md shows it."""
    body = []
    for row in rows:
        if row["part"] == "probes":
            span, spreads = f"{row['low']:.2f} to {row['high']:.2f}", (f"{row['sd']:.2f}", f"{row['told']:.2f}")
            names = [str(row[key]) for key in ("benchmark", "metric", "k")]
            body.append([*names, f"{row['median']:.2f}", span, *spreads])
    return markdown(["benchmark", "metric", "k", "median", "middle 80 %", "sd", "sd as told"], body)
