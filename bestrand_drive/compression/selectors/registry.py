"""The selectors by name. A new one is a file in this folder and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bestrand_drive.compression.selectors.balanced import Balanced
from bestrand_drive.compression.selectors.base import ChoiceSettings, Selector, no_runs, pool_runs
from bestrand_drive.compression.selectors.bestrand import Bestrand
from bestrand_drive.compression.selectors.random import Random
from bestrand_drive.compression.selectors.stratified import Stratified

Cost = Callable[[int, int, int, float | None], int]
"""``cost(items, probes, k, pool_factor)``: item runs of source models that a choice needs beforehand."""


@dataclass(frozen=True)
class SelectorEntry:
    """How a selector is made and fed.

    Attributes:
        make: Builds it from settings.
        pool_factor: n of its pool min(n k, N) unless the user says otherwise; None for all items.
        stratified_pool: Whether a drawn pool holds each stratum's share.
        cost: Item runs of source models that it needs.
        summary: One clause for the list of selectors.
    """

    make: Callable[[ChoiceSettings], Selector]
    pool_factor: float | None
    stratified_pool: bool
    cost: Cost
    summary: str


SELECTORS: Mapping[str, SelectorEntry] = {
    "balanced": SelectorEntry(Balanced, None, True, pool_runs, "stratified, best of many"),
    "bestrand": SelectorEntry(Bestrand, 4.0, False, pool_runs, "as published"),
    "random": SelectorEntry(Random, None, False, no_runs, "one draw"),
    "stratified": SelectorEntry(Stratified, None, True, no_runs, "one proportional draw, no probes"),
}
