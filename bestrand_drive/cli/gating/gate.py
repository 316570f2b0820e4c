"""``bestrand gate``: whether a candidate has regressed, for a CI system."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from bestrand_drive.cli.gating.gate_text import print_gate
from bestrand_drive.cli.options import numbers
from bestrand_drive.errors import UsageError
from bestrand_drive.files import dump_json
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.workflows.gating import verb
from bestrand_drive.workflows.gating.evidence import evidence
from bestrand_drive.workflows.gating.markdown import markdown as page
from bestrand_drive.workflows.gating.outputs import add_markdown, check_places, write_junit

STDOUT = Path("-")


def gate(
    suite: Annotated[Path, typer.Argument(help="Suite folder.", show_default=False)],
    baseline: Annotated[
        str, typer.Option(help="What the change starts from: result file or folder.", show_default=False)
    ],
    candidate: Annotated[str, typer.Option(help="The change: the same.", show_default=False)],
    anchor: Annotated[
        str | None,
        typer.Option(help="A policy further back, such as the last release, by the same rule.", show_default=False),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(help="What is gated, the primary one first; repeat. Default: the suite's first metric."),
    ] = None,
    max_drop: Annotated[
        list[str] | None,
        typer.Option(help="Tolerated drop of the primary metric in its unit, or METRIC=DROP; repeat."),
    ] = None,
    confidence: Annotated[float, typer.Option(help="Of the two-sided intervals.")] = 0.95,
    rule: Annotated[
        Literal["regression", "non-inferior"],
        typer.Option(
            help="regression: fails when the interval lies wholly below the tolerated drop. non-inferior: passes only "
            "when it lies wholly above.",
            show_choices=False,
        ),
    ] = "regression",
    undecided: Annotated[
        Literal["pass", "fail"] | None,
        typer.Option(help="What an undecided gate does. Default: pass by regression, fail by non-inferior."),
    ] = None,
    missing: Annotated[
        Literal["zero", "exclude"] | None,
        typer.Option(help="Missing items: zero scores them at their worst, exclude pairs on what all have."),
    ] = None,
    scores: Annotated[
        Path | None, typer.Option(help="For a table's suite: the table; the sides are models.", show_default=False)
    ] = None,
    allow_evaluator_mismatch: Annotated[
        bool, typer.Option("--allow-evaluator-mismatch", help="Accept files of another benchmark's evaluator.")
    ] = False,
    junit: Annotated[Path | None, typer.Option(help="JUnit file to write.", show_default=False)] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(help="File to add a Markdown page to, such as a job summary; - prints it.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Gate a change by its results on a suite: 0 lets it through, 1 does not.

    Example: bestrand gate suite/ --baseline runs/main --candidate runs/pr --junit gate.xml

    Example: bestrand gate suite/ --baseline runs/main --candidate runs/pr --anchor runs/release --max-drop 5

    Leaves with 6 when missing results could turn the verdict and --missing does not say what to do with them.
    """
    if as_json and markdown == STDOUT:
        raise UsageError("gate: --json and --markdown - both print; give --markdown a file.")
    check_places(junit, None if markdown == STDOUT else markdown)
    known = read_suite(suite)
    found = verb.gate(
        suite,
        baseline,
        candidate,
        anchor=anchor,
        scores=scores,
        metrics=metric or (),
        max_drop=_drops(max_drop or (), (metric or [known.metrics[0].name])[0]),
        confidence=confidence,
        rule=rule,
        undecided=undecided,
        missing=missing,
        allow_evaluator_mismatch=allow_evaluator_mismatch,
    )
    said = evidence(found)
    if junit is not None:
        write_junit(said, junit)
    if markdown is not None and markdown != STDOUT:
        add_markdown(said, markdown)
    if as_json:
        print(dump_json(said).decode(), end="")
    elif markdown == STDOUT:
        print(page(said), end="")
    else:
        print_gate(said)
    return found.exit_code


def _drops(values: list[str] | tuple[()], primary: str) -> dict[str, float]:
    return numbers("--max-drop", [value if "=" in value else f"{primary}={value}" for value in values])
