"""``bestrand check``: is the benchmark that a suite was chosen from still the same?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bestrand_drive.cli.tables import console, say, sentences, table
from bestrand_drive.errors import ExitCode
from bestrand_drive.files import dump_json
from bestrand_drive.workflows.living.check import Drift
from bestrand_drive.workflows.living.check import check as compare


def check(
    suite: Annotated[Path, typer.Argument(help="Suite folder.", show_default=False)],
    scores: Annotated[
        Path,
        typer.Option(help="Newer table, or logs of the tool that the suite's table came from.", show_default=False),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Tell whether the benchmark drifted: items gone, new or reworded, strata moved, probes' scores others.

    Example: bestrand check gsm8k_suite/ --scores gsm8k.parquet

    Leaves with 1 when it did, so that a pipeline stops before it trusts the suite.
    """
    found = compare(suite, scores)
    if as_json:
        print(dump_json(drift_json(found)).decode(), end="")
    else:
        _print(found)
    return ExitCode.GATE_FAILED if found.findings else ExitCode.OK


def _print(found: Drift) -> None:
    out = console()
    then, now = found.items
    say(out, f"{then} items of the {found.scope} then, {now} now; contents compared: {found.compared}")
    if found.strata is not None and found.strata.then != found.strata.now:
        names = [name for name, count in found.strata.then.items() if count != found.strata.now[name]]
        rows = [[name or "-", str(found.strata.then[name]), str(found.strata.now[name])] for name in names]
        table(out, ("stratum", "then", "now"), rows)
    rows = [
        [f"{one.model} {name}", f"{value:.4g}", f"{one.now[name]:.4g}"]
        for one in found.models
        for name, value in one.then.items()
        if one.changed
    ]
    if rows:
        table(out, ("probe", "then", "now"), rows)
    sentences(out, found.findings, mark="drift")
    sentences(out, found.notes)
    say(out, f"verdict: {found.verdict}")


def drift_json(found: Drift) -> dict[str, Any]:
    """One JSON object."""
    strata = found.strata
    return {
        "suite": found.suite.choice_digest(),
        "verdict": found.verdict,
        "scope": found.scope,
        "items": {
            "then": found.items[0],
            "now": found.items[1],
            "contents_compared": found.compared,
            "gone": list(found.gone),
            "new": list(found.new),
            "changed": list(found.changed),
            "renumbered": dict(found.renumbered),
        },
        "strata": None
        if strata is None
        else {
            "then": dict(strata.then),
            "now": dict(strata.now),
            "moved": list(strata.moved),
            "shift": strata.shift,
        },
        "models": [
            {
                "model": one.model,
                "changed": one.changed,
                "within_noise": one.noise,
                "then": dict(one.then),
                "now": dict(one.now),
            }
            for one in found.models
        ],
        "versions": {tool: {"then": list(then), "now": list(now)} for tool, (then, now) in found.versions.items()},
        "findings": list(found.findings),
        "notes": list(found.notes),
    }
