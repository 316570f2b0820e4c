"""What is studied: a full score matrix, and who plays probe and target in each seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bestrand_drive.compression.harmonic import harmonic
from bestrand_drive.compression.policy_estimates import HarmonicRule
from bestrand_drive.compression.strata import stratum_codes
from bestrand_drive.errors import DataRefused
from bestrand_drive.files import sha256_bytes
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec


@dataclass(frozen=True)
class Roles:
    """Who guides the choice and who is estimated; no policy is both.

    Attributes:
        probes: Policy numbers.
        families: Positions in ``probes`` of each family, counted as one probe.
        targets: Policy numbers.
    """

    probes: tuple[int, ...]
    families: tuple[tuple[int, ...], ...]
    targets: tuple[int, ...]


Split = Callable[[int], Sequence[Roles]]
"""``split(seed)`` gives the roles of one seed: one entry, or one a left-out family. No two entries share a target."""


@dataclass(frozen=True)
class Problem:
    """A benchmark to study.

    Attributes:
        name: In rows and file names.
        scores: Every policy on every item; no two policies alike.
        split: Who plays what.
        split_name: In words, a part of the key of cached results.
        harmonic: Harmonic means to report beside the metrics.
        notes: What the reader must know of the scores: who was left out, and what is missing.
        split_kind: ``split_name`` without numbers and members, for rows.
    """

    name: str
    scores: ScoreMatrix
    split: Split
    split_name: str
    harmonic: Sequence[HarmonicRule] = ()
    notes: Sequence[str] = ()
    split_kind: str = ""

    def __post_init__(self) -> None:
        if self.scores.weights is not None:
            raise DataRefused(f"{self.name}: a study takes single items, not groups folded into one.")

    @cached_property
    def reported(self) -> list[MetricSpec]:
        """What is reported: metrics, then harmonic means, which have the bounds of their first part."""
        parts = [(rule.name, self.scores.metrics[self.scores.metric_index(rule.score)]) for rule in self.harmonic]
        return [*self.scores.metrics, *(MetricSpec(name, part.low, part.high) for name, part in parts)]

    @property
    def metric_names(self) -> list[str]:
        """Names of what is reported."""
        return [spec.name for spec in self.reported]

    @cached_property
    def values(self) -> np.ndarray:
        """float64 [item, policy, metric], NaN where missing."""
        return np.stack([self.scores.masked(metric) for metric in range(len(self.scores.metrics))], axis=2)

    @cached_property
    def codes(self) -> np.ndarray:
        """Stratum numbers, int64 [item]; all 0 without strata."""
        return stratum_codes(self.scores.strata or [""] * len(self.scores.items)).codes.numpy()

    @cached_property
    def truth(self) -> np.ndarray:
        """Each policy's mean over its own non-missing items, float64 [policy, reported metric]; NaN without any."""
        known = ~np.isnan(self.values)
        count = known.sum(axis=0)
        means = np.where(count > 0, np.nansum(self.values, axis=0) / np.maximum(count, 1), np.nan)
        names = self.scores.metric_names
        pairs = [(names.index(rule.score), names.index(rule.success)) for rule in self.harmonic]
        extra = [[harmonic(row[a], row[b]) for a, b in pairs] for row in means]
        return np.concatenate([means, np.array(extra).reshape(len(means), len(pairs))], axis=1)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the scores, names and strata."""
        words = [*self.scores.items, *self.scores.policies, *(self.scores.strata or ()), self.split_name]
        words += [str(metric) for metric in self.scores.metrics]
        content = self.scores.values.numpy().tobytes() + self.scores.valid.numpy().tobytes()
        return sha256_bytes(content + "\0".join(words).encode())


def without_copies(scores: ScoreMatrix) -> tuple[ScoreMatrix, dict[str, str]]:
    """The matrix without policies that repeat an earlier one's scores (they would be probe and target at once)."""
    copies = scores.copies()
    return scores.with_policies([name for name in scores.policies if name not in copies]), copies


def without_bare_items(scores: ScoreMatrix) -> tuple[ScoreMatrix, list[str]]:
    """The matrix without items that no policy has a score on, and a sentence of them where there are any.

    Args:
        scores: Without strata, costs, domains and weights.
    """
    known = scores.valid.any(dim=2).any(dim=1).tolist()
    bare = [item for item, any_score in zip(scores.items, known, strict=True) if not any_score]
    if not bare:
        return scores, []
    kept = [item for item, any_score in zip(scores.items, known, strict=True) if any_score]
    named = ", ".join(bare[:5]) + " ..." * (len(bare) > 5)
    note = f"{len(bare)} of {len(scores.items)} items left out, on which no model has a score: {named}"
    return scores.relabelled(kept, scores.metrics), [note]


def score_notes(scores: ScoreMatrix, dropped: Mapping[str, str], most: int = 12) -> list[str]:
    """Who was left out, and on how many items policies have no score at all, a sentence each.

    Args:
        scores: Of the study.
        dropped: Policies that repeat another: name -> that one's name.
        most: Policies with gaps that are named; the others are counted.
    """
    gaps = (~scores.valid.any(dim=2)).sum(dim=0).tolist()
    named = [f"{name} {count}" for name, count in zip(scores.policies, gaps, strict=True) if count]
    told = ", ".join(named[:most]) + (f" and {len(named) - most} more" if len(named) > most else "")
    copies = [f"{copy} repeats {original} and is left out" for copy, original in dropped.items()]
    holes = f"items of {len(scores.items)} without a score, which have no part in the truth: {told}"
    return [*copies, holes] if named else copies


def unguarded(scores: ScoreMatrix) -> ScoreMatrix:
    """The matrix without domains, which need not be represented here, and without costs."""
    return replace(scores, domains={}, cost_s=None)
