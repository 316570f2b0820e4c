"""Drawings as SVG text of our own making: the same data give the same bytes, and the page's style colours them."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

from bestrand_drive.reports.data import Curve, Line
from bestrand_drive.reports.numbers import number
from bestrand_drive.reports.scales import Scale, round_scale
from bestrand_drive.reports.text import one_line

_WIDTH, _HEIGHT = 240, 164
_LEFT, _RIGHT, _TOP, _BOTTOM = 26, 6, 14, 24
"""Margins of a curve for its labels."""


def strip(line: Line, scale: Scale, said: str) -> Markup:
    """One line's intervals: the policy's as a thin line, this run's as a bar, the estimate as a tick.

    The drawing is stretched to the width of its column, so that it holds only what may be stretched.

    Args:
        line: The numbers.
        scale: Shared by all lines of the metric.
        said: The same in words.
    """
    parts = [
        f'<line class="grid" x1="{_x(scale, tick)}" x2="{_x(scale, tick)}" y1="0" y2="24"/>' for tick in scale.ticks
    ]
    if line.policy is not None:
        low, high = _x(scale, line.policy.low), _x(scale, line.policy.high)
        parts.append(f'<line class="policy" x1="{low}" x2="{high}" y1="12" y2="12"/>')
        parts += [f'<line class="policy" x1="{end}" x2="{end}" y1="8" y2="16"/>' for end in (low, high)]
    if line.run is not None:
        begin, width = scale.place(line.run.low), scale.place(line.run.high) - scale.place(line.run.low)
        parts.append(f'<rect class="run" x="{1000 * begin:.1f}" y="8" width="{1000 * width:.1f}" height="8"/>')
    if line.full is not None:
        parts.append(f'<line class="full" x1="{_x(scale, line.full)}" x2="{_x(scale, line.full)}" y1="0" y2="24"/>')
    if line.estimate is not None:
        at = _x(scale, line.estimate)
        parts.append(f'<line class="estimate" x1="{at}" x2="{at}" y1="4" y2="20"/>')
    return _drawing("strip", "0 0 1000 24", parts, said, ' preserveAspectRatio="none"')


def _x(scale: Scale, value: float) -> str:
    return f"{1000 * scale.place(value):.1f}"


def curve(found: Curve, k: int, digits: int, said: str) -> Markup:
    """Expected error by size: about this run, about the policy, the floor below which no suite comes, the suite's size.

    Args:
        found: With sizes.
        k: The suite's size, one of them.
        digits: Of labels at points.
        said: The same in words.
    """
    across = round_scale([0.0, *map(float, found.sizes)], low=0.0, high=float(max(found.sizes)), most=4)
    up = round_scale([0.0, *found.run, *found.policy], low=0.0, most=4)
    parts = [*_frame(across, up)]
    if found.floor is not None:
        y = _up(up, found.floor)
        parts.append(f'<line class="floor" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}"/>')
    at, run = _across(across, k), found.run[found.sizes.index(k)]
    parts.append(f'<line class="chosen" x1="{at}" x2="{at}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"/>')
    if found.policy:
        parts.append(f'<path class="policy" d="{_path(across, up, found.sizes, found.policy)}"/>')
    parts.append(f'<path class="run" d="{_path(across, up, found.sizes, found.run)}"/>')
    about = found.policy[found.sizes.index(k)] if found.policy else None
    for kind, value in (("policy", about), ("run", run)):
        if value is not None:
            parts.append(f'<circle class="{kind}" cx="{at}" cy="{_up(up, value)}" r="3.5"/>')
    lead = run if about is None else about
    anchor, shift = ("start", 7) if k < 0.75 * across.high else ("end", -7)
    parts.append(
        f'<text class="point" x="{float(at) + shift:.1f}" y="{float(_up(up, lead)) - 7:.1f}" text-anchor="{anchor}">'
        f"{number(lead, digits + 1)}</text>"
    )
    return _drawing("curve", f"0 0 {_WIDTH} {_HEIGHT}", parts, said)


def _frame(across: Scale, up: Scale) -> list[str]:
    parts = []
    for tick in up.ticks:
        y = _up(up, tick)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{float(y) + 3.5:.1f}" text-anchor="end">{tick:g}</text>')
    for tick in across.ticks:
        parts.append(f'<text x="{_across(across, tick)}" y="{_HEIGHT - 8}" text-anchor="middle">{tick:g}</text>')
    return parts


def _path(across: Scale, up: Scale, sizes: Sequence[int], errors: Sequence[float]) -> str:
    points = [f"{_across(across, size)} {_up(up, error)}" for size, error in zip(sizes, errors, strict=True)]
    return "M" + "L".join(points)


def _across(scale: Scale, value: float) -> str:
    return f"{_LEFT + (_WIDTH - _LEFT - _RIGHT) * scale.place(value):.1f}"


def _up(scale: Scale, value: float) -> str:
    return f"{_HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * scale.place(value):.1f}"


def _drawing(kind: str, box: str, parts: Sequence[str], said: str, more: str = "") -> Markup:
    """One drawing; all that is foreign in it is what it says, which is escaped."""
    begin = f'<svg class="{kind}" viewBox="{box}"{more} role="img" aria-label="{escape(one_line(said))}">'
    return Markup(f"{begin}{''.join(parts)}</svg>")  # noqa: S704  numbers of ours, and words escaped above
