"""The published closed forms. Each says what it leaves out and which exact form stands for it elsewhere.

In all of them ``scale`` is the standard deviation of one model's error, such as c(k) sigma, in metric units.
"""

from __future__ import annotations

import math

from scipy import optimize, special

from bestrand_drive.compression.theory.quantile import HALF_NORMAL_MEAN
from bestrand_drive.compression.theory.shares import check_models

U_STAR = -float(optimize.brentq(lambda x: special.pbdv(0.5, x)[0], -2.0, 0.0, xtol=1e-14))
"""u* = argmax_u exp(-u^2/4) D_{-1/2}(-u) = .764951: its derivative is exp(-u^2/4) D_{1/2}(-u)."""
C0 = U_STAR * math.sqrt(math.pi / 2 - 1)
"""C_0 = .57793, the constant of the published mode."""


def mean_mae(scale: float) -> float:
    """E[MAE] = sqrt(2 / pi) scale.

    Exact for normal errors of equal variance, whatever rho and M; no limit is taken. With unequal variances the scale
    is c(k) times the mean standard deviation (``Moments.mean_sd``), which is less than c(k) sigma.
    """
    return HALF_NORMAL_MEAN * scale


def y0(scale: float, rho: float) -> float:
    """y_0 = sqrt(2 / pi) scale sqrt(1 - rho): the least MAE of infinitely many models.

    Published as the lower end of the law. It is no lower end for finite M: draws fall under it, and with few models and
    a small rho even the mode does. ``quantile.mae_law`` has the law of M models.
    """
    return mean_mae(scale) * math.sqrt(max(1 - rho, 0.0))


def mode(scale: float, rho: float, models: int) -> float:
    """Published mode of the MAE, y_0 (1 + C_0 / sqrt(M)).

    Asymptotic: needs sqrt(M) far above (1 - rho) / rho, since near its least value the error is taken for
    y_0 + a Z_0^2 plus a normal error of order 1 / sqrt(M) that must be far below a. Too large for few models or a small
    rho. The exact one is ``quantile.mae_law(rho, M).mode`` times the scale.

    Raises:
        UsageError: There is no model.
    """
    check_models(models)
    return y0(scale, rho) * (1 + C0 / math.sqrt(models))


def tail_bound(error: float, common_sd: float) -> float:
    """Published lower bound 2 Phi(-t / s) of the probability that the MAE is t or more.

    A bound because the MAE is never less than the absolute error of the mean over models, which is normal with the
    standard deviation s. It is far too small for a small rho, so turned round (t = 1.96 s) it promises too small an
    error; the exact probability is 1 - ``quantile.mae_law(rho, M).cdf(t / scale)``.

    Args:
        error: t, metric units.
        common_sd: s, ``shares.common_sd`` of the M models, metric units. The published limit of many models gives a
            smaller s, so a lower bound too.
    """
    if common_sd <= 0:
        return 1.0 if error <= 0 else 0.0
    return min(1.0, float(2 * special.ndtr(-error / common_sd)))


def tail_quantile(level: float, common_sd: float) -> float:
    """The tail bound turned round: an error that is passed with a probability of 1 - level at least.

    So it is no more than the quantile; ``quantile.mae_quantile`` is the quantile.
    """
    return float(special.ndtri((1 + level) / 2)) * common_sd
