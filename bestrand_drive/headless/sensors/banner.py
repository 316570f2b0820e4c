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


def banner(width: int, height: int) -> NDArray[np.bool_]:
    """Where the words are lit.

    Args:
        width: Of the image, pixels.
        height: Of the image, pixels.

    Returns:
        [height, width]; the words as large as fits, centred; cut off where even the smallest font is too large.
    """
    dots = _dots()
    scale = max(1, min(width * 3 // 4 // dots.shape[1], height // 2 // dots.shape[0]))
    letters = np.kron(dots, np.ones((scale, scale), dtype=np.bool_))[:height, :width]
    top, left = (height - letters.shape[0]) // 2, (width - letters.shape[1]) // 2
    image = np.zeros((height, width), dtype=np.bool_)
    image[top : top + letters.shape[0], left : left + letters.shape[1]] = letters
    return image


def _dots() -> NDArray[np.bool_]:
    """The words in dots [7, 6 x letters - 1]."""
    rows = [".".join(_GLYPHS[letter][row] for letter in _WORDS) for row in range(7)]
    return np.array([[dot == "#" for dot in row] for row in rows])
