"""The ways to choose that a study compares, and what one of them chose."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch

from bestrand_drive.compression.selectors.base import Selection
from bestrand_drive.compression.selectors.registry import SELECTORS
from bestrand_drive.errors import UsageError, choices
from bestrand_drive.study.problem import Roles

Array = np.ndarray
FAST = ("random", "stratified", "bestrand", "balanced")
"""Selectors whose draws are made here for many seeds together, with the law of their own ``select``."""
OWN_ESTIMATOR = {"random": "mean", "stratified": "stratified", "bestrand": "mean", "balanced": "default"}
NEEDS_STRATA = "stratified needs a stratum of every item (--items); without strata use random."


@dataclass(frozen=True)
class Arm:
    """One way to choose.

    Attributes:
        selector: Name in the registry.
        label: In rows; the selector's name unless a sweep varies something.
        candidates: Random subsets judged (m).
        pool_factor: n of the pool min(n k, N), None for all items.
        distance: Of candidates: ``l1``, ``l2`` or ``max``.
        objective: ``scores`` or ``ranking``; kept parts know it by the label, so that older ones stay what they are.
    """

    selector: str
    label: str
    candidates: int = 128
    pool_factor: float | None = None
    distance: str = "l2"
    objective: str = field(default="scores", repr=False)

    @classmethod
    def of(cls, selector: str) -> Arm:
        """The arm of a selector as ``bestrand compress`` uses it.

        Raises:
            UsageError: There is no such selector.
        """
        if selector not in SELECTORS:
            raise UsageError(f"--selectors {selector}: known are {choices(selector, SELECTORS)}")
        return cls(selector, selector, pool_factor=SELECTORS[selector].pool_factor)

    def cost(self, items: int, probes: int, k: int) -> float:
        """Item runs of source models over N: 1 is one more policy run on the whole benchmark."""
        return SELECTORS[self.selector].cost(items, probes, k, self.pool_factor) / items


@dataclass(frozen=True)
class Chosen:
    """The subset of one seed and case.

    Attributes:
        roles: Who played what.
        indices: int64 [k], item numbers, sorted.
        pool: int64 [pool item].
        selection: What the selector said, for estimators of its own; None from the fast way.
    """

    roles: Roles
    indices: Array
    pool: Array
    selection: Selection | None = field(default=None, compare=False)

    @property
    def said(self) -> Selection:
        """The selection, or the plain one of these items."""
        count = len(self.indices)
        weights = torch.full((count,), 1 / count, dtype=torch.float64)
        return self.selection or Selection(torch.from_numpy(self.indices), weights, {})
