"""BLUP of many draws and many targets at once (``compression.estimators.blup``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from bestrand_drive.compression.difficulty import DifficultyModel
from bestrand_drive.study.points import Draws, Points, moments


@dataclass(frozen=True)
class Models:
    """Difficulty models stacked over draws; one model stands for all draws when the first axis is 1.

    Attributes:
        d: float64 Tensor[draw, item, 2].
        beta: float64 Tensor[draw, 2].
        v_b: float64 Tensor[draw, 2].
        s_u2: float64 Tensor[draw, 1].
        s_e2: float64 Tensor[draw, 1], with the floor that keeps the solver exact.
        within: float64 Tensor[draw, 1], variance of probe difficulty inside strata.
        between: float64 Tensor[draw, 1], and between strata.
        in_pool: float64 Tensor[draw, item], 1 inside.
    """

    d: Tensor
    beta: Tensor
    v_b: Tensor
    s_u2: Tensor
    s_e2: Tensor
    within: Tensor
    between: Tensor
    in_pool: Tensor

    @classmethod
    def stack(cls, models: Sequence[DifficultyModel]) -> Models:
        """Stack; every model must have some variance."""
        s_u2 = np.array([[model.s_u2] for model in models])
        s_e2 = np.array([[model.s_e2] for model in models])
        return cls(
            d=_stacked([model.d for model in models]),
            beta=_stacked([model.beta for model in models]),
            v_b=_stacked([model.v_b for model in models]),
            s_u2=torch.from_numpy(s_u2),
            s_e2=torch.from_numpy(np.maximum(s_e2, 1e-6 * (s_u2 + s_e2))),
            within=torch.tensor([[model.within_variance] for model in models], dtype=torch.float64),
            between=torch.tensor([[model.between_variance] for model in models], dtype=torch.float64),
            in_pool=_stacked([model.in_pool.astype(float) for model in models]),
        )


def _stacked(arrays: Sequence[np.ndarray]) -> Tensor:
    return torch.from_numpy(np.stack(arrays))


def blup_points(draws: Draws, y: Tensor, models: Models) -> Points:
    """Predict every unmeasured item and average it with the measured ones.

    ``k_r' a`` is taken as ``(V^-1 k_r)' (y - D beta - mu)``, so that the values enter by products with vectors that
    are the same for all targets.

    Args:
        draws: What was measured.
        y: float64 Tensor[item, target]; what stands where nothing was measured does not count.
        models: Of the draws' probes.
    """
    system = _system(draws, models)
    mask, total, n = draws.mask, draws.weights.sum(dim=1, keepdim=True), draws.n
    centre = y.mean(dim=0)
    moved = y - centre
    expected = (models.d @ models.beta[:, :, None])[:, :, 0] * mask

    def against(vector: Tensor) -> Tensor:
        """``vector' (y - D beta)`` over measured items, Tensor[draw, target]."""
        return vector @ moved - (vector * expected).sum(dim=1, keepdim=True)

    weight = system.ones.sum(dim=1, keepdim=True)
    mu = against(system.ones) / weight
    correction = against(system.solved) - mu * system.solved.sum(dim=1, keepdim=True)
    known = (draws.weights * mask) @ moved
    value = (known + system.rest * mu + (system.c_d * models.beta).sum(dim=1, keepdim=True) + correction) / total
    mean, spread2 = moments(mask, y)
    residual_mean = against(mask) / n
    squares = mask @ moved**2 - 2 * expected @ moved + (expected**2).sum(dim=1, keepdim=True) - n * residual_mean**2
    scale = squares.clamp(min=0) / (n - 1).clamp(min=1) / (models.s_u2 + models.s_e2)
    residuals = mask * (moved[:, 0] - expected - residual_mean) if y.shape[1] == 1 else None
    return Points(
        value=value + centre,
        variance=system.variance * scale + _pool_variance(draws, models),
        df=(n - 1).clamp(min=1),
        mean=mean,
        spread2=spread2,
        draws=draws,
        residuals=residuals,
    )


