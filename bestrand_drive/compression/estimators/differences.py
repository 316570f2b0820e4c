"""The point estimate of a difference estimator: a value, and residuals whose spread says how sure it is."""

from __future__ import annotations

from bestrand_drive.compression.estimators.sample import Array, PointEstimate, Sample, sample_variance


def difference_point(
    sample: Sample, value: float, residuals: Array, used: float, method: str, pool: float | None = None
) -> PointEstimate:
    """Put the two-phase variance beside a value.

    ``V = (1/n - 1/P) s_e2 + (1/P - 1/N) s_y2`` with n and N effective numbers, s_e2 the residuals' sum of squares over
    n less the fitted parameters, s_y2 the sample variance (Cochran, Sampling Techniques, 12.2; equal inclusion).

    Args:
        sample: The target.
        value: Of the estimate, metric units.
        residuals: float64 [counted item], centred.
        used: Fitted parameters, the mean among them.
        method: Name of the estimator.
        pool: Items on which the probes have scores, P; None for all.
    """
    counted = sample.counted
    weights = sample.weights[counted]
    values = sample.values[counted]
    population = sample.population
    n = float(weights.sum() ** 2 / (weights**2).sum())
    phase = min(population if pool is None else pool, population)
    left = max(len(counted) - used, 1.0)
    spread2 = sample_variance(values)
    inside = max(0.0, 1 / n - 1 / phase) * float(residuals @ residuals) / left
    return PointEstimate(
        value=value,
        variance=inside + max(0.0, 1 / phase - 1 / population) * spread2,
        df=left,
        n=len(counted),
        spread2=spread2,
        residuals=residuals,
        values=values,
        population=population,
        complete=sample.complete,
        method=method,
    )
