"""How a run stands, for people and for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from rich.console import Console

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.cli.running.run_lines import cell_name, drained_line
from bestrand_drive.cli.running.until_text import judged_json
from bestrand_drive.cli.tables import say, table
from bestrand_drive.simulation.attempts.loads import mixture
from bestrand_drive.simulation.attempts.plan import Action, CellPlan
from bestrand_drive.simulation.attempts.record import Attempt
from bestrand_drive.simulation.engines.drain import Drained
from bestrand_drive.simulation.scheduling.durations import Durations
from bestrand_drive.simulation.slots.keeping import failed
from bestrand_drive.workflows.running.run import RunReport

NOT_NEEDED = "not_needed"
"""What happens with a cell that waits, once it is enough."""
Again = Callable[[str, int], str]
"""Route and repeat -> the command that runs them once more."""


def print_summary(out: Console, report: RunReport, again: Again, out_folder: str) -> None:
    """The end of a run."""
    done, left = report.of(Action.DONE), report.to_run
    missing = report.of(Action.EXHAUSTED)
    say(out, f"{report.policy}: {len(done)} of {len(report.cells)} routes and repeats have a result ({out_folder})")
    made = Counter(attempt.outcome for attempt in report.made)
    if report.made:
        kinds = ", ".join(f"{made[kind]} {kind.value.replace('_', ' ')}" for kind in Outcome if made[kind])
        say(out, f"attempts of this start: {len(report.made)} ({kinds})")
    for cell in missing:
        beyond = "" if cell in report.lacking else "; beyond the blocks that were enough"
        say(out, f"missing: {cell_name(cell)}: {cell.why}{beyond}")
        say(out, f"  again: {again(cell.key.route_id, cell.key.repeat)}")
    for one in report.drained:
        say(out, f"drained: {drained_line(one)}")
    for line in _skipped_lines(report):
        say(out, line)
    if left:
        say(out, f"{len(left)} are still to be run: give the same command again")
    if said := mixture(report.loads):
        say(out, f"warning: {said}")
    if report.simulator == "headless":
        say(out, "note: simulated by the headless server: these scores are not CARLA's")


def _skipped_lines(report: RunReport) -> Iterator[str]:
    """What did not take place, and what that makes of the scores."""
    if report.skipped:
        count = sum(map(len, report.skipped.values()))
        plural = "" if count == 1 else "s"
        yield f"note: {count} scenario{plural} did not take place, on {len(report.skipped)} of the routes and repeats:"
    for (route_id, repeat), scenarios in report.skipped.items():
        yield from (f"  route {route_id}, repeat {repeat}: {said}" for said in scenarios)


def print_plan(out: Console, report: RunReport) -> None:
    """Why each route will or will not run."""
    rows = [
        (
            cell.key.route_id,
            str(cell.key.repeat),
            *_block(report, cell),
            _what(report, cell),
            _expected(report, cell),
            cell.why,
        )
        for cell in in_order(report)
    ]
    table(out, ("route", "repeat", *(("block",) if report.judged else ()), "what", "expected", "why"), rows)
    if report.durations is not None:
        say(out, report.durations.said)
    for why in report.damaged:
        say(out, f"damaged, the next start moves it into the quarantine: {why}")
    counts = [f"{count} {what}" for what, count in _counts(report).items()]
    damaged = [f"{len(report.damaged)} damaged"] if report.damaged else []
    say(out, ", ".join(counts + damaged))


def in_order(report: RunReport) -> list[CellPlan]:
    """The cells, with ``--until`` block by block."""
    judged = report.judged
    return sorted(report.cells, key=lambda cell: judged.blocks[cell.key.cell] if judged else 0)


def _block(report: RunReport, cell: CellPlan) -> tuple[str, ...]:
    return (str(report.judged.blocks[cell.key.cell]),) if report.judged else ()


def _what(report: RunReport, cell: CellPlan) -> str:
    return NOT_NEEDED if cell.action is Action.RUN and report.not_needed else cell.action.value


def _counts(report: RunReport) -> dict[str, int]:
    counts = Counter(_what(report, cell) for cell in report.cells)
    names = [action.value for action in Action] + ([NOT_NEEDED] if report.not_needed else [])
    return {name: counts[name] for name in names}


def as_json(report: RunReport, again: Again) -> dict[str, Any]:
    """The same for programs."""
    return {
        "policy": report.policy,
        "simulator": report.simulator,
        "wanted": len(report.cells),
        **_counts(report),
        "stopped": report.stopped,
        "order": None if report.durations is None else _order(report.durations),
        "until": None if report.judged is None else judged_json(report.judged),
        "damaged": list(report.damaged),
        "drained": [_drained(one) for one in report.drained],
        "servers_per_gpu": {str(servers): count for servers, count in report.loads.items()},
        "skipped_scenarios": sum(map(len, report.skipped.values())),
        "attempts": [_attempt(attempt) for attempt in report.made],
        "cells": [
            _cell(cell, again)
            | {"action": _what(report, cell), "expected": _amount(report, cell)}
            | {"skipped_scenarios": _skipped(report, cell)}
            | ({"block": report.judged.blocks[cell.key.cell]} if report.judged else {})
            for cell in in_order(report)
        ],
    }


def _cell(cell: CellPlan, again: Again) -> dict[str, Any]:
    unwell = cell.action is Action.EXHAUSTED or (cell.counted is not None and failed(cell.counted))
    return {
        "route": cell.key.route_id,
        "repeat": cell.key.repeat,
        "town": cell.key.town,
        "attempt": cell.number,
        "status": cell.counted.status if cell.counted else None,
        "why": cell.why,
        "again": again(cell.key.route_id, cell.key.repeat) if unwell else None,
    }


def _order(durations: Durations) -> dict[str, Any]:
    """By what the longest routes are known; ``expected`` of each cell is in its unit."""
    return {"source": durations.source, "unit": durations.unit, "known_routes": durations.known}


def _amount(report: RunReport, cell: CellPlan) -> float | None:
    """What is expected of a route, rounded."""
    return None if report.durations is None else round(report.durations.expected[cell.key.route_id], 1)


def _expected(report: RunReport, cell: CellPlan) -> str:
    amount = _amount(report, cell)
    return "" if amount is None or report.durations is None else f"{amount:.0f} {report.durations.unit}"


def _drained(one: Drained) -> dict[str, Any]:
    spot = one.spot
    return {"host": spot.host, "gpu": spot.gpu, "slot": spot.slot, "reasons": [why.value for why in one.reasons]}


def _skipped(report: RunReport, cell: CellPlan) -> list[str]:
    return list(report.skipped.get(cell.key.cell, ()))


def _attempt(attempt: Attempt) -> dict[str, Any]:
    said: dict[str, Any] = attempt.model_dump(mode="json", exclude={"key", "log_lines", "evaluator"})
    return {"route": attempt.key.route_id, "repeat": attempt.key.repeat, "seed": attempt.key.seed} | said
