"""Samples of lm-evaluation-harness without ``filter``: one block of rows a filter, told apart by their means."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from bestrand_drive.errors import DataRefused
from bestrand_drive.readers.folders import number_of

NONE = "none"
"""What the harness calls the filter that does nothing."""
TOLERANCE = 1e-6
MOST_FILTERS = 6


@dataclass(frozen=True)
class Old:
    """One row: item, content hash, values by metric."""

    item: str
    content: str
    values: Mapping[str, float]


def labelled(rows: Sequence[Old], results: Mapping[str, Any], place: str) -> Iterator[tuple[str, Old]]:
    """Filter of each row.

    The harness wrote all documents once for each filter. The n-th row of a document belongs to the n-th block; a file
    that was appended to holds every block as often as it was written.

    Args:
        rows: Of one file, in its order.
        results: The task's part of ``results_<date>.json``: ``metric,filter`` -> mean.
        place: The file, for messages.

    Raises:
        DataRefused: There are several blocks and their means do not tell them apart.
    """
    if not rows:
        return
    seen: Counter[str] = Counter()
    blocks: list[list[Old]] = []
    for row in rows:
        if seen[row.item] == len(blocks):
            blocks.append([])
        blocks[seen[row.item]].append(row)
        seen[row.item] += 1
    for label, block in zip(_labels(blocks, _means(results), place), blocks, strict=True):
        for row in block:
            yield label, row


def _means(results: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Filter -> metric -> mean, filters in the file's order."""
    found: dict[str, dict[str, float]] = {}
    for key, value in results.items():
        metric, comma, rule = key.partition(",")
        number = number_of(value)
        if comma and not metric.endswith("_stderr") and number is not None:
            found.setdefault(rule, {})[metric] = number
    return found


def _labels(blocks: Sequence[Sequence[Old]], means: Mapping[str, Mapping[str, float]], place: str) -> list[str]:
    """One filter a block."""
    if len(means) <= 1:
        if len(blocks) > 1 and not means:
            raise DataRefused(_unlabelled(blocks, place, "and no results_<date>.json beside it tells its filters"))
        return [next(iter(means), NONE)] * len(blocks)
    names = list(means)
    times, rest = divmod(len(blocks), len(names))
    if rest or len(names) > MOST_FILTERS:
        raise DataRefused(_unlabelled(blocks, place, f"but its results name {len(names)} filters ({', '.join(names)})"))
    fits = [
        order
        for order in permutations(names)
        if all(_fits(block, means[order[n % len(names)]]) for n, block in enumerate(blocks))
    ]
    if tuple(names) in fits:  # equal means: the order in which the harness wrote them decides
        return names * times
    if len(fits) == 1:
        return list(fits[0]) * times
    raise DataRefused(_unlabelled(blocks, place, "and their means do not tell which filter each is of"))


def _fits(block: Sequence[Old], means: Mapping[str, float]) -> bool:
    """Whether all means agree, of metrics that the rows hold."""
    for metric, mean in means.items():
        values = [row.values[metric] for row in block if metric in row.values]
        if values and not math.isclose(sum(values) / len(values), mean, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            return False
    return True


def _unlabelled(blocks: Sequence[Sequence[Old]], place: str, why: str) -> str:
    return (
        f"{place}: {len(blocks)} rows for one document, without a name of their filter, {why}. Log them again with a "
        "newer lm_eval, or import them as a plain table."
    )
