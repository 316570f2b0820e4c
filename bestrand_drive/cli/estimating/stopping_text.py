"""Whether a part of a suite would have been enough, in words and as JSON."""

from __future__ import annotations

from typing import Any

from bestrand_drive.cli.tables import console, listed, say
from bestrand_drive.compression.intervals import ends
from bestrand_drive.compression.stopping.rule import Decision, Verdict
from bestrand_drive.workflows.estimating.estimate import SuiteEstimate


def until_json(found: Decision, suite_items: int) -> dict[str, Any]:
    """The machine-readable form."""
    look = found.look
    lines = {} if look is None else {name: look.estimates[name] for name in found.goal.half_widths}
    return {
        "goal": dict(found.goal.half_widths),
        "interval": found.goal.interval,
        "verdict": found.verdict.value,
        "items": None if look is None else look.items,
        "measured": None if look is None else look.measured,
        "of": suite_items,
        "blocks": None if look is None else look.blocks,
        "half_widths": None if look is None else dict(look.half_widths),
        "metrics": {
            name: {"estimate": line.value, "run": ends(line.run), "policy": ends(line.policy)}
            for name, line in lines.items()
        },
        "next_items": list(found.next_items),
    }


def print_until(found: SuiteEstimate) -> None:
    """One sentence: when the goal was reached, or how far it is."""
    if found.until is not None:
        say(console(), until_line(found.until, found.suite_items))


def until_line(said: Decision, suite_items: int) -> str:
    """When the goal was reached, or how far it is; what a run says at its end, and ``estimate --until`` of it."""
    look = said.look
    goal = listed([f"{name} +-{half:g}" for name, half in said.goal.half_widths.items()])
    if look is None:
        first = min(said.goal.first, suite_items)
        return f"until {goal}: not judged yet; whole blocks of the order do not make {first} items"
    parts = []
    for name, half in look.half_widths.items():
        value = look.estimates[name].value
        parts.append(f"{name} " + ("withheld" if value is None or half is None else f"{value:.4g} +-{half:.3g}"))
    where = f"the first {look.items} of {suite_items} items of the order (blocks 1-{look.blocks})"
    verdict = {
        Verdict.STOP: f"reached with {where}",
        Verdict.GO_ON: f"not reached with {where}, the last whole block",
        Verdict.EXHAUSTED: f"not reached with all {suite_items} items",
    }[said.verdict]
    return f"until {goal} ({said.goal.interval} {100 * said.goal.level:g}%): {verdict}: {listed(parts)}"
