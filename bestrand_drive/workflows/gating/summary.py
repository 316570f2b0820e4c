"""A gate's evidence as a table and sentences, which text and Markdown share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bestrand_drive.compression.intervals import Interval
from bestrand_drive.workflows.comparing.figures import NOTHING, decimals, signed, span

HEADS = ("metric", "against", "status", "difference", "interval", "tolerated drop", "detectable drop", "unit")
_SHOWN = 12
"""Routes that are named in one sentence."""

Evidence = Mapping[str, Any]


def rows(found: Evidence) -> list[tuple[str, ...]]:
    """Of the table: one a metric and reference."""
    return [_row(one, line) for one in found["references"] for line in one["metrics"]]


def sentences(found: Evidence) -> Iterator[str]:
    """What the table does not say."""
    for reference in found["references"]:
        for line in reference["metrics"]:
            yield line["said"]
            if line["would_decide"]:
                yield f"{line['name']} against {reference['policy']}: {line['would_decide']}"
        yield from _paired(reference)
    gone = [f"{route['id']} ({route['no_result']})" for route in found["routes"] if route["no_result"] is not None]
    if gone:
        yield f"no result of {found['candidate']}: {_some(gone)}"


def _row(reference: Evidence, line: Evidence) -> tuple[str, ...]:
    policy, role = reference["policy"], reference["role"]
    ends, digits = line["interval"], decimals(line["reference"], line["candidate"])
    return (
        line["name"],
        role if policy == role else f"{policy} ({role})",
        line["status"],
        signed(line["difference"], digits),
        span(None if ends is None else Interval(**ends), digits),
        _figure(line["max_drop"], "g"),
        _figure(line["detectable_drop"], f".{digits}f"),
        line["unit"],
    )


def _figure(value: float | None, form: str) -> str:
    return NOTHING if value is None else format(value, form)


def _paired(reference: Evidence) -> Iterator[str]:
    total = f"{reference['suite_items']} suite items of {reference['all_items']}"
    yield f"paired with {reference['policy']} on {reference['paired']} of {total}"
    flips = reference["flips"]
    if flips:
        noise = sum(flip["within_noise"] for flip in flips)
        yield f"flipped against {reference['policy']}: {len(flips)}, {noise} within noise: {_some(_named(flips))}"


def _named(flips: Sequence[Evidence]) -> list[str]:
    """The flipped items, + where the value rose."""
    return [f"{flip['item']} {flip['metric']}{'+' if flip['candidate'] > flip['reference'] else '-'}" for flip in flips]


def _some(named: Sequence[str]) -> str:
    more = f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
    return "; ".join(named[:_SHOWN]) + more
