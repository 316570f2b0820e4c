"""The words that stand in every camera image: NOT RENDERED, in a font of five by seven dots."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_GLYPHS = {
    "N": ("#...#", "##..#", "#.#.#", "#..##", "#...#", "#...#", "#...#"),
    "O": (".###.", "#...#", "#...#", "#...#", "#...#", "#...#", ".###."),
    "T": ("#####", "..#..", "..#..", "..#..", "..#..", "..#..", "..#.."),
    "R": ("####.", "#...#", "#...#", "####.", "#.#..", "#..#.", "#...#"),
    "E": ("#####", "#....", "#....", "####.", "#....", "#....", "#####"),
    "D": ("####.", "#...#", "#...#", "#...#", "#...#", "#...#", "####."),
    " ": (".....",) * 7,
}
_WORDS = "NOT RENDERED"


def banner(width: int, height: int) -> list[tuple[NDArray[np.bool_], int]]:
    """Where the words are lit, from the top: rows and how often each is repeated.

    Args:
        width: Of the image, pixels.
        height: Of the image, pixels.

    Returns:
        Rows [width] with their counts, which sum up to ``height``; the words as large as fits, centred; cut off where
        even the smallest font is too large.
    """
    dots = _dots()
    scale = max(1, min(width * 3 // 4 // dots.shape[1], height // 2 // dots.shape[0]))
    dots = dots[:height]
    letters = np.repeat(dots, scale, axis=1)[:, :width]
    top, left = (height - scale * len(dots)) // 2, (width - letters.shape[1]) // 2
    rows = np.zeros((len(dots), width), dtype=np.bool_)
    rows[:, left : left + letters.shape[1]] = letters
    blank = np.zeros(width, dtype=np.bool_)
    bottom = height - top - scale * len(dots)
    return [(blank, top), *((row, scale) for row in rows), (blank, bottom)]


def _dots() -> NDArray[np.bool_]:
    """The words in dots [7, 6 x letters - 1]."""
    rows = [".".join(_GLYPHS[letter][row] for letter in _WORDS) for row in range(7)]
    return np.array([[dot == "#" for dot in row] for row in rows])
