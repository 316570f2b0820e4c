"""The selectors by name. A new one is a file in this folder and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bestrand_drive.compression.selectors.balanced import Balanced
from bestrand_drive.compression.selectors.base import ChoiceSettings, Selector
from bestrand_drive.compression.selectors.bestrand import Bestrand
from bestrand_drive.compression.selectors.random import Random


@dataclass(frozen=True)
class SelectorEntry:
    """How a selector is made and fed.

    Attributes:
        make: Builds it from settings.
        pool_factor: n of its pool min(n k, N) unless the user says otherwise; None for all items.
        stratified_pool: Whether a drawn pool holds each stratum's share.
    """

    make: Callable[[ChoiceSettings], Selector]
    pool_factor: float | None
    stratified_pool: bool


SELECTORS: Mapping[str, SelectorEntry] = {
    "balanced": SelectorEntry(Balanced, pool_factor=None, stratified_pool=True),
    "bestrand": SelectorEntry(Bestrand, pool_factor=4.0, stratified_pool=False),
    "random": SelectorEntry(Random, pool_factor=None, stratified_pool=False),
}
