"""``bestrand report``: one HTML file about policies on a suite."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from bestrand_drive.cli.evidence.options import named_path
from bestrand_drive.cli.tables import console, say
from bestrand_drive.errors import UsageError
from bestrand_drive.files import dump_json
from bestrand_drive.workflows.reporting.gather import Source
from bestrand_drive.workflows.reporting.verb import write_report


def report(
    suite: Annotated[Path, typer.Argument(help="Suite folder.", show_default=False)],
    results: Annotated[
        list[str],
        typer.Option(
            help="Results of a policy, PATH or NAME=PATH; in a table, NAME is the column. Repeat for several.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="The HTML file; one that is there is replaced.", show_default=False)
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence of the intervals.")] = 0.95,
    missing: Annotated[
        Literal["zero", "exclude"],
        typer.Option(help="Missing items: zero scores them at their worst, exclude leaves them out."),
    ] = "exclude",
    allow_evaluator_mismatch: Annotated[
        bool, typer.Option("--allow-evaluator-mismatch", help="Accept files of another benchmark's evaluator.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report's data as one JSON object.")] = False,
) -> None:
    """Write one HTML file about policies on a suite: estimates, cost, what is missing, every route, provenance.

    The file needs no network and no other file. Its data are in it, too, as JSON and CSV.

    Example: bestrand report suite/ --results runs/a --results runs/b --out report.html
    """
    if out is None and not as_json:
        raise UsageError("report writes nothing: give --out report.html, or --json, or both.")
    sources = [_source(value) for value in results]
    data = write_report(suite, sources, out, level, missing, allow_mismatch=allow_evaluator_mismatch)
    if as_json:
        print(dump_json(data.as_json()).decode(), end="")
    elif out is not None:
        gaps = sum(len(policy.missing) for policy in data.policies)
        lost = "one result is" if gaps == 1 else f"{gaps} results are"
        said = f"; {lost} missing, the report says why" if gaps else ""
        who = _policies(len(data.policies), driving=data.suite.driving)
        say(console(), f"wrote {out}: {who} on {data.suite.k} {data.suite.item_word}{said}")


def _source(value: str) -> Source:
    name, path = named_path("--results", value)
    if not path.exists():
        raise UsageError(f"--results {value}: there is no such file or folder.")
    return Source(path, name)


def _policies(count: int, *, driving: bool) -> str:
    one, many = ("policy", "policies") if driving else ("model", "models")
    return f"one {one}" if count == 1 else f"{count} {many}"
