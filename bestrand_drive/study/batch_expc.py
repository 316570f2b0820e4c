"""exPC of many draws and many targets at once (``compression.estimators.expc``)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from bestrand_drive.compression.estimators.expc import KAPPA, ProbeRegression
from bestrand_drive.study.points import Draws, Points, moments


def expc_points(draws: Draws, y: Tensor, probes: Sequence[ProbeRegression]) -> Points:
    """Difference estimator with ridge slopes around the exchangeable slope.

    Args:
        draws: What was measured; all measured items lie in the pools, all weights are equal.
        y: float64 Tensor[item, target]; what stands where nothing was measured does not count.
        probes: One regression a draw, each of as many probes.
    """
    x = torch.from_numpy(np.nan_to_num(np.stack([one.scores for one in probes])))
    n, p = draws.n, x.shape[2]
    mean, spread2 = moments(draws.mask, y)
    centre = (draws.mask[:, None, :] @ x)[:, 0] / n
    seen = (x - centre[:, None, :]) * draws.mask[:, :, None]
    gram = seen.transpose(1, 2) @ seen
    cross = (seen.transpose(1, 2).reshape(-1, x.shape[1]) @ (y - y.mean(dim=0))).reshape(len(x), p, -1)
    slope = torch.tensor([one.slope / max(p, 1) for one in probes], dtype=torch.float64)
    start = slope[:, None].expand(-1, p)
    beta, df = _slopes(gram, cross, start, n)
    squares = spread2 * (n - 1) - 2 * (beta * cross).sum(dim=1) + (beta * (gram @ beta)).sum(dim=1)
    left = (n - df).clamp(min=1)
    population = draws.population
    pool = torch.minimum(torch.tensor([[float(one.pool)] for one in probes], dtype=torch.float64), population)
    own = (1 / n - 1 / pool).clamp(min=0) * squares.clamp(min=0) / left
    residuals = draws.mask * (y[:, 0] - mean - (seen @ beta)[:, :, 0]) if y.shape[1] == 1 else None
    return Points(
        value=mean - (beta * centre[:, :, None]).sum(dim=1),
        variance=own + (1 / pool - 1 / population).clamp(min=0) * spread2,
        df=left,
        mean=mean,
        spread2=spread2,
        draws=draws,
        residuals=residuals,
    )


def _slopes(gram: Tensor, cross: Tensor, start: Tensor, n: Tensor) -> tuple[Tensor, Tensor]:
    """Slopes Tensor[draw, probe, target] and the degrees of freedom they take with the mean, Tensor[draw, 1]."""
    p = gram.shape[1]
    size = torch.diagonal(gram, dim1=1, dim2=2).sum(dim=1) / max(p, 1)
    fitted = (n[:, 0] >= 2 * p + 5) & (size > 0)
    unit = torch.where(fitted, KAPPA * size / n[:, 0], 1.0)
    penalised = gram + unit[:, None, None] * torch.eye(p, dtype=torch.float64)
    step = torch.linalg.solve(penalised, cross - (gram @ start[:, :, None]))
    freedom = torch.diagonal(torch.linalg.solve(penalised, gram), dim1=1, dim2=2).sum(dim=1) + 1
    beta = start[:, :, None] + torch.where(fitted[:, None, None], step, 0.0)
    return beta, torch.where(fitted, freedom, 1.0)[:, None]
