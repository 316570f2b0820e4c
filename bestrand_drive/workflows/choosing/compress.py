"""Compress: choose a suite by the probes and write down all that a later estimate needs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from bestrand_drive.compression.selectors.registry import DRAWN
from bestrand_drive.errors import NothingSelected
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.suite.schema import Choice, Domain, Suite, SuiteItem, SuiteMetric, SuiteProbe
from bestrand_drive.suite.weights import written
from bestrand_drive.workflows.choosing.choose import Chosen, choose, eligible_items
from bestrand_drive.workflows.choosing.request import (
    CompressRequest,
    check_metrics,
    excluded_items,
    filled_costs,
    mean_costs,
    size_of,
)
from bestrand_drive.workflows.evidence.digests import score_digest
from bestrand_drive.workflows.evidence.evidence import Evidence
from bestrand_drive.workflows.evidence.probe_models import suite_metric, whole_values


def compress_evidence(evidence: Evidence, request: CompressRequest) -> Suite:
    """Choose a suite.

    Args:
        evidence: Probe scores on the benchmark.
        request: What the user asked.

    Raises:
        UsageError: The request contradicts itself or names what is not there.
        NothingSelected: No subset satisfies it.
    """
    request.check()
    check_metrics(request, evidence.scores)
    excluded = excluded_items(request, evidence.scores, evidence.members)
    costs = mean_costs(evidence.scores)
    choosable = len(eligible_items(evidence.scores, excluded))
    k = size_of(request, len(evidence.scores.items), choosable, costs)
    try:
        chosen = choose(evidence.scores, request, k, excluded)
    except NothingSelected as error:
        if request.hours is None:
            raise
        raise NothingSelected(f"--hours {request.hours:g} means about {k} items. {error}") from error
    if request.hours is not None and costs is not None:
        chosen = _within(request.hours, costs, evidence.scores, request, chosen, excluded)
    return assembled(evidence, request, chosen, excluded, costs)


def _within(
    hours: float,
    costs: Tensor,
    scores: ScoreMatrix,
    request: CompressRequest,
    chosen: Chosen,
    excluded: Mapping[str, str],
) -> Chosen:
    """Choose fewer items until the predicted hours fit.

    Raises:
        NothingSelected: Even one item takes longer.
    """
    while float(costs[chosen.selection.indices].sum()) / 3600 > hours:
        k = len(chosen.selection.indices) - 1
        if k == 0:
            raise NothingSelected(f"--hours {hours:g}: even one item is predicted to take longer; give more.")
        chosen = choose(scores, request, k, excluded)
    return chosen


def assembled(
    evidence: Evidence, request: CompressRequest, chosen: Chosen, excluded: Mapping[str, str], costs: Tensor | None
) -> Suite:
    """The suite of a choice already made.

    Args:
        evidence: Probe scores on the benchmark.
        request: What was asked.
        chosen: The choice.
        excluded: Item ids that could not be chosen, with the reason.
        costs: float64 Tensor[item] seconds, or None.
    """
    scores, indices = chosen.scores, chosen.selection.indices
    picked = [scores.items[number] for number in indices.tolist()]
    strata = _strata_sizes(scores)
    driven = {scores.strata[number] for number in indices.tolist()} if scores.strata else set()
    return Suite(
        benchmark=evidence.benchmark,
        route_set=evidence.route_set,
        source_sha256=evidence.source_sha256,
        n=len(scores.items),
        k=len(picked),
        chosen=picked,
        strata=strata,
        choice=Choice(
            selector=request.selector,
            seed=request.seed,
            settings=_settings(request, chosen),
            excluded=dict(excluded),
            undriven_strata=[name for name in strata if name not in driven],
        ),
        metrics=[
            _promised(metric, request.selector)
            for metric in (
                suite_metric(evidence, chosen.scores, chosen.pool, indices, chosen.families, number, request.probe_data)
                for number in range(len(scores.metrics))
            )
        ],
        harmonic=list(evidence.harmonic),
        domains=[
            Domain(
                name=name,
                metric=evidence.domain_metric,
                items=[item for item, inside in zip(scores.items, mask.tolist(), strict=True) if inside],
            )
            for name, mask in scores.domains.items()
        ],
        probes=_probes(evidence, request, chosen),
        families={name: list(members) for name, members in request.families.items()},
        items=_items(evidence, chosen, costs if request.probe_data or not evidence.probes else None),
        ceiling={metric: dict(cases) for metric, cases in evidence.ceiling.items()},
        findings=list(evidence.findings),
        imported=None if evidence.imported is None else dict(evidence.imported),
        contents=dict(evidence.contents),
    ).sealed()


def _strata_sizes(scores: ScoreMatrix) -> dict[str, int]:
    names = sorted(set(scores.strata)) if scores.strata else []
    return {name: sum(label == name for label in scores.strata or ()) for name in names}


def _settings(request: CompressRequest, chosen: Chosen) -> dict[str, str | int | float | bool | None]:
    settings: dict[str, str | int | float | bool | None] = {
        "candidates": request.candidates,
        "pool_factor": request.factor(),
        "pool": len(chosen.pool),
        "guard": request.guard,
        "metric_weights": written(request.metric_weights),
    }
    if request.objective != "scores":
        settings["objective"] = request.objective
    for name, value in chosen.selection.diagnostics.items():
        settings[name] = float(f"{value:.9g}") if isinstance(value, float) else value
    return settings


def _probes(evidence: Evidence, request: CompressRequest, chosen: Chosen) -> list[SuiteProbe]:
    family_of = {member: family for family, members in request.families.items() for member in members}
    scores = evidence.scores
    hours = _probe_hours(scores, chosen.selection.indices)
    probes = []
    for number, info in enumerate(evidence.probes):
        own = scores.with_policies([info.name])
        probes.append(
            SuiteProbe(
                name=info.name,
                family=family_of.get(info.name),
                copy_of=chosen.copies.get(info.name),
                source=info.source,
                licence=info.licence,
                items=int(own.valid.any(dim=2).sum()),
                full=dict(info.full) or whole_values(own, evidence.harmonic, evidence.domain_metric),
                digest=score_digest(own, chosen.selection.indices),
                full_digest=score_digest(own, torch.arange(len(own.items))),
                hours=hours.get(number),
            )
        )
    return probes


def _probe_hours(scores: ScoreMatrix, chosen: Tensor) -> dict[int, tuple[float, float]]:
    """Hours of the chosen items and of all, for each probe whose durations are known."""
    if scores.cost_s is None or scores.cost_s.shape[1] != len(scores.policies):
        return {}
    used = (~torch.isnan(scores.cost_s)).any(dim=0).nonzero()[:, 0].tolist()
    filled = filled_costs(scores.cost_s) / 3600
    return {
        number: (float(filled[chosen, column].sum()), float(filled[:, column].sum()))
        for column, number in enumerate(used)
    }


def _items(evidence: Evidence, chosen: Chosen, costs: Tensor | None) -> list[SuiteItem]:
    scores = chosen.scores
    in_pool = np.zeros(len(scores.items), dtype=bool)
    in_pool[chosen.pool.numpy()] = True
    return [
        SuiteItem(
            id=item,
            stratum=scores.strata[number] if scores.strata else None,
            members=list(evidence.members[number]),
            weight=1.0 if scores.weights is None else float(scores.weights[number]),
            in_pool=bool(in_pool[number]),
            cost_s=None if costs is None else float(costs[number]),
        )
        for number, item in enumerate(scores.items)
    ]


def _promised(metric: SuiteMetric, selector: str) -> SuiteMetric:
    """The metric without an expected error where the items are no random draw, of which alone it is known."""
    return metric if selector in DRAWN else metric.model_copy(update={"expected_error": None})
