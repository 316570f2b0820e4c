"""A refresh in words and as JSON."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from rich.console import Console

from bestrand_drive.cli.tables import console, listed, say, sentences, table
from bestrand_drive.compression.explained import Explained
from bestrand_drive.errors import each_once
from bestrand_drive.workflows.living.exchanging import Proposal
from bestrand_drive.workflows.living.refresh import Refreshed

HEADS = (
    *("metric", "targets", "rho", "expected", "probes-targets", "R1^2", "interval"),
    *("expected", "Rc^2", "expected", "verdict"),
)


def print_refreshed(found: Refreshed, out_folder: Path | None) -> None:
    """Judgement, then proposal."""
    out = console()
    say(out, f"targets: {listed(found.targets, 20)}")
    rows = [_row(name, one, found.across[name]) for name, one in found.explained.items() if one is not None]
    if rows:
        table(out, HEADS, rows)
    for line in each_once((name, f"not judged: {reason}") for name, reason in found.reasons.items()):
        say(out, line)
    sentences(out, _verdicts(found))
    sentences(out, found.notes)
    if found.joined:
        say(out, f"evaluated on all items, so they count as probes now: {listed(found.joined, 20)}")
    if found.proposal is None:
        say(
            out,
            "exchanges: none proposed; give the probes' full results again, new ones among them (--routes and --probe; "
            "of a table --scores)",
        )
    else:
        _print_proposal(out, found, found.proposal, out_folder)


def _row(name: str, one: Explained, across: float | None) -> list[str]:
    return [
        name,
        str(one.targets),
        f"{one.rho:.2f}",
        f"{one.expected.rho:.2f}",
        "-" if across is None else f"{across:.2f}",
        f"{one.share:.3f}",
        f"{one.low:.3f} to {one.high:.3f}",
        f"{one.expected.share:.3f}",
        f"{one.common:.2f}",
        f"{one.expected_common:.2f}",
        "less than expected" if one.stale else "as expected",
    ]


def _verdicts(found: Refreshed) -> list[str]:
    notes = []
    if any(one is not None for one in found.explained.values()):
        notes.append(
            "R1^2: share of one policy's variance over items that the probes explain; Rc^2: of the targets' mean. The "
            "verdict asks whether R1 lies below the expected one by more than both errors (jackknife over targets, "
            "items and probes)"
        )
    for name in found.stale:
        notes.append(
            f"{name}: the probes explain new policies less than they promised; take new ones as probes "
            "(estimates stay right, their intervals widen by what the targets show)"
        )
    return notes


def _print_proposal(out: Console, found: Refreshed, one: Proposal, out_folder: Path | None) -> None:
    parts = [("now", one.imbalance), ("a fresh suite", one.fresh), ("aimed at", one.level), ("then", one.after)]
    said = ", ".join(f"{name} {value / one.random:.3f}" for name, value in parts) if one.random > 0 else "0"
    say(out, f"imbalance, in those of a random subset: {said}")
    kept = found.suite.k - len(one.removed)
    if not one.removed:
        say(out, f"exchanges: none needed; all {kept} items stay" + ("" if one.reached else " (none helps)"))
    else:
        how = "no fewer do" if one.proven else "found step by step, perhaps not the fewest"
        short = "" if one.reached else "; what was aimed at is not reached"
        say(out, f"exchanges: {len(one.removed)} of {found.suite.k} items ({how}{short})")
        say(out, f"out: {listed(one.removed, 60)}")
        say(out, f"in: {listed(one.added, 60)}")
    say(out, f"comparable: {kept} items are in both; old results lack {len(one.added)} of the refreshed suite's")
    if one.unjudged:
        say(out, f"no probe has a score on {listed(one.unjudged)}: they stay")
    if out_folder is None:
        say(out, "nothing was written; --apply --out FOLDER writes the refreshed suite")
    else:
        say(out, f"wrote {out_folder}; digest {one.suite.choice_digest()}, predecessor {found.suite.choice_digest()}")


def refreshed_json(found: Refreshed, out_folder: Path | None) -> dict[str, Any]:
    """One JSON object."""
    return {
        "suite": found.suite.choice_digest(),
        "targets": list(found.targets),
        "stale": found.stale,
        "metrics": {
            name: {
                "reason": found.reasons.get(name, ""),
                "probes_targets": found.across[name],
                **_judgement(one, found),
            }
            for name, one in found.explained.items()
        },
        "joined": list(found.joined),
        "notes": list(found.notes),
        "proposal": None if found.proposal is None else _proposal(found.proposal, found.suite.k),
        "written": None if out_folder is None else str(out_folder),
    }


def _judgement(one: Explained | None, found: Refreshed) -> dict[str, Any]:
    if one is None:
        return {"judged": False}
    own = [None if math.isnan(value) else value for value in one.own]
    return {
        "judged": True,
        "targets": one.targets,
        "items": one.items,
        "rho": {"observed": one.rho, "expected": one.expected.rho},
        "r1_squared": {"observed": one.share, "low": one.low, "high": one.high, "expected": one.expected.share},
        "rc_squared": {"observed": one.common, "expected": one.expected_common},
        "own": dict(zip(found.targets, own, strict=True)),
        "stale": one.stale,
    }


def _proposal(one: Proposal, k: int) -> dict[str, Any]:
    return {
        "exchanges": len(one.removed),
        "removed": list(one.removed),
        "added": list(one.added),
        "kept": k - len(one.removed),
        "imbalance": {
            "now": one.imbalance,
            "fresh": one.fresh,
            "level": one.level,
            "after": one.after,
            "random": one.random,
        },
        "reached": one.reached,
        "proven": one.proven,
        "unjudged": list(one.unjudged),
        "digest": one.suite.choice_digest(),
    }
