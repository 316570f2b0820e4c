"""What a refresh works on: targets that were evaluated on a suite, and the probes' scores when they are given again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import torch

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.files import printable
from bestrand_drive.readers.parquet import import_spec
from bestrand_drive.scores.groups import fold_groups
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.estimating.targets import TABLE, read_target, suite_specs
from bestrand_drive.workflows.evidence.driving import ResultSource, driving_evidence, load_benchmark
from bestrand_drive.workflows.evidence.evidence import Evidence, ProbeInfo
from bestrand_drive.workflows.evidence.tabular import TableSource, item_lines, load_table
from bestrand_drive.workflows.importing.target_logs import joined_frame

WHOLE = 0.9
"""Share of the items from which on a target is as good as a probe."""


@dataclass(frozen=True)
class RefreshSource:
    """Where targets and probes are.

    Attributes:
        results: Target -> result file or folder (of a table's suite: a table).
        scores: Of a table's suite: one table with targets and, to propose exchanges, the probes.
        routes: Of a driving suite, to propose exchanges: what it was made from.
        probes: Probe -> result path (driving), old and new ones; of a table name -> "" for models that are probes
            beside those of the suite.
        licences: Licence of each probe's results.
        allow_mismatch: Accept result files of another benchmark's evaluator.
    """

    results: Mapping[str, Path] = field(default_factory=dict)
    scores: Path | None = None
    routes: Path | None = None
    probes: Mapping[str, str] = field(default_factory=dict)
    licences: Mapping[str, str] = field(default_factory=dict)
    allow_mismatch: bool = False


@dataclass(frozen=True)
class RefreshEvidence:
    """As read.

    Attributes:
        targets: Policies evaluated on the suite (or on more), on all N items and the suite's metrics.
        evidence: Probes' scores, the whole targets among them; None when no probe was given.
        joined: Targets that count as probes, since they have a score on nearly all items.
        notes: What a reader must know, as sentences.
    """

    targets: ScoreMatrix
    evidence: Evidence | None
    joined: tuple[str, ...]
    notes: tuple[str, ...]


def refresh_evidence(suite: Suite, source: RefreshSource) -> RefreshEvidence:
    """Read targets and probes.

    Raises:
        DataRefused: Files are damaged, foreign, or not of the suite's benchmark.
        UsageError: No target is given, or what is given does not go with the suite.
    """
    table = suite.benchmark == TABLE
    if table and (source.routes is not None or any(source.probes.values())):
        raise UsageError("This suite is of a table: give --scores TABLE, and --probe NAME for new probes; no --routes.")
    if not table and source.scores is not None:
        raise UsageError(f"--scores: this suite is of {suite.benchmark}; give --results NAME=PATH for each target.")
    matrix = None if source.scores is None else _table(suite, source.scores)
    evidence = _table_evidence(suite, source, matrix) if table else _driving_evidence(suite, source)
    known = set(source.probes) | {probe.name for probe in suite.probes}
    read = [
        read_target(suite, path, name=name, allow_mismatch=source.allow_mismatch)
        for name, path in source.results.items()
    ]
    columns = [one.scores for one in read]
    if matrix is not None:
        columns.append(matrix.with_policies([name for name in matrix.policies if name not in known]))
    columns = [one for one in columns if one.policies]
    if not columns:
        raise UsageError(
            "Give evaluated targets: --results NAME=PATH, or --scores TABLE with models that are no probes."
        )
    targets = side_by_side(columns)
    notes = [
        f"{name} is a probe of this suite; as a target it tells nothing new" for name in source.results if name in known
    ]
    targets = targets.with_policies([name for name in targets.policies if name not in known])
    return _joined(targets, evidence, tuple(notes))


def _table(suite: Suite, path: Path) -> ScoreMatrix:
    """All models of a table on the suite's items and metrics.

    Raises:
        DataRefused: None of its items is the suite's.
    """
    specs = {spec.name: spec for spec in suite_specs(suite)}
    joined = joined_frame(suite, path) if import_spec(path) is not None else None
    matrix = ScoreMatrix.from_frame(joined[0], specs=specs) if joined else load_table(TableSource(scores=path))[0]
    groups = {member: item.id for item in suite.items for member in item.members}
    if not set(matrix.items) & (set(groups) or set(suite.item_ids)):
        raise DataRefused(f"{path}: none of its items is in the suite's benchmark ({suite.route_set}).")
    if groups:
        matrix = fold_groups(matrix.relabelled(list(groups), matrix.metrics), tuple(groups.values()), whole=True)[0]
    if len(matrix.metrics) == len(suite.metrics) == 1:
        matrix = replace(matrix, metrics=tuple(suite_specs(suite)))  # a wide table does not name its only metric
    return matrix.relabelled(suite.item_ids, suite_specs(suite))


def _table_evidence(suite: Suite, source: RefreshSource, matrix: ScoreMatrix | None) -> Evidence | None:
    """The probes' columns as evidence; strata, weights and domains as the suite has them."""
    if matrix is None or source.scores is None:
        if source.probes:
            raise UsageError("--probe: give --scores TABLE, which has its scores.")
        return None
    old = [probe.name for probe in suite.probes if probe.name in matrix.policies]
    names = list(dict.fromkeys([*old, *source.probes]))
    if not names:
        return None
    scores = matrix.with_policies(names)
    costs = [np.nan if item.cost_s is None else item.cost_s for item in suite.items]
    label = printable(source.scores.name)
    licence = {probe.name: probe.licence for probe in suite.probes} | dict(source.licences)
    members = {item.id: tuple(item.members) for item in suite.items}
    return Evidence(
        benchmark=TABLE,
        route_set=suite.route_set,
        source_sha256=suite.source_sha256,
        scores=replace(
            scores,
            strata=tuple(item.stratum or "" for item in suite.items) if suite.strata else None,
            weights=torch.tensor([float(item.weight) for item in suite.items]).double()
            if any(item.weight != 1 or item.members for item in suite.items)
            else None,
            cost_s=None if np.isnan(costs).any() else torch.tensor(costs)[:, None].expand(-1, len(names)).clone(),
        ),
        probes=tuple(ProbeInfo(name, f"column of {label}", licence.get(name, "not stated")) for name in names),
        members=tuple(members.values()),
        files=lambda chosen: {"items.txt": item_lines(suite.item_ids, members, chosen)},
    )


def _driving_evidence(suite: Suite, source: RefreshSource) -> Evidence | None:
    if not source.probes:
        return None
    if source.routes is None and suite.benchmark != "builtin":
        raise UsageError("--probe: give --routes too, what the suite was made from; new items come from there.")
    part = suite.route_set.partition("-")[2] if suite.benchmark == "builtin" and source.routes is None else ""
    benchmark = load_benchmark(suite.benchmark, source.routes, part)
    if benchmark.sha256 != suite.source_sha256:
        raise DataRefused(f"--routes {source.routes}: not what the suite was made from (another SHA-256).")
    licence = {probe.name: probe.licence for probe in suite.probes} | dict(source.licences)
    sources = [ResultSource(name, Path(path), licence.get(name, "not stated")) for name, path in source.probes.items()]
    return driving_evidence(benchmark, sources, allow_mismatch=source.allow_mismatch)


def _joined(targets: ScoreMatrix, evidence: Evidence | None, notes: tuple[str, ...]) -> RefreshEvidence:
    """Targets measured on nearly all items join the probes; one measured on the suite only cannot be balanced.

    The mean of such a target over all items is not known, so how far a subset is from it is not either: it is heard on
    rho and on what the probes explain.
    """
    share = targets.valid.any(dim=2).double().mean(dim=0).tolist()
    whole = tuple(name for name, part in zip(targets.policies, share, strict=True) if part >= WHOLE)
    if evidence is None or not whole:
        return RefreshEvidence(targets, evidence, (), notes)
    scores = evidence.scores
    more = targets.with_policies(whole).relabelled(scores.items, scores.metrics)
    infos = tuple(ProbeInfo(name, "target evaluated on all items", "not stated") for name in whole)
    grown = replace(evidence, scores=side_by_side([scores, more]), probes=(*evidence.probes, *infos))
    return RefreshEvidence(targets, grown, whole, notes)


def side_by_side(parts: Sequence[ScoreMatrix]) -> ScoreMatrix:
    """Policies of several matrices on the same items and metrics; all else is the first one's.

    Raises:
        DataRefused: A policy is named twice.
    """
    first = parts[0]
    costs = first.cost_s
    if costs is not None:
        added = sum(len(part.policies) for part in parts[1:])
        costs = torch.cat([costs, torch.full((len(first.items), added), torch.nan, dtype=costs.dtype)], dim=1)
    return replace(
        first,
        values=torch.cat([part.values for part in parts], dim=1),
        valid=torch.cat([part.valid for part in parts], dim=1),
        policies=tuple(name for part in parts for name in part.policies),
        repeats=torch.cat([part.repeats for part in parts], dim=1),
        repeat_variance=torch.cat([part.repeat_variance for part in parts], dim=1),
        cost_s=costs,
    )
