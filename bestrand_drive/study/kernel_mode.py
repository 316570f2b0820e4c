"""Where draws are densest: the mode of a kernel estimate, and that of a known law seen through the same kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from bestrand_drive.compression.theory import MaeLaw

Array = np.ndarray
CELLS = 1024
RESAMPLES = 60


@dataclass(frozen=True)
class KernelMode:
    """The mode of a normal kernel's estimate.

    Attributes:
        value: In the units of the draws.
        se: Standard error by the bootstrap over the histogram's counts.
        bandwidth: Standard deviation of the kernel.
    """

    value: float
    se: float
    bandwidth: float


def kernel_mode(draws: Array, seed: int = 0) -> KernelMode:
    """The mode of draws, with Silverman's bandwidth .9 min(sd, IQR / 1.34) n^(-1/5).

    Args:
        draws: float64 [draw], two or more that differ.
        seed: Of the bootstrap.
    """
    low, high = np.quantile(draws, (0.25, 0.75))
    spread = min(float(draws.std(ddof=1)), float(high - low) / 1.34 or np.inf)
    bandwidth = 0.9 * spread * len(draws) ** -0.2
    edges = np.linspace(max(0.0, draws.min() - 3 * bandwidth), draws.max() + 3 * bandwidth, CELLS + 1)
    counts = np.histogram(draws, edges)[0].astype(np.float64)
    resampled = np.random.default_rng(seed).multinomial(len(draws), counts / counts.sum(), RESAMPLES)
    modes = _peaks(np.vstack([counts, resampled]), edges, bandwidth)
    return KernelMode(float(modes[0]), float(modes[1:].std(ddof=1)), bandwidth)


def law_mode(law: MaeLaw, scale: float, bandwidth: float) -> float:
    """The mode of the exact law seen through a kernel: what ``kernel_mode`` finds in very many draws of it.

    Args:
        law: Of the MAE in standard deviations of one model's error.
        scale: That standard deviation.
        bandwidth: Of the kernel, in the units of the scale.
    """
    edges = np.linspace(0.0, 2.5, 4 * CELLS + 1)
    masses = np.diff([law.cdf(edge) for edge in edges])
    return float(scale * _peaks(masses[None], edges, bandwidth / scale)[0])


def _peaks(masses: Array, edges: Array, bandwidth: float) -> Array:
    """Middle of the cell where each row, smoothed, is greatest: float64 [row].

    The MAE is never below 0, so what the kernel pushes over 0 comes back.
    """
    step = edges[1] - edges[0]
    folded = edges[0] == 0
    smooth = ndimage.gaussian_filter1d(
        masses.astype(np.float64), float(bandwidth / step), axis=1, mode="reflect" if folded else "constant"
    )
    return np.asarray(edges[smooth.argmax(axis=1)] + step / 2)
