"""Score tables of any benchmark -> evidence: pick probes, attach items, fold groups."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from bestrand_drive.errors import UsageError
from bestrand_drive.files import read_bytes, sha256_bytes
from bestrand_drive.scores.groups import fold_groups
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.tables import ItemTable, read_items, read_table
from bestrand_drive.workflows.evidence import Evidence, ProbeInfo


@dataclass(frozen=True)
class TableSource:
    """A score table and how to read it.

    Attributes:
        scores: Path of a wide or long table, or a matrix.
        items: Path of ``items.csv`` (item_id, stratum, group, cost_s), or None.
        metrics: Metrics to use of a long table; empty for all.
        probes: Names of the probes; empty to pick or to take all.
        n_probes: How many probes to pick, spread evenly over ability; None to take all models.
    """

    scores: Path | ScoreMatrix
    items: Path | None = None
    metrics: tuple[str, ...] = ()
    probes: tuple[str, ...] = ()
    n_probes: int | None = None


def table_evidence(source: TableSource, licence: str = "not stated") -> Evidence:
    """Read a score table and choose its probes.

    Raises:
        DataRefused: A table is damaged or contradicts itself.
        UsageError: A metric or probe is unknown, or both ``probes`` and ``n_probes`` are given.
    """
    matrix, label, digest = _load(source)
    copies = matrix.copies()
    probes = choose_probes([name for name in matrix.policies if name not in copies], matrix, source)
    matrix = matrix.with_policies(probes)
    table = read_items(source.items, matrix.items) if source.items else ItemTable(None, None, None)
    if source.items:
        matrix = replace(matrix, strata=table.strata, cost_s=_spread_costs(table, len(probes)))
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
        files=lambda chosen: {"items.txt": _item_lines(matrix.items, by_item, chosen)},
        findings=_said_of(copies),
    )


def _load(source: TableSource) -> tuple[ScoreMatrix, str, str]:
    """The matrix with the metrics named (all when none is), what to call it, and its SHA-256."""
    if isinstance(source.scores, ScoreMatrix):
        matrix = source.scores
        content = matrix.values.numpy().tobytes() + matrix.valid.numpy().tobytes() + "\n".join(matrix.items).encode()
        label, digest = "score matrix", sha256_bytes(content)
    else:
        matrix = ScoreMatrix.from_frame(read_table(source.scores), source=str(source.scores))
        label, digest = source.scores.name, sha256_bytes(read_bytes(source.scores))
    return matrix.with_metrics(source.metrics) if source.metrics else matrix, label, digest


def choose_probes(distinct: Sequence[str], matrix: ScoreMatrix, source: TableSource) -> list[str]:
    """The probes named, or ``n_probes`` of the distinct models spread evenly over their mean score."""
    if source.probes and source.n_probes is not None:
        raise UsageError("Give --probe names or --n-probes, not both.")
    if source.probes:
        return list(dict.fromkeys(source.probes))
    if source.n_probes is None:
        return list(distinct)
    if not 0 <= source.n_probes <= len(distinct):
        raise UsageError(f"--n-probes {source.n_probes}: the table has {len(distinct)} distinct models.")
    scores = matrix.with_policies(distinct).masked(0)
    known = ~np.isnan(scores)
    ability = np.where(known, scores, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    order = np.argsort(ability, kind="stable")
    steps = ((np.arange(source.n_probes) + 0.5) * len(distinct) / max(source.n_probes, 1)).astype(int)
    return [distinct[order[step]] for step in steps]


def _said_of(copies: dict[str, str]) -> tuple[str, ...]:
    """A sentence about models that repeat another one."""
    if not copies:
        return ()
    pairs = [f"{copy} = {original}" for copy, original in copies.items()]
    listed = ", ".join(pairs[:5]) + (" ..." if len(pairs) > 5 else "")
    return (f"{len(pairs)} models have exactly the scores of another one and are not taken as probes: {listed}",)


def _spread_costs(table: ItemTable, policies: int) -> torch.Tensor | None:
    """The same cost for every policy: float64 [item, policy]."""
    return None if table.cost_s is None else torch.tensor(table.cost_s)[:, None].expand(-1, max(policies, 1)).clone()


def _item_lines(items: Sequence[str], members: dict[str, tuple[str, ...]], chosen: Collection[str]) -> bytes:
    """One item id a line; the members of a group in its place."""
    ids = [member for item in items if item in set(chosen) for member in (members[item] or (item,))]
    return ("\n".join(ids) + "\n").encode()
