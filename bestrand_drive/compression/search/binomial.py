"""Binomial numbers by table: one gather a number, exact to the resolution of a double."""

from __future__ import annotations

import numpy as np

Array = np.ndarray
BITS = 16
REACH = 10.0
"""Standard deviations about the mean that tables hold; what lies beyond has a mass below 1e-22."""


def binomial_masses(n: int, q: float) -> tuple[int, Array]:
    """Probabilities of Binomial(n, q) by summed logarithms of the ratios of neighbours (no factorials).

    Args:
        n: At least 1.
        q: Above 0 and below 1.

    Returns:
        The least number in the table, and float64 [number] probabilities that sum to 1.
    """
    reach = REACH * np.sqrt(n * q * (1 - q)) + 20
    low, high = max(0, int(n * q - reach)), min(n, int(n * q + reach) + 1)
    numbers = np.arange(low, high)
    steps = np.log((n - numbers) / (numbers + 1) * (q / (1 - q)))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    masses = np.exp(logs - logs.max())
    return low, masses / masses.sum()


class BinomialTable:
    """Draws of one binomial law.

    A uniform number's first 16 bits pick a cell of its range; nearly all cells lie inside one step of the distribution
    function and say the number at once. The others take further bits and are looked up by bisection.

    Args:
        n: Trials, at least 1.
        q: Above 0 and below 1.
    """

    def __init__(self, n: int, q: float) -> None:
        self._low, masses = binomial_masses(n, q)
        self._steps = np.cumsum(masses)
        self._steps[-1] = 1.0
        cells = self._steps * 2**BITS
        first = np.concatenate([[0], np.ceil(cells[:-1])]).astype(np.int64)
        whole = np.floor(cells).astype(np.int64) - first
        self._cells = np.full(2**BITS, -1, dtype=np.int32)
        positions = np.repeat(first, np.maximum(whole, 0))
        within = np.arange(len(positions)) - np.repeat(_before(whole), np.maximum(whole, 0))
        self._cells[positions + within] = np.repeat(np.arange(len(masses)), np.maximum(whole, 0)) + self._low

    def draw(self, count: int, rng: np.random.Generator) -> Array:
        """int32 [count]."""
        bits = rng.bit_generator.random_raw(count // 4 + 1).view(np.uint16)[:count]
        numbers = self._cells[bits]
        open_ = np.flatnonzero(numbers < 0)
        if len(open_):
            uniform = (bits[open_] + rng.random(len(open_))) / 2**BITS
            numbers[open_] = np.searchsorted(self._steps, uniform, side="right") + self._low
        return np.asarray(numbers)


def _before(whole: Array) -> Array:
    """Cells that earlier numbers fill."""
    filled = np.maximum(whole, 0)
    return np.asarray(np.cumsum(filled) - filled)
