"""The selectors by name. A new one is a file in this folder and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bestrand_drive.compression.selectors.aipw import Aipw
from bestrand_drive.compression.selectors.anchor_points import AnchorPoints, AnchorPredictor
from bestrand_drive.compression.selectors.balanced import Balanced
from bestrand_drive.compression.selectors.base import ChoiceSettings, Selector, history_runs, no_runs, pool_runs
from bestrand_drive.compression.selectors.bestrand import Bestrand
from bestrand_drive.compression.selectors.datbench import DatBench
from bestrand_drive.compression.selectors.flasheval import FlashEval
from bestrand_drive.compression.selectors.random import Random
from bestrand_drive.compression.selectors.sparseeval import SparseEval
from bestrand_drive.compression.selectors.stratified import Stratified
from bestrand_drive.compression.selectors.tinybenchmarks import TinyBenchmarks
from bestrand_drive.compression.selectors.zipbench import ZipBench, zipbench_runs

DRAWN = {"balanced", "bestrand", "random", "stratified", "aipw"}
"""Selectors whose suites are (restricted) random draws, as estimators, intervals and expected errors assume."""
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


def _sparse_mlp(settings: ChoiceSettings) -> Selector:
    return SparseEval(settings, deep=True)


def _learned(make: Callable[[ChoiceSettings], Selector], summary: str, cost: Cost = history_runs) -> SelectorEntry:
    """A selector that learns from the probes' results on all items."""
    return SelectorEntry(make, None, False, cost, summary)


SELECTORS: Mapping[str, SelectorEntry] = {
    "balanced": SelectorEntry(Balanced, None, True, pool_runs, "stratified, best of many"),
    "bestrand": SelectorEntry(Bestrand, 4.0, False, pool_runs, "best of many, as published"),
    "random": SelectorEntry(Random, None, False, no_runs, "one draw"),
    "stratified": SelectorEntry(Stratified, None, True, no_runs, "one proportional draw"),
    "tinybenchmarks": _learned(TinyBenchmarks, "response model"),
    "anchor-points": _learned(AnchorPoints, "medoids"),
    "anchor-predictor": _learned(AnchorPredictor, "medoids and lines"),
    "sparseeval-linear": _learned(SparseEval, "linear network"),
    "sparseeval-mlp": _learned(_sparse_mlp, "network"),
    "zipbench": _learned(ZipBench, "response model, voted models", zipbench_runs),
    "flasheval": _learned(FlashEval, "evolutionary"),
    "datbench": _learned(DatBench, "most discriminating items"),
    "aipw": _learned(Aipw, "one draw, for its estimator"),
}
