"""The theory of a subset's error, to be called: moments, explained shares, two-phase variance, law of the MAE.

Errors are in metric units where a scale (standard deviation of one model's error, such as c(k) sigma) is given, else
in such standard deviations. Exact forms for finite M are the default; the published limits are in ``asymptotic``, each
with what it leaves out. docs/theory.md is the page to it.
"""

from bestrand_drive.compression.theory.asymptotic import C0, U_STAR, mean_mae, mode, tail_bound, tail_quantile, y0
from bestrand_drive.compression.theory.moments import (
    Moments,
    correlation_matrix,
    covariance_matrix,
    moments,
    moments_of,
)
from bestrand_drive.compression.theory.quantile import (
    HALF_NORMAL_MEAN,
    MaeLaw,
    mae_draws,
    mae_law,
    mae_quantile,
    mae_sd,
)
from bestrand_drive.compression.theory.shares import (
    common_sd,
    r1_squared,
    rc_squared,
    sampling_factor,
    sampling_variance,
    slope,
)
from bestrand_drive.compression.theory.two_phase import (
    TwoPhase,
    leftover,
    measured_leftover,
    phase_factors,
    two_phase,
)
from bestrand_drive.compression.theory.unlike import mae_correlation

__all__ = [
    "C0",
    "HALF_NORMAL_MEAN",
    "U_STAR",
    "MaeLaw",
    "Moments",
    "TwoPhase",
    "common_sd",
    "correlation_matrix",
    "covariance_matrix",
    "leftover",
    "mae_correlation",
    "mae_draws",
    "mae_law",
    "mae_quantile",
    "mae_sd",
    "mean_mae",
    "measured_leftover",
    "mode",
    "moments",
    "moments_of",
    "phase_factors",
    "r1_squared",
    "rc_squared",
    "sampling_factor",
    "sampling_variance",
    "slope",
    "tail_bound",
    "tail_quantile",
    "two_phase",
    "y0",
]
