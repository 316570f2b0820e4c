"""What every selector takes and gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import torch
from torch import Generator, Tensor

from bestrand_drive.errors import NothingSelected
from bestrand_drive.scores.matrix import ScoreMatrix


@dataclass(frozen=True)
class Selection:
    """A chosen subset.

    Attributes:
        indices: long Tensor[k], sorted item numbers.
        weights: float64 Tensor[k], what each item counts in a plain estimate (they sum to 1).
        diagnostics: Plain numbers and words about how it was found.
    """

    indices: Tensor
    weights: Tensor
    diagnostics: Mapping[str, float | int | str]


@dataclass(frozen=True)
class ChoiceSettings:
    """What the user may set, the same for every selector; each ignores what has no meaning for it.

    Attributes:
        candidates: Random subsets that are judged (m).
        metric_weights: Factor a metric name; unnamed metrics count 1 when their specification selects.
        families: Policy numbers of each family of probes; empty means that every probe stands alone.
        guard_domains: Whether every domain of the matrix must keep an item.
        memory_mib: Cap on the largest temporary array of the search, MiB.
        device: Where candidate means are computed.
    """

    candidates: int = 128
    metric_weights: Mapping[str, float] = field(default_factory=dict)
    families: Sequence[Sequence[int]] = ()
    guard_domains: bool = True
    memory_mib: int = 256
    device: str = "cpu"

    def weight(self, scores: ScoreMatrix, metric: int) -> float:
        """Factor of one metric: what was set, else 1 for those that take part in choosing and 0 for others."""
        spec = scores.metrics[metric]
        return float(self.metric_weights.get(spec.name, 1.0 if spec.select and not self.metric_weights else 0.0))

    def family_columns(self, scores: ScoreMatrix) -> Sequence[Sequence[int]]:
        """The families, or one a policy."""
        return self.families or [[number] for number in range(len(scores.policies))]


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


def check_size(k: int, pool: Tensor) -> None:
    """Refuse an impossible size.

    Raises:
        NothingSelected: ``k`` is below 1 or above the pool.
    """
    if not 1 <= k <= len(pool):
        raise NothingSelected(f"Cannot choose {k} items out of a pool of {len(pool)}.")


def selection(
    pool: Tensor, subset: Tensor, scores: ScoreMatrix, diagnostics: Mapping[str, float | int | str]
) -> Selection:
    """Translate pool positions into item numbers and attach the plain weights."""
    indices = pool[subset].sort().values
    size = torch.ones(len(indices), dtype=torch.float64) if scores.weights is None else scores.weights[indices]
    return Selection(indices=indices, weights=size / size.sum(), diagnostics=diagnostics)
