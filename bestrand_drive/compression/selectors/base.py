"""What every selector takes and gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import torch
from torch import Generator, Tensor

from bestrand_drive.compression.pool import pool_size
from bestrand_drive.compression.search import Found
from bestrand_drive.errors import NothingSelected
from bestrand_drive.scores.matrix import ScoreMatrix


@dataclass(frozen=True)
class Selection:
    """A chosen subset.

    Attributes:
        indices: long Tensor[k], sorted item numbers.
        weights: float64 Tensor[k], what each item counts in a plain estimate (they sum to 1).
        diagnostics: Plain numbers and words about how it was found.
        estimator: The selector's own estimator, a name in ``estimators.registry``.
        model: By metric number: what that estimator needs beside the weights (a response model, lines, networks); empty
            for estimators that need nothing.
    """

    indices: Tensor
    weights: Tensor
    diagnostics: Mapping[str, float | int | str]
    estimator: str = "mean"
    model: Mapping[int, object] = field(default_factory=dict)


@dataclass(frozen=True)
class ChoiceSettings:
    """What the user may set, the same for every selector; each ignores what has no meaning for it.

    Attributes:
        candidates: Random subsets that are judged (m).
        metric_weights: Factor a metric name; unnamed metrics count 1 when their specification selects.
        families: Policy numbers of each family of probes; empty means that every probe stands alone.
        search: How candidates are drawn and judged, one of ``search.WAYS``.
        guard_domains: Whether every domain of the matrix must keep an item.
        memory_mib: Cap on the largest temporary array of the search, MiB.
        device: Where candidate means are computed.
        effort: Factor on the epochs and searches of methods that train; 1 is what their files say.
        objective: What ``balanced`` and ``bestrand`` balance, one of ``features.OBJECTIVES``.
    """

    candidates: int = 128
    metric_weights: Mapping[str, float] = field(default_factory=dict)
    families: Sequence[Sequence[int]] = ()
    search: str = "auto"
    guard_domains: bool = True
    memory_mib: int = 256
    device: str = "cpu"
    effort: float = 1.0
    objective: str = "scores"

    def weight(self, scores: ScoreMatrix, metric: int) -> float:
        """Factor of one metric: what was set, else 1 for those that take part in choosing and 0 for others."""
        spec = scores.metrics[metric]
        return float(self.metric_weights.get(spec.name, 1.0 if spec.select and not self.metric_weights else 0.0))

    def scaled(self, amount: int) -> int:
        """An amount of training under ``effort``, at least 1."""
        return max(1, round(amount * self.effort))

    def family_columns(self, scores: ScoreMatrix) -> Sequence[Sequence[int]]:
        """The families, or one a policy."""
        return self.families or [[number] for number in range(len(scores.policies))]

    def chosen_metrics(self, scores: ScoreMatrix) -> list[int]:
        """Numbers of the metrics that take part in choosing, the weightiest first (earlier ones first among equals)."""
        weights = [self.weight(scores, metric) for metric in range(len(scores.metrics))]
        return [number for number in sorted(range(len(weights)), key=lambda n: -weights[n]) if weights[number] > 0]


class Selector(Protocol):
    """Chooses k items. Methods that need full histories of the probes say so in ``needs_history``."""

    @property
    def name(self) -> str:
        """As on the command line."""
        ...

    @property
    def needs_history(self) -> bool:
        """Whether scores on all N items are needed, not only on a pool."""
        ...

    def select(self, scores: ScoreMatrix, k: int, *, pool: Tensor, generator: Generator) -> Selection:
        """Choose ``k`` of the items numbered in ``pool`` (long Tensor[pool item])."""
        ...


@runtime_checkable
class BatchSelector(Protocol):
    """A selector that trains, and does so for many choices at once in a fraction of the time."""

    def select_many(
        self, cases: Sequence[ScoreMatrix], k: int, *, pools: Sequence[Tensor], generators: Sequence[Generator]
    ) -> list[Selection]:
        """``select`` for each case, up to rounding; each draws from its own generator."""
        ...


def check_size(k: int, pool: Tensor) -> None:
    """Refuse an impossible size.

    Raises:
        NothingSelected: ``k`` is below 1 or above the pool.
    """
    if not 1 <= k <= len(pool):
        raise NothingSelected(f"Cannot choose {k} items out of a pool of {len(pool)}.")


def way_taken(found: Found, settings: ChoiceSettings) -> dict[str, float | int | str]:
    """Diagnostics: how candidates were judged, where that is not the usual way that nobody asked for."""
    return {} if found.way == "subsets" and settings.search == "auto" else {"search": found.way}


def selection(
    pool: Tensor, subset: Tensor, scores: ScoreMatrix, diagnostics: Mapping[str, float | int | str]
) -> Selection:
    """Translate pool positions into item numbers and attach the plain weights."""
    indices = pool[subset].sort().values
    size = torch.ones(len(indices), dtype=torch.float64) if scores.weights is None else scores.weights[indices]
    return Selection(indices=indices, weights=size / size.sum(), diagnostics=diagnostics)


def weighted_selection(
    scores: ScoreMatrix,
    indices: Tensor,
    weights: Tensor,
    settings: ChoiceSettings,
    diagnostics: Mapping[str, float | int | str],
    *,
    estimator: str,
    model: Mapping[int, object] | None = None,
) -> Selection:
    """A selection that was not drawn, with weights of its own; diagnostics count the guarded domains left empty.

    Args:
        scores: Of the probes.
        indices: long Tensor[k], item numbers in any order.
        weights: float64 Tensor[k], in that order; scaled to sum to 1.
        settings: Say whether domains are guarded.
        diagnostics: How the items were found.
        estimator: The selector's own.
        model: What it needs.
    """
    order = indices.argsort()
    guards = [mask for mask in scores.domains.values() if bool(mask.any())] if settings.guard_domains else []
    empty = sum(not bool(mask[indices].any()) for mask in guards)
    told = dict(diagnostics) | ({"domains_without_item": empty} if empty else {})
    return Selection(indices[order], weights[order] / weights.sum(), told, estimator, model or {})


def no_runs(items: int, probes: int, k: int, factor: float | None) -> int:
    """Cost of a selector that looks at no score: item runs of source models."""
    return 0


def pool_runs(items: int, probes: int, k: int, factor: float | None) -> int:
    """Cost of a selector whose probes are run on the pool min(n k, N) (all N items when n is None)."""
    return probes * pool_size(k, factor, items)


def history_runs(items: int, probes: int, k: int, factor: float | None) -> int:
    """Cost of a selector that needs every source model's score on every item."""
    return probes * items
