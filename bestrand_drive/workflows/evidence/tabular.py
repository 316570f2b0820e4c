"""Score tables of any benchmark -> evidence: pick probes, attach items, fold groups."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import torch

from bestrand_drive.compression.probe_choice import abilities, drawn, spread_evenly
from bestrand_drive.errors import DataRefused, UsageError, choices
from bestrand_drive.files import read_bytes, sha256_bytes
from bestrand_drive.readers.items import content_key
from bestrand_drive.readers.parquet import FACTS, ItemFacts, import_spec, item_facts
from bestrand_drive.readers.spec import ImportSpec
from bestrand_drive.scores.groups import fold_groups
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec, inside_bounds
from bestrand_drive.scores.tables import ItemTable, read_items, read_table
from bestrand_drive.workflows.evidence.evidence import Evidence, ProbeInfo

PROBE_CHOICES = ("even", "auto", "random", "low", "high", "first")
"""How probes are picked: spread evenly over ability in the table's order (the default) or also over families and by
name (auto), at random, out of the weakest or the strongest third, or the first of the table."""


@dataclass(frozen=True)
class TableSource:
    """A score table and how to read it.

    Attributes:
        scores: Path of a wide or long table, or a matrix.
        items: Path of ``items.csv`` (item_id, stratum, group, cost_s), or None.
        metrics: Metrics to use of a long table; empty for all.
        probes: Names of the probes; empty to pick or to take all.
        n_probes: How many probes to pick; None to take all models.
        bounds: Least and greatest possible value by metric, where the values themselves do not show it.
        lower_is_better: Metrics of which less is better.
        probe_choice: How ``n_probes`` are picked, one of ``PROBE_CHOICES``.
        families: By name: models of one lineage; ``auto`` picks by them.
        seed: Of a draw of probes.
    """

    scores: Path | ScoreMatrix
    items: Path | None = None
    metrics: tuple[str, ...] = ()
    probes: tuple[str, ...] = ()
    n_probes: int | None = None
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    lower_is_better: tuple[str, ...] = ()
    probe_choice: str = "even"
    families: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    seed: int = 0


def table_evidence(source: TableSource, licence: str = "not stated") -> Evidence:
    """Read a score table and choose its probes.

    Raises:
        DataRefused: A table is damaged or contradicts itself.
        UsageError: A metric or probe is unknown, or both ``probes`` and ``n_probes`` are given.
    """
    matrix, label, digest = load_table(source)
    copies = matrix.copies()
    bare = [name for name, any_score in zip(matrix.policies, _scored(matrix), strict=True) if not any_score]
    distinct = [name for name in matrix.policies if name not in copies and name not in bare]
    probes = choose_probes(distinct, matrix, source)
    matrix = matrix.with_policies(probes)
    facts = None if isinstance(source.scores, ScoreMatrix) else item_facts(source.scores, probes)
    if facts is not None:
        matrix = _with_facts(matrix, facts)
    table = read_items(source.items, matrix.items) if source.items else ItemTable(None, None, None)
    if source.items:
        matrix = _with_items(matrix, table, len(probes))
    members: tuple[tuple[str, ...], ...] = tuple(() for _ in matrix.items)
    if table.groups is not None:
        matrix, members = fold_groups(matrix, table.groups)
    by_item = dict(zip(matrix.items, members, strict=True))
    return Evidence(
        benchmark="scores",
        route_set=label,
        source_sha256=digest,
        scores=matrix,
        probes=tuple(ProbeInfo(name, f"column of {label}", licence) for name in probes),
        members=members,
        files=lambda chosen: {"items.txt": item_lines(matrix.items, by_item, chosen)},
        findings=_said_of(copies, bare, probes),
        imported=None if facts is None else facts.spec.to_dict(),
        contents={} if facts is None else {item: content_key(text) for item, text in facts.contents.items()},
    )


def _with_facts(matrix: ScoreMatrix, facts: ItemFacts) -> ScoreMatrix:
    """What an imported table says of its items: categories as strata, weights, durations by model."""
    costs = facts.costs.reindex(index=list(matrix.items), columns=list(matrix.policies)).to_numpy(dtype=np.float64)
    return replace(
        matrix,
        strata=tuple(facts.strata[item] for item in matrix.items) if facts.strata else None,
        weights=torch.tensor([facts.weights[item] for item in matrix.items]).double() if facts.weights else None,
        cost_s=None if facts.costs.empty else torch.tensor(costs),
    )


def _with_items(matrix: ScoreMatrix, table: ItemTable, probes: int) -> ScoreMatrix:
    """What the user says of the items, over what the table itself says.

    Raises:
        UsageError: Groups, though the items have weights already.
    """
    if table.groups is not None and matrix.weights is not None:
        raise UsageError("--items: groups cannot be joined to a table whose categories count alike (--macro category).")
    return replace(
        matrix,
        strata=table.strata or matrix.strata,
        cost_s=matrix.cost_s if table.cost_s is None else _spread_costs(table, probes),
    )


def load_table(source: TableSource) -> tuple[ScoreMatrix, str, str]:
    """The matrix with the metrics named (all when none is), what to call it, and its SHA-256."""
    if isinstance(source.scores, ScoreMatrix):
        matrix = source.scores
        content = matrix.values.numpy().tobytes() + matrix.valid.numpy().tobytes() + "\n".join(matrix.items).encode()
        label, digest = "score matrix", sha256_bytes(content)
    else:
        spec = import_spec(source.scores)
        frame = read_table(source.scores, without=() if spec is None else FACTS)
        matrix = ScoreMatrix.from_frame(frame, specs=_imported_specs(spec), source=str(source.scores))
        label, digest = source.scores.name, sha256_bytes(read_bytes(source.scores))
    matrix = _specified(matrix, source)
    return matrix.with_metrics(source.metrics) if source.metrics else matrix, label, digest


def _imported_specs(spec: ImportSpec | None) -> dict[str, MetricSpec]:
    """Metrics of an import that are unbounded or of which less is better, which their values would not show."""
    scales = {} if spec is None else spec.scales
    unit = {name: scale.low is not None and scale.high is not None for name, scale in scales.items()}
    return {
        name: MetricSpec(
            name,
            low=0.0 if unit[name] else scale.low,
            high=1.0 if unit[name] else scale.high,
            higher_is_better=scale.higher_is_better,
        )
        for name, scale in scales.items()
    }


def _specified(matrix: ScoreMatrix, source: TableSource) -> ScoreMatrix:
    """Put what the user says of the metrics in place of what the values show.

    Raises:
        UsageError: An unknown metric is named, or bounds are empty.
        DataRefused: A value lies outside the bounds.
    """
    for name in (*source.bounds, *source.lower_is_better):
        matrix.metric_index(name)
    specs = []
    for number, spec in enumerate(matrix.metrics):
        low, high = source.bounds.get(spec.name, (spec.low, spec.high))
        values = matrix.values[:, :, number][matrix.valid[:, :, number]].numpy()
        least, most = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
        if low is not None and high is not None and values.size and not inside_bounds(values, low, high).all():
            raise DataRefused(f"--bounds {spec.name}={low:g}:{high:g}: the table goes from {least:g} to {most:g}.")
        ends = np.array([np.nan if end is None else end for end in (low, high)], dtype=np.float32)
        binary = values.size > 0 and bool(np.isin(values, ends).all())
        better = spec.higher_is_better and spec.name not in source.lower_is_better
        specs.append(replace(spec, low=low, high=high, binary=binary, higher_is_better=better))
    return replace(matrix, metrics=tuple(specs))


def choose_probes(distinct: Sequence[str], matrix: ScoreMatrix, source: TableSource) -> list[str]:
    """The probes named, or ``n_probes`` of the distinct models by ``probe_choice``.

    Raises:
        UsageError: Both or neither are given where one is needed, there are too few models, or an unknown way.
    """
    if source.probe_choice not in PROBE_CHOICES:
        raise UsageError(
            f"--probe-choice {source.probe_choice}: known are {choices(source.probe_choice, PROBE_CHOICES)}"
        )
    if source.n_probes is None and source.probe_choice != PROBE_CHOICES[0]:
        raise UsageError(f"--probe-choice {source.probe_choice}: say how many with --n-probes.")
    if source.probes and source.n_probes is not None:
        raise UsageError("Give --probe names or --n-probes, not both.")
    if source.probes:
        return list(dict.fromkeys(source.probes))
    if source.n_probes is None:
        return list(distinct)
    if not 0 <= source.n_probes <= len(distinct):
        raise UsageError(f"--n-probes {source.n_probes}: the table has {len(distinct)} distinct models.")
    for family, members in source.families.items():
        if not set(members) & set(matrix.policies):
            raise UsageError(f"--family {family}: none of {', '.join(members)} is a model of the table.")
    return _picked(distinct, matrix, source, source.n_probes)


def _picked(distinct: Sequence[str], matrix: ScoreMatrix, source: TableSource, count: int) -> list[str]:
    """``count`` of the distinct models."""
    if source.probe_choice == "first":
        return list(distinct[:count])
    ability = abilities(matrix.with_policies(distinct))
    if source.probe_choice in ("random", "low", "high"):
        rng = np.random.default_rng([2, source.seed])
        return [distinct[number] for number in drawn(ability, count, source.probe_choice, rng)]
    if source.probe_choice == "even":
        return spread_evenly([distinct[number] for number in np.argsort(ability, kind="stable")], count)
    placed = dict(zip(distinct, ability.tolist(), strict=True))
    ranking = sorted(distinct, key=lambda name: (round(placed[name], 12), name))
    return spread_evenly(ranking, count, list(source.families.values()))


def probed_families(source: TableSource, evidence: Evidence) -> Mapping[str, tuple[str, ...]]:
    """The families that a probe is of, where probes were picked: that may leave whole families without one."""
    if source.n_probes is None:
        return source.families
    names = {probe.name for probe in evidence.probes}
    return {name: own for name, own in source.families.items() if names & set(own)}


def _scored(matrix: ScoreMatrix) -> list[bool]:
    """Whether each model has any score."""
    return [bool(one) for one in matrix.valid.any(dim=2).any(dim=0)]


def _said_of(copies: Mapping[str, str], bare: Sequence[str], probes: Sequence[str]) -> tuple[str, ...]:
    """Sentences about models that were passed over: those that repeat another one, and those without any score."""
    pairs = [f"{copy} = {one}" for copy, one in copies.items() if copy not in probes and copy not in bare]
    empty = [name for name in bare if name not in probes]
    told = (("have exactly the scores of another one", pairs), ("have no score", empty))
    return tuple(
        f"{len(named)} models {why} and are not taken as probes: {', '.join(named[:5])}{' ...' * (len(named) > 5)}"
        for why, named in told
        if named
    )


def _spread_costs(table: ItemTable, policies: int) -> torch.Tensor | None:
    """The same cost for every policy: float64 [item, policy]."""
    return None if table.cost_s is None else torch.tensor(table.cost_s)[:, None].expand(-1, max(policies, 1)).clone()


def item_lines(items: Sequence[str], members: dict[str, tuple[str, ...]], chosen: Collection[str]) -> bytes:
    """One item id a line; the members of a group in its place."""
    wanted = set(chosen)
    ids = [member for item in items if item in wanted for member in (members[item] or (item,))]
    return ("\n".join(ids) + "\n").encode()
