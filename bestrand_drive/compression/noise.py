"""Run-to-run noise: how much the same policy scores differently on the same item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Noise:
    """Standard deviation of one run's score on one item around the policy's own mean there.

    Attributes:
        sd: Metric units.
        source: Where it was measured, in words; starts with ``borrowed`` when not on the policy itself.
    """

    sd: float
    source: str


def pooled_noise(variance: np.ndarray, repeats: np.ndarray) -> float | None:
    """Root of the within-item variance pooled over items by degrees of freedom.

    Args:
        variance: [item], sample variance over repeats.
        repeats: [item], number of repeats.

    Returns:
        Metric units, or None when no item was run twice.
    """
    freedom = np.maximum(repeats - 1, 0).astype(float)
    if freedom.sum() == 0:
        return None
    return float(np.sqrt((freedom * variance).sum() / freedom.sum()))
