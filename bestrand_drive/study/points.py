"""Estimates of many draws and many targets at once: what every batched estimator takes and gives, and the means.

The estimators here and in ``batch_expc`` and ``batch_blup`` follow those of ``compression.estimators`` formula by
formula, with a draw axis in front. All are linear in the target's values, so a batch of draws is a few products of
matrices [draw, item] and [item, target].
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from bestrand_drive.compression.difficulty import LEAST_FREEDOM


@dataclass(frozen=True)
class Draws:
    """Measured items of a batch of draws, and what items count; see ``compression.estimators.sample.Sample``.

    Attributes:
        mask: float64 Tensor[draw, item], 1 where measured.
        weights: float64 Tensor[draw, item].
        squares: float64 Tensor[draw, item], expectation of the squared weight.
        strata: float64 Tensor[item, stratum], 1 where the item belongs.
    """

    mask: Tensor
    weights: Tensor
    squares: Tensor
    strata: Tensor

    @property
    def n(self) -> Tensor:
        """How many items were measured, Tensor[draw, 1]."""
        return self.mask.sum(dim=1, keepdim=True)

    @property
    def population(self) -> Tensor:
        """How many items count, Tensor[draw, 1]."""
        return self.weights.sum(dim=1, keepdim=True) ** 2 / self.squares.sum(dim=1, keepdim=True)

    @property
    def complete(self) -> Tensor:
        """Whether every item that counts was measured, bool Tensor[draw, 1]."""
        return ((1 - self.mask) * self.weights).amax(dim=1, keepdim=True) <= 0

    @property
    def rest(self) -> Tensor:
        """Weights of the items that were not measured, Tensor[draw, item]."""
        return self.weights * (1 - self.mask)


@dataclass(frozen=True)
class Points:
    """Estimates of a batch; see ``compression.estimators.sample.PointEstimate``.

    Attributes:
        value: float64 Tensor[draw, target], metric units.
        variance: float64 Tensor[draw, target], of its error, metric units squared.
        df: float64 Tensor[draw, 1], degrees of freedom of the variance.
        mean: float64 Tensor[draw, target], plain mean of the measured values.
        spread2: float64 Tensor[draw, target], their sample variance.
        draws: What was measured.
        residuals: float64 Tensor[draw, item], 0 where not measured; kept for a single target only.
    """

    value: Tensor
    variance: Tensor
    df: Tensor
    mean: Tensor
    spread2: Tensor
    draws: Draws
    residuals: Tensor | None = None


def moments(mask: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and sample variance over each draw's measured items, Tensor[draw, target] each.

    Args:
        mask: float64 Tensor[draw, item].
        y: float64 Tensor[item, target].
    """
    n = mask.sum(dim=1, keepdim=True)
    centre = y.mean(dim=0)
    moved = y - centre  # sums of squares of centred values keep their digits
    mean = mask @ moved / n
    squares = (mask @ moved**2 - n * mean**2).clamp(min=0)
    spread2 = torch.where(n > 1, squares / (n - 1).clamp(min=1), 0.0)
    return mean + centre, _without_rounding(spread2, mask, moved)


def _without_rounding(spread2: Tensor, mask: Tensor, moved: Tensor) -> Tensor:
    """Variances with what is only rounding set to 0, as a two-pass variance of equal values has it."""
    size = mask @ moved**2 / mask.sum(dim=1, keepdim=True)
    return torch.where(spread2 <= 1e-13 * size, 0.0, spread2)


def stratified_points(draws: Draws, y: Tensor) -> Points:
    """The stratified mean of every draw and target (``compression.estimators.stratified``).

    Args:
        draws: What was measured.
        y: float64 Tensor[item, target]; what stands where nothing was measured does not count.
    """
    mean, spread2 = moments(draws.mask, y)
    total_weight = draws.weights.sum(dim=1, keepdim=True)
    share = draws.weights / total_weight
    a = _coefficients(draws, share)
    counts = draws.mask @ draws.strata
    freedom = (counts - 1).clamp(min=0).sum(dim=1, keepdim=True)
    between, within = _anova(draws, y, counts, spread2)
    enough = freedom >= LEAST_FREEDOM
    s_w2 = torch.where(enough, within, spread2)
    s_u2 = torch.where(enough, between.clamp(min=0), 0.0)
    gap = a @ draws.strata - share @ draws.strata
    inner = ((a - share * draws.mask) ** 2).sum(dim=1, keepdim=True)
    inner = inner + (draws.squares * (1 - draws.mask)).sum(dim=1, keepdim=True) / total_weight**2
    return Points(
        value=a @ y,
        variance=s_w2 * inner + s_u2 * (gap**2).sum(dim=1, keepdim=True),
        df=torch.where(enough, freedom, (draws.n - 1).clamp(min=1)),
        mean=mean,
        spread2=spread2,
        draws=draws,
        residuals=_residuals(draws, y, counts, enough, mean) if y.shape[1] == 1 else None,
    )


def mean_points(draws: Draws, y: Tensor) -> Points:
    """The plain mean, with the error variance of simple random sampling: one stratum holds all items."""
    whole = torch.ones((draws.mask.shape[1], 1), dtype=torch.float64)
    return stratified_points(Draws(draws.mask, draws.weights, draws.squares, whole), y)


def _coefficients(draws: Draws, share: Tensor) -> Tensor:
    """What each measured item weighs in the estimate, Tensor[draw, item]; rows sum to 1."""
    counted = share * draws.mask
    seen, total = counted @ draws.strata, share @ draws.strata
    unseen = torch.where(seen > 0, 0.0, total).sum(dim=1, keepdim=True)
    factor = (total / torch.where(seen > 0, seen, 1.0)) @ draws.strata.T
    return counted * factor + unseen * counted / counted.sum(dim=1, keepdim=True)


def _stratum_means(draws: Draws, y: Tensor, counts: Tensor) -> Tensor:
    """Mean of each stratum's measured values, Tensor[draw, stratum, target]; 0 where there is none."""
    sums = torch.stack([(draws.mask * column) @ y for column in draws.strata.T], dim=1)
    return sums / counts.clamp(min=1)[:, :, None]


def _anova(draws: Draws, y: Tensor, counts: Tensor, spread2: Tensor) -> tuple[Tensor, Tensor]:
    """One-way random-effects variances by the method of moments, Tensor[draw, target] each (``difficulty.anova``)."""
    n, h = draws.n, (counts > 0).sum(dim=1, keepdim=True).to(torch.float64)
    if draws.strata.shape[1] == 1:
        return torch.zeros_like(spread2), spread2
    centred = y - y.mean(dim=0)
    grand = draws.mask @ centred / n
    squares = ((_stratum_means(draws, centred, counts) - grand[:, None, :]) ** 2 * counts[:, :, None]).sum(dim=1)
    between = squares / (h - 1).clamp(min=1)
    within = (spread2 * (n - 1) - squares) / (n - h).clamp(min=1)
    size = (n - (counts**2).sum(dim=1, keepdim=True) / n) / (h - 1).clamp(min=1)
    alone = (h < 2) | (n == h)
    component = torch.where(alone, 0.0, (between - within) / torch.where(size > 0, size, 1.0))
    return component, torch.where(alone, spread2, within.clamp(min=0))


def _residuals(draws: Draws, y: Tensor, counts: Tensor, enough: Tensor, mean: Tensor) -> Tensor:
    """Values less their stratum's mean (less the plain mean with too few of a stratum), Tensor[draw, item]."""
    own = _stratum_means(draws, y, counts)[:, :, 0] @ draws.strata.T
    return draws.mask * (y[:, 0] - torch.where(enough, own, mean))