@dataclass(frozen=True)
class _System:
    """Pieces of the estimate: V^-1 1 and V^-1 K_r [draw, item], sums over the rest, posterior variance [draw, 1]."""

    ones: Tensor
    solved: Tensor
    rest: Tensor
    c_d: Tensor
    variance: Tensor


def _system(draws: Draws, models: Models) -> _System:
    mask, c = draws.mask, draws.rest
    c2 = draws.squares * (1 - mask)
    low_rank, inner = _low_rank(draws, models)

    def solve(b: Tensor) -> Tensor:
        """V^-1 b over measured items (Woodbury), Tensor[draw, item]."""
        short = inner @ (low_rank.transpose(1, 2) @ b[:, :, None])
        return (b - (low_rank @ short)[:, :, 0]) / models.s_e2

    ones = solve(mask)
    c_d = (c[:, None, :] @ models.d)[:, 0]
    c_h = c @ draws.strata
    k_r = mask * ((models.d @ (models.v_b * c_d)[:, :, None])[:, :, 0] + models.s_u2 * (c_h @ draws.strata.T))
    solved = solve(k_r)
    prior = (c_d**2 * models.v_b).sum(dim=1, keepdim=True) + models.s_u2 * (c_h**2).sum(dim=1, keepdim=True)
    prior = prior + models.s_e2 * c2.sum(dim=1, keepdim=True)
    slopes = (models.d @ models.beta[:, :, None])[:, :, 0] ** 2 + (models.d**2 @ models.v_b[:, :, None])[:, :, 0]
    prior = prior + ((c2 - c**2) * (slopes + models.s_u2)).sum(dim=1, keepdim=True)
    rest = c.sum(dim=1, keepdim=True)
    spare = rest - (ones * k_r).sum(dim=1, keepdim=True)
    variance = prior - (k_r * solved).sum(dim=1, keepdim=True) + spare**2 / ones.sum(dim=1, keepdim=True)
    total = draws.weights.sum(dim=1, keepdim=True)
    return _System(ones, solved, rest, c_d, (variance / total**2).clamp(min=0))


def _low_rank(draws: Draws, models: Models) -> tuple[Tensor, Tensor]:
    """``L = [D sqrt(v_b), Z sqrt(s_u2)]`` over measured items, Tensor[draw, item, rank], and its inner inverse."""
    count, items = draws.mask.shape
    d = (models.d * models.v_b.sqrt()[:, None, :]).expand(count, items, 2)
    z = (draws.strata[None] * models.s_u2.sqrt()[:, :, None]).expand(count, items, draws.strata.shape[1])
    low_rank = torch.cat([d, z], dim=2) * draws.mask[:, :, None]
    unit = torch.eye(low_rank.shape[2], dtype=torch.float64)
    return low_rank, torch.linalg.inv(models.s_e2[:, :, None] * unit + low_rank.transpose(1, 2) @ low_rank)


def _pool_variance(draws: Draws, models: Models) -> Tensor:
    """Variance that partial pools add, Tensor[draw, 1] (``blup.pool_variance``)."""
    outside = (1 - models.in_pool) * (1 - draws.mask)
    c, c2 = draws.weights * outside, draws.squares * outside
    slope2 = models.beta**2 + models.v_b
    n_h = models.in_pool @ draws.strata
    own = slope2[:, :1] * models.within * c2.sum(dim=1, keepdim=True)
    shared = torch.where(n_h > 0, slope2[:, :1] * models.within / n_h.clamp(min=1), slope2[:, 1:] * models.between)
    shared_sum = ((c @ draws.strata) ** 2 * shared).sum(dim=1, keepdim=True)
    return (own + shared_sum) / draws.weights.sum(dim=1, keepdim=True) ** 2
