"""``bestrand import``: the logs of an evaluation tool become one table of scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from bestrand_drive.cli.evidence.options import named_path
from bestrand_drive.cli.options import open_ranges
from bestrand_drive.cli.tables import console, listed, say, sentences
from bestrand_drive.errors import UsageError
from bestrand_drive.files import dump_json
from bestrand_drive.workflows.importing.verb import Imported
from bestrand_drive.workflows.importing.verb import import_logs as read


def import_logs(
    log_format: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="bfcl, helm, inspect, lm-eval, lmms-eval, navsim, opencompass, plain, pytest, swe-bench, tau, "
            "vlmevalkit or what other packages add.",
            show_default=False,
        ),
    ],
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH", help="Files or folders; NAME=PATH names the model.", show_default=False),
    ],
    out: Annotated[Path, typer.Option(help="Parquet file to write.", show_default=False)],
    task: Annotated[
        list[str] | None, typer.Option("--task", help="Task, with wildcards; repeat.", show_default=False)
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", help="Metric (or cost, latency) to take; repeat.", show_default=False),
    ] = None,
    rule: Annotated[
        str | None, typer.Option("--filter", help="Rule by which answers were extracted.", show_default=False)
    ] = None,
    bounds: Annotated[
        list[str] | None,
        typer.Option(
            "--bounds",
            help="Least and greatest value of a metric, NAME=LOW:HIGH; repeat. NAME=0: has no upper one.",
            show_default=False,
        ),
    ] = None,
    lower_is_better: Annotated[
        list[str] | None,
        typer.Option("--lower-is-better", help="Metric of which less is better; repeat.", show_default=False),
    ] = None,
    duplicates: Annotated[
        str, typer.Option(help="Two different scores of one cell: refuse, first, last or mean.")
    ] = "refuse",
    macro: Annotated[
        str | None,
        typer.Option(help="category: the benchmark's number averages its categories alike.", show_default=False),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Read the logs of an evaluation tool into one table for `compress scores`.

    Rows are joined by the hash of what was asked, where the tool keeps one. What is missing, repeated or left out is
    counted; more than one task, metric or filter without a choice is an error that lists them.

    Example: bestrand import lm-eval out/ --task gsm8k --metric exact_match --filter strict-match --out gsm8k.parquet

    Example: bestrand import plain scores.csv --out scores.parquet
    """
    found = read(
        log_format,
        _named(paths),
        task=task or (),
        metric=metric or (),
        rule=rule,
        bounds=open_ranges("--bounds", bounds or []),
        lower_is_better=lower_is_better or (),
        duplicates=duplicates,
        macro=macro,
        out=out,
        force=force,
    )
    if as_json:
        print(dump_json(_json(found)).decode(), end="")
        return
    spec = found.spec
    rule_said = f" ({spec.filter})" if spec.filter else ""
    say(
        console(),
        f"{out}: {found.items:,} items of {listed([t for t in spec.tasks if t]) or 'one task'} x {len(found.models)} "
        f"models, {listed(spec.metrics)}{rule_said}, {len(found.cells.value):,} scores",
    )
    sentences(console(), found.said)


def _named(paths: Sequence[str]) -> dict[str, Path] | list[Path]:
    """Names for all or for none."""
    parts = [named_path("PATH", text) for text in paths]
    named = {name: path for name, path in parts if name is not None}
    if not named:
        return [path for _, path in parts]
    if len(named) < len(parts):
        raise UsageError("Give each path a name of its own, NAME=PATH, or none of them.")
    return named


def _json(found: Imported) -> dict[str, object]:
    return {
        **found.spec.to_dict(),
        "items": found.items,
        "models": list(found.models),
        "scores": len(found.cells.value),
        "unscored": found.unscored,
        "notes": list(found.said),
    }
