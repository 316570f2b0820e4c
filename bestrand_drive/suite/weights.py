"""Weights of the metrics that a suite was chosen by, one text of its settings: ``NAME=WEIGHT``, blanks between."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping


def written(weights: Mapping[str, float]) -> str | None:
    """The text; None where nothing was weighted."""
    return " ".join(f"{name}={weight:g}" for name, weight in weights.items()) or None


def weights_of(text: str, names: Iterable[str]) -> dict[str, float]:
    """Weight of each metric of a text.

    Args:
        text: As written; empty where nothing was weighted.
        names: Of the metrics that there are: they tell what a name is, which may hold blanks and equal signs.

    Raises:
        ValueError: It is no such text.
    """
    known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    parts = list(re.finditer(rf"({known})=(\S+)(?: |$)", text)) if text else []
    if "".join(match[0] for match in parts) != text:
        raise ValueError(f"{text!r} are no weights of metrics")
    return {match[1]: float(match[2]) for match in parts}
