"""What the outcomes of one cell and metric add up to."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from bestrand_drive.study.cells import Cell, Outcome, rounding

Array = np.ndarray
PAIRS = 20_000_000
"""Most pairs of targets compared in one go."""


@dataclass(frozen=True)
class Measures:
    """One cell and metric. A draw's MAE is the mean absolute error over its targets, metric units.

    Attributes:
        mae: Mean over draws.
        mae_se: Its standard error over draws.
        mae_sd: Spread of the draws' MAE.
        rmse: Root of the mean squared error over draws and targets.
        bias: Mean error.
        p95: 95th percentile of the draws' MAE.
        risk_p70: Share of draws whose MAE is above the 70th percentile of random's; None without random.
        risk_mean: The same for random's mean.
        spearman: Mean over draws of the rank correlation between estimates and truths over targets.
        kendall: The same, tau-b.
        pairwise: Share of pairs of targets with different truths that the estimates order rightly (ties count half).
        top3: Share of the true three best among the estimated three best.
        coverage95: Share of run intervals that held the truth, mean over targets.
        coverage95_worst: The same for the target where it is least.
        coverage95_high: Mean over targets whose truth is above 90 % of the metric's range.
        coverage95_low: Mean over targets whose truth is below 10 % of it.
        width: Mean width of the run interval.
        cost: Item runs of source models over N.
        targets: How many policies were a target in any draw.
    """

    mae: float | None
    mae_se: float | None
    mae_sd: float | None
    rmse: float | None
    bias: float | None
    p95: float | None
    risk_p70: float | None
    risk_mean: float | None
    spearman: float | None
    kendall: float | None
    pairwise: float | None
    top3: float | None
    coverage95: float | None
    coverage95_worst: float | None
    coverage95_high: float | None
    coverage95_low: float | None
    width: float | None
    cost: float
    targets: int


def measures(cell: Cell, outcome: Outcome, metric: int, random: Outcome | None) -> Measures:
    """Summarise one reported metric.

    Args:
        cell: What was measured.
        outcome: Over all seeds.
        metric: Position among the reported metrics.
        random: Of random with its own estimator, the same benchmark, size and seeds.
    """
    nothing = rounding(cell.problem)[:, metric] / 100
    error = _told(outcome.error[:, :, metric], nothing)
    draws = draw_maes(error)
    theirs = None if random is None else draw_maes(_told(random.error[:, :, metric], nothing))
    known = draws[~np.isnan(draws)]
    items = len(cell.problem.scores.items)
    order = _orders(error, cell.problem.truth[:, metric], cell.problem.reported[metric].higher_is_better)
    return Measures(
        mae=_mean(known),
        mae_se=float(known.std(ddof=1) / np.sqrt(len(known))) if len(known) > 1 else None,
        mae_sd=float(known.std(ddof=1)) if len(known) > 1 else None,
        rmse=_root(_mean(error[~np.isnan(error)] ** 2)),
        bias=_mean(error[~np.isnan(error)]),
        p95=float(np.quantile(known, 0.95)) if len(known) else None,
        risk_p70=_share_above(known, theirs, lambda values: float(np.quantile(values, 0.7))),
        risk_mean=_share_above(known, theirs, lambda values: float(values.mean())),
        **order,
        **_coverage(cell, outcome, metric),
        width=_mean(outcome.width[:, :, metric][outcome.covered[:, :, metric] >= 0].astype(np.float64)),
        cost=cell.arm.cost(items, round(float(outcome.probes.mean())), cell.k),
        targets=int((~np.isnan(error)).any(axis=0).sum()),
    )


def _told(error: Array, nothing: Array) -> Array:
    """Errors as float64, those that are rounding alone as 0: of a whole benchmark no draw is worse than another."""
    return np.where(np.abs(error) <= nothing, 0.0, error.astype(np.float64))


def draw_maes(error: Array) -> Array:
    """Mean absolute error over the targets of each draw, float64 [seed]; NaN without any."""
    count = (~np.isnan(error)).sum(axis=1)
    return np.where(count > 0, np.nansum(np.abs(error), axis=1) / np.maximum(count, 1), np.nan)


def _mean(values: Array) -> float | None:
    return float(values.mean()) if values.size else None


def _root(value: float | None) -> float | None:
    return None if value is None else float(np.sqrt(value))


def _share_above(own: Array, theirs: Array | None, level: Callable[[Array], float]) -> float | None:
    """Share of draws above a level of random's draws; draws that equal it but for rounding are not above."""
    if theirs is None or not len(own) or np.isnan(theirs).all():
        return None
    limit = level(theirs[~np.isnan(theirs)])
    return float((own > limit * (1 + 1e-6)).mean())


