"""How sure a run with ``--until`` is, after each whole block and at its end."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from rich.console import Console

from bestrand_drive.cli.tables import say
from bestrand_drive.workflows.running.judged import Hours, Judged
from bestrand_drive.workflows.running.run import RunReport
from bestrand_drive.workflows.running.run_again import exact
from bestrand_drive.workflows.running.run_request import LEVEL, RunRequest

if TYPE_CHECKING:
    from bestrand_drive.compression.estimation import Estimate
    from bestrand_drive.compression.intervals import Interval


def block_line(judged: Judged) -> str:
    """The estimate and both intervals, what was done for it, and what a stop now spares."""
    look, goal = judged.decision.look, judged.decision.goal
    blocks = f"blocks 1-{look.blocks if look else judged.whole} of {judged.count}"
    if look is None:
        said = f"not judged before {min(goal.first, judged.items)} items"
    else:
        said = "; ".join(_metric(name, look.estimates[name], half) for name, half in goal.half_widths.items())
    done = f"{judged.finished} of {len(judged.blocks)} routes and repeats of the suite"
    enough = ": enough" if judged.enough else ""
    return "; ".join(part for part in (f"{blocks}{enough}: {said}", done, _hours(judged)) if part)


def _metric(name: str, line: Estimate, wanted: float) -> str:
    if line.value is None:
        return f"{name} withheld, wanted +-{wanted:g}"
    intervals = f"policy {_ends(line.policy)}, this run {_ends(line.run)}"
    return f"{name} {line.value:.4g}, {intervals}, wanted +-{wanted:g}"


def _ends(interval: Interval | None) -> str:
    if interval is None:
        return "unknown"
    return f"{interval.low:.4g} to {interval.high:.4g} (+-{interval.half_width:.3g})"


def _hours(judged: Judged) -> str:
    """Driven, and spared."""
    hours = judged.hours
    if hours is None:
        return ""
    spares = "spared" if judged.enough else "a stop now spares"
    rest = f"about {_h(hours.suite)} of the suite, {_h(hours.benchmark)} of all {judged.benchmark} items"
    return f"{_h(hours.driven)} driven, {spares} {rest}"


def _h(hours: float) -> str:
    return f"{hours:.3g} h"


def print_judged(out: Console, report: RunReport, request: RunRequest) -> None:
    """The end of a run with ``--until``: the numbers that hold, and where they are had again."""
    judged = report.judged
    if judged is None:
        return
    from bestrand_drive.cli.estimating.stopping_text import until_line  # noqa: PLC0415  brings torch

    say(out, until_line(judged.decision, judged.items))
    if hours := _hours(judged):
        say(out, hours)
    if judged.enough:
        left = len(report.not_needed)
        say(out, f"enough: {left} routes and repeats are not needed; without --until the same command runs them")
    if judged.decision.look is not None:
        say(out, f"the same again, from the whole blocks alone: {estimate_line(request)}")


def estimate_line(request: RunRequest) -> str:
    """The command that says the same of the run folder."""
    words = ["bestrand", "estimate", str(request.routes), "--results", str(request.out)]
    for name, half in request.until.items():
        words += ["--until", f"{name}={exact(half)}"]
    if request.until_interval != "policy":
        words += ["--until-interval", request.until_interval]
    if request.level != LEVEL:
        words += ["--level", exact(request.level)]
    return shlex.join(words)


def judged_json(judged: Judged) -> dict[str, Any]:
    """As ``estimate --until`` gives it, and how far the run is."""
    from bestrand_drive.cli.estimating.stopping_text import until_json  # noqa: PLC0415  brings torch

    return until_json(judged.decision, judged.items) | {
        "whole_blocks": judged.whole,
        "of_blocks": judged.count,
        "finished": judged.finished,
        "hours": None if judged.hours is None else _hours_json(judged.hours),
    }


def _hours_json(hours: Hours) -> dict[str, float]:
    return {
        "driven": round(hours.driven, 4),
        "spared_of_suite": round(hours.suite, 4),
        "spared_of_benchmark": round(hours.benchmark, 4),
    }
