"""Values in a tool's units -> [0, 1], by bounds that the reader or the user states."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.readers.contract import Reader, Scale
from bestrand_drive.scores.metrics import inside_bounds


@dataclass(frozen=True)
class Stated:
    """What the user says of metrics.

    Attributes:
        bounds: Least and greatest value by metric, in the tool's units; None for an open end.
        lower_is_better: Metrics of which less is better.
    """

    bounds: Mapping[str, tuple[float | None, float | None]]
    lower_is_better: Sequence[str] = ()

    def check(self, metrics: Sequence[str]) -> None:
        """Refuse words about metrics that are not imported, and bounds that are none.

        Raises:
            UsageError: Naming them.
        """
        for name, ends in self.bounds.items():
            known = [end for end in ends if end is not None]
            if not all(math.isfinite(end) for end in known) or (len(known) > 1 and not known[0] < known[1]):
                raise UsageError(f"--bounds {name}: {ends} is no range of finite numbers; None leaves an end open.")
        odd = [name for name in (*self.bounds, *self.lower_is_better) if name not in metrics]
        if odd:
            raise UsageError(f"--bounds, --lower-is-better: {odd[0]} is not imported here ({', '.join(metrics)}).")


def scale_for(name: str, reader: Reader, stated: Stated, values: np.ndarray, *, aside: bool) -> tuple[Scale, str]:
    """The scale of a metric and a sentence when it was only seen in the values.

    Args:
        name: Of the metric.
        reader: May state a scale.
        stated: By the user; goes before.
        values: That are there, without NaN.
        aside: Whether it is a figure beside the scores, which may be unbounded.

    Raises:
        DataRefused: Nobody states bounds and the values leave [0, 1].
    """
    scale = reader.scale(name) or Scale()
    if name in stated.lower_is_better:
        scale = replace(scale, higher_is_better=False)
    if name in stated.bounds:
        return replace(scale, low=stated.bounds[name][0], high=stated.bounds[name][1]), ""
    if scale.low is not None and scale.high is not None:
        return scale, ""
    if aside:
        return scale, f"{name}: no bounds are stated, it keeps the tool's units"
    if values.size and (values.min() < 0 or values.max() > 1):
        raise DataRefused(
            f"Metric {name} goes from {values.min():g} to {values.max():g} and nobody states its bounds; say "
            f"--bounds {name}=LOW:HIGH, or {name}=0: without an upper one."
        )
    return replace(scale, low=0.0, high=1.0), f"{name}: all values lie in [0, 1], which is taken for its bounds"


def mapped(values: np.ndarray, scale: Scale, name: str) -> np.ndarray:
    """Values on [0, 1], direction kept; unchanged where an end is open.

    Raises:
        DataRefused: A value lies outside the bounds.
    """
    known = values[~np.isnan(values)]
    outside = known[~inside_bounds(known, scale.low, scale.high)]
    if outside.size:
        ends = [None if end is None else f"{end:g}" for end in (scale.low, scale.high)]
        raise DataRefused(
            f"Metric {name}: {outside.size} values lie outside its bounds {ends[0] or ''}:{ends[1] or ''}, first "
            f"{outside[0]:g}; state others with --bounds {name}=LOW:HIGH."
        )
    if scale.low is None or scale.high is None:
        return values
    return np.asarray(np.clip((values - scale.low) / (scale.high - scale.low), 0.0, 1.0))