def _coverage(cell: Cell, outcome: Outcome, metric: int) -> dict[str, float | None]:
    """Coverage of each target over draws, then the mean, the least, and the means near the metric's ends."""
    covered = outcome.covered[:, :, metric].astype(np.float64)
    count = (covered >= 0).sum(axis=0)
    share = (covered == 1).sum(axis=0)[count > 0] / count[count > 0]
    truth = cell.problem.truth[count > 0, metric]
    bounds = cell.problem.reported[metric].bounds
    level = (truth - bounds[0]) / (bounds[1] - bounds[0]) if bounds else np.full(len(truth), 0.5)
    return {
        "coverage95": _mean(share),
        "coverage95_worst": float(share.min()) if share.size else None,
        "coverage95_high": _mean(share[level > 0.9]),
        "coverage95_low": _mean(share[level < 0.1]),
    }


def _orders(error: Array, truth: Array, higher_is_better: bool) -> dict[str, float | None]:
    """How well estimates order the targets of a draw, mean over draws with three or more targets."""
    found: list[Array] = []
    known = ~np.isnan(error)
    for count in np.unique(known.sum(axis=1)):
        if count < 3:
            continue
        rows = np.flatnonzero(known.sum(axis=1) == count)
        places = np.nonzero(known[rows])[1].reshape(len(rows), count)
        right = truth[places] if higher_is_better else -truth[places]
        wrong = np.take_along_axis(error[rows], places, axis=1)
        step = max(1, PAIRS // int(count) ** 2)
        for start in range(0, len(rows), step):
            stop = start + step
            shift = wrong[start:stop] if higher_is_better else -wrong[start:stop]
            found.append(_order_of(right[start:stop] + shift, right[start:stop]))
    names = ("spearman", "kendall", "pairwise", "top3")
    if not found:
        return dict.fromkeys(names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a measure that no draw has is the mean of nothing
        means = np.nanmean(np.concatenate(found), axis=0)
    return {name: None if np.isnan(mean) else float(mean) for name, mean in zip(names, means, strict=True)}


def _digits(size: float) -> int:
    """Digits after the point to which estimates of values up to ``size`` are told apart."""
    if size <= 0:
        return 6
    if 0.01 <= size <= 1e4:
        return 6 if size <= 10 else 4
    return 6 - int(np.floor(np.log10(size)))


def _order_of(guess: Array, truth: Array) -> Array:
    """Spearman, Kendall's tau-b, pairwise accuracy and top-3 recall of each draw, float64 [draw, 4].

    Args:
        guess: float64 [draw, target], greater is better; differences within float32 rounding are ties.
        truth: float64 [draw, target].
    """
    guess = np.round(guess.astype(np.float64), _digits(float(np.abs(truth).max())))
    ranks = [stats.rankdata(values, axis=1) for values in (guess, truth)]
    centred = [rank - rank.mean(axis=1, keepdims=True) for rank in ranks]
    first, second = np.triu_indices(guess.shape[1], 1)
    signs = [np.sign(values[:, first] - values[:, second]).astype(np.int8) for values in (guess, truth)]
    agree = (signs[0] * signs[1]).sum(axis=1, dtype=np.float64)
    apart = [np.count_nonzero(sign, axis=1).astype(np.float64) for sign in signs]
    best = [np.argsort(-values, axis=1, kind="stable")[:, :3] for values in (guess, truth)]
    recall = (best[0][:, :, None] == best[1][:, None, :]).any(axis=1).mean(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.sqrt((centred[0] ** 2).sum(axis=1) * (centred[1] ** 2).sum(axis=1))
        spearman = (centred[0] * centred[1]).sum(axis=1) / spread
        kendall = agree / np.sqrt(apart[0] * apart[1])
        pairwise = (agree / apart[1] + 1) / 2
    return np.column_stack([spearman, kendall, pairwise, recall])
