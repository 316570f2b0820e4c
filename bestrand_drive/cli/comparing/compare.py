"""``bestrand compare``: the difference of policies on the whole benchmark from their results on a suite."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from bestrand_drive.cli.comparing.compare_json import comparison_json
from bestrand_drive.cli.comparing.compare_text import print_comparison
from bestrand_drive.cli.comparing.sweep_text import print_sweep, sweep_json
from bestrand_drive.errors import ExitCode, UsageError
from bestrand_drive.files import dump_json
from bestrand_drive.workflows.comparing import verb


def compare(
    suite: Annotated[Path, typer.Argument(help="Suite folder.", show_default=False)],
    policies: Annotated[
        list[str] | None, typer.Argument(help="With --many: results of each policy.", show_default=False)
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(help="Result file or folder; with --scores, a model.", show_default=False)
    ] = None,
    candidate: Annotated[str | None, typer.Option(help="The same of the other policy.", show_default=False)] = None,
    many: Annotated[
        bool, typer.Option("--many", help="Compare all policies that are given, such as checkpoints.")
    ] = False,
    scores: Annotated[
        Path | None, typer.Option(help="For a table's suite: the table of all models.", show_default=False)
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option(help="Only these lines, in this order; repeat.", show_default=False)
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence of the intervals.")] = 0.95,
    missing: Annotated[
        Literal["zero", "exclude"] | None,
        typer.Option(help="Missing items: zero scores them at their worst, exclude pairs on what all have."),
    ] = None,
    allow_evaluator_mismatch: Annotated[
        bool, typer.Option("--allow-evaluator-mismatch", help="Accept files of another benchmark's evaluator.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Compare policies by their results on a suite: candidate minus baseline on the whole benchmark.

    Example: bestrand compare suite/ --baseline runs/Old --candidate runs/MyPolicy

    Example: bestrand compare suite/ --many runs/step10k runs/step20k runs/step30k runs/step40k

    Leaves with 6 when items of the suite have no result and --missing does not say what to do with them.
    """
    if many != (baseline is None and candidate is None) or bool(policies) != many:
        raise UsageError("compare: give --baseline A --candidate B, or --many A B C ...; not both.")
    if not many and (baseline is None or candidate is None):
        raise UsageError("compare: give both --baseline and --candidate.")
    metrics = tuple(dict.fromkeys(metric or ()))
    if many:
        found = verb.compare_many(
            suite,
            policies or (),
            scores=scores,
            metrics=metrics,
            level=level,
            missing=missing,
            allow_evaluator_mismatch=allow_evaluator_mismatch,
        )
        _say(as_json, sweep_json(found), lambda: print_sweep(found))
        lacking = sum(map(bool, found.missing.values())) if found.incomplete else 0
        return _incomplete(lacking, f"of {len(found.policies)} policies lack results")
    pair = verb.compare(
        suite,
        baseline or "",
        candidate or "",
        scores=scores,
        metrics=metrics,
        level=level,
        missing=missing,
        allow_evaluator_mismatch=allow_evaluator_mismatch,
    )
    _say(as_json, comparison_json(pair), lambda: print_comparison(pair))
    gone = set(pair.baseline.missing) | set(pair.candidate.missing)
    return _incomplete(len(gone) if pair.incomplete else 0, f"of {pair.suite_items} items lack a result on a side")


def _say(as_json: bool, content: dict[str, Any], text: Callable[[], None]) -> None:
    if as_json:
        print(dump_json(content).decode(), end="")
    else:
        text()


def _incomplete(count: int, what: str) -> int:
    """The exit code, and on standard error why it is not 0."""
    if not count:
        return ExitCode.OK
    print(
        f"bestrand: {count} {what} (exit code 6). Run them, or say what to do: --missing zero scores them at their "
        "worst, exclude pairs on what all have.",
        file=sys.stderr,
    )
    return ExitCode.INCOMPLETE
