"""Which estimator can serve which way to choose, known before anything is computed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bestrand_drive.compression.pool import pool_size
from bestrand_drive.errors import UsageError
from bestrand_drive.study.arms import Arm

MODELS_OF: Mapping[str, Sequence[str]] = {
    "anchor-predictor": ("anchor-predictor",),
    "pirt": ("tinybenchmarks", "zipbench"),
    "gpirt": ("tinybenchmarks", "zipbench"),
    "sparse-network": ("sparseeval-linear", "sparseeval-mlp"),
}
"""Estimators that use what a selector has trained, and which selectors train it."""
HISTORIES = ("aipw",)
"""Estimators that learn from the probes' scores on all items."""


def obstacle(arm: Arm, estimator: str | None, items: int, k: int) -> str:
    """Why an estimator cannot serve a way to choose; empty when it can.

    Args:
        arm: How subsets are chosen.
        estimator: Name, or None for the selector's own.
        items: N.
        k: Size.
    """
    makers = MODELS_OF.get(estimator or "", (arm.selector,))
    if arm.selector not in makers:
        return f"{estimator} estimates what {' or '.join(makers)} chose"
    partial = pool_size(k, arm.pool_factor, items) < items
    if estimator in HISTORIES and partial:
        return f"{estimator} needs the probes' scores on all items, not on a pool of {arm.pool_factor:g} k"
    return ""


def serving(arm: Arm, estimators: Sequence[str | None], items: int, k: int) -> list[str | None]:
    """The estimators that can serve; random, with which others are compared, has its own where none can."""
    usable = [name for name in estimators if not obstacle(arm, name, items, k)]
    return usable or ([None] if arm.selector == "random" else [])


def check_pairs(arms: Iterable[Arm], estimators: Sequence[str | None], items: int, sizes: Sequence[int]) -> list[str]:
    """What is left out, a sentence each.

    Args:
        arms: Of all entries.
        estimators: Names; None for each selector's own.
        items: N.
        sizes: All k.

    Raises:
        UsageError: A selector or an estimator is left without a partner at every size.
    """
    ways = list(dict.fromkeys(arms))
    why = {(arm, one): [obstacle(arm, one, items, k) for k in sizes] for arm in ways for one in estimators}
    barred = {pair: reasons[0] for pair, reasons in why.items() if all(reasons)}
    for arm in ways:
        reasons = [barred[arm, one] for one in estimators if (arm, one) in barred]
        if len(reasons) == len(estimators) and arm.selector != "random":
            raise UsageError(f"--selectors {arm.selector} has no estimator among those given: {'; '.join(reasons)}.")
    for one in estimators:
        if all((arm, one) in barred for arm in ways):
            raise UsageError(f"--estimators {one} has no selector among those given: {barred[ways[0], one]}.")
    told = {(arm.label, next(filter(None, reasons))): None for (arm, _), reasons in why.items() if any(reasons)}
    return [f"{label} is not paired with an estimator at every size: {reason}" for label, reason in told]
