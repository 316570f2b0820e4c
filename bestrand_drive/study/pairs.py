"""Which estimator can serve which way to choose, and what each needs, known before anything is computed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from bestrand_drive.compression.pool import pool_size
from bestrand_drive.compression.selectors.base import ChoiceSettings
from bestrand_drive.errors import UsageError
from bestrand_drive.study.arms import FAST, NEEDS_STRATA, Arm
from bestrand_drive.study.problem import Problem

MODELS_OF: Mapping[str, Sequence[str]] = {
    "anchor-predictor": ("anchor-predictor",),
    "pirt": ("tinybenchmarks", "zipbench"),
    "gpirt": ("tinybenchmarks", "zipbench"),
    "sparse-network": ("sparseeval-linear", "sparseeval-mlp"),
}
"""Estimators that use what a selector has trained, and which selectors train it."""
HISTORIES = ("aipw",)
"""Estimators that learn from the probes' scores on all items."""
MODELLED = ("aipw", "anchor-predictor", "tinybenchmarks", "sparseeval-linear", "sparseeval-mlp")
"""Selectors whose own estimator needs full histories of every metric; the others choose by those of the first."""
LEAST = {"aipw": 1}
"""Probes with results that what learns from them needs; the others need two."""


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


def check_needs(problem: Problem, arms: Iterable[Arm], estimators: Sequence[str | None], seeds: int) -> None:
    """Refuse what some seed would refuse after hours: a choice by strata without any, histories with gaps.

    Args:
        problem: What is studied.
        arms: How subsets are chosen.
        estimators: Names; None for each selector's own.
        seeds: How many.

    Raises:
        UsageError: It says what is missing, and for histories of which seed.
    """
    names = dict.fromkeys(arm.selector for arm in arms)
    if "stratified" in names and problem.scores.strata is None:
        raise UsageError(NEEDS_STRATA)
    first, every = ChoiceSettings().chosen_metrics(problem.scores)[:1], list(range(len(problem.scores.metrics)))
    learning = {name: every if _models(name, estimators) else first for name in names if name not in FAST}
    learning |= {name: every for name in estimators if name in HISTORIES}
    if not learning:
        return
    known = ~np.isnan(problem.values)
    judged: set[tuple[int, ...]] = set()
    for seed in range(seeds):
        for roles in problem.split(seed):
            if roles.probes in judged:
                continue
            judged.add(roles.probes)
            seen = known[:, list(roles.probes)]
            for name, metrics in learning.items():
                for number in metrics:
                    _check_history(name, problem.scores.metrics[number].name, seed, seen[:, :, number])


def _models(selector: str, estimators: Sequence[str | None]) -> bool:
    """Whether an estimator needs what the selector has learnt of every metric."""
    own = None in estimators and selector in MODELLED
    return own or any(selector in MODELS_OF.get(name or "", ()) for name in estimators)


def _check_history(name: str, metric: str, seed: int, seen: np.ndarray) -> None:
    """Refuse probes that are too few, or of which none has a score on some item.

    Args:
        name: Of what learns.
        metric: Its name.
        seed: That draws these probes.
        seen: bool [item, probe], what has a score.
    """
    probes, absent = int(seen.any(axis=0).sum()), int((~seen.any(axis=1)).sum())
    least = LEAST.get(name, 2)
    if probes < least:
        raise UsageError(
            f"{name} learns from the results of at least {least} probes; seed {seed} has {probes} with a {metric}. "
            f"Take more probes, or leave {name} out."
        )
    if absent:
        raise UsageError(
            f"{name} learns from full histories, but the probes of seed {seed} have no {metric} on {absent} of "
            f"{len(seen)} items. Leave {name} out, or take more probes or fuller results (of a table also: --metric)."
        )
