"""How much a subset's mean moves, and which share of that the probes explain, when all models are alike.

"Alike" is the exchangeable model of the published theory: every model has the same variance sigma^2 over items and
every two the same correlation rho. ``moments`` tells how far real scores are from it.
"""

from __future__ import annotations

import math

from bestrand_drive.errors import UsageError


def sampling_variance(k: float, items: float) -> float:
    """c(k)^2 = (N - k) / (k (N - 1)): variance of the mean of k random items out of N over sigma^2 (divisor N).

    Exact for any scores. The same as (1/k - 1/N) with the variance of divisor N - 1. Where items have no score, k and N
    are mean numbers of those that have, and need not be whole.

    Raises:
        UsageError: k is not within 1 .. N.
    """
    if not 1 <= k <= items:
        raise UsageError(f"k = {k}: give a size within 1 and the {items} items there are.")
    return (items - k) / (k * (items - 1)) if items > 1 else 0.0


def sampling_factor(k: float, items: float) -> float:
    """c(k), the root of ``sampling_variance``: c(k) sigma is the standard deviation of a random subset's mean."""
    return math.sqrt(sampling_variance(k, items))


def common_sd(scale: float, rho: float, models: float) -> float:
    """s: standard deviation of the error averaged over models, with its sign.

    Exact for any scores that have these moments: s^2 = scale^2 (rho + (1 - rho) / M). The published s is the limit of
    many models, scale sqrt(rho): ``models=math.inf``.

    Args:
        scale: Standard deviation of one model's error, such as c(k) sigma, metric units.
        rho: Correlation between models.
        models: M; ``math.inf`` for the limit.

    Raises:
        UsageError: There is no model.
    """
    check_models(models)
    return scale * math.sqrt(max(rho + (1 - rho) / models, 0.0))


def r1_squared(rho: float, probes: int) -> float:
    """R_1^2 = p rho^2 / (1 + (p - 1) rho): share of one new model's variance that p probes explain.

    Exact for the best linear prediction under the exchangeable model. A rho below 0 counts as 0: probes are then no
    guide.
    """
    _check(rho, probes)
    rho = max(rho, 0.0)
    if probes == 0:
        return 0.0
    return probes * rho**2 / (1 + (probes - 1) * rho)


def rc_squared(rho: float, probes: int, models: float) -> float:
    """R_c^2: share of the variance of the mean over M new models that p probes explain.

    Exact under the exchangeable model: p rho^2 / (1 + (p - 1) rho) / (rho + (1 - rho) / M). The published form
    p rho / (1 + (p - 1) rho) (Spearman and Brown's reliability) is the limit of many models, ``models=math.inf``, and
    is too large for few. One model gives ``r1_squared``.

    Args:
        rho: Correlation between models; below 0 counts as 0.
        probes: p.
        models: M, how many models are estimated; ``math.inf`` for the limit.
    """
    check_models(models)
    explained = r1_squared(rho, probes)
    rho = max(rho, 0.0)
    total = rho + (1 - rho) / models
    return explained / total if total > 0 else 0.0


def slope(rho: float, probes: int) -> float:
    """b_0 = rho p / (1 + (p - 1) rho): expected slope of a new model's scores on the mean of p probes.

    Needs no score of the new model. With measured moments the same is cbar / (vbar / p + (1 - 1/p) cbar).
    """
    _check(rho, probes)
    rho = max(rho, 0.0)
    if probes == 0:
        return 0.0
    return probes * rho / (1 + (probes - 1) * rho)


def check_models(models: float) -> None:
    """Refuse a mean over no model.

    Raises:
        UsageError: M is below 1.
    """
    if not models >= 1:
        raise UsageError(f"{models} models: give 1 or more.")


def _check(rho: float, probes: int) -> None:
    if not -1 <= rho <= 1:
        raise UsageError(f"rho = {rho}: a correlation lies within -1 and 1.")
    if probes < 0:
        raise UsageError(f"{probes} probes: give 0 or more.")
