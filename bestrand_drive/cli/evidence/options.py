"""What says which results, logs or scores are read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bestrand_drive.errors import UsageError

Routes = Annotated[
    Path | None,
    typer.Option(
        help="Bench2Drive: its route file; Fail2Drive: its folder; builtin: the shipped ones unless given.",
        show_default=False,
    ),
]
Part = Annotated[str, typer.Option(help="builtin: a named part of the routes, such as demo.", show_default=False)]
Probe = Annotated[
    list[str] | None,
    typer.Option("--probe", help="Results of a probe policy, NAME=PATH (file or folder); repeat.", show_default=False),
]
MetricInfo = Annotated[
    list[str] | None,
    typer.Option(
        "--metric-info", help="For comfort: a probe's metric_info.json files, NAME=FOLDER.", show_default=False
    ),
]
Mismatch = Annotated[
    bool, typer.Option("--allow-evaluator-mismatch", help="Accept results scored by another evaluator's rule.")
]
Scores = Annotated[Path, typer.Option(help="Score table, wide or long (CSV, JSONL, Parquet).", show_default=False)]
Items = Annotated[Path | None, typer.Option(help="Item table: item_id, stratum, group, cost_s.", show_default=False)]

Bounds = Annotated[
    list[str] | None,
    typer.Option("--bounds", help="Least and greatest value of a metric, NAME=LOW:HIGH; repeat.", show_default=False),
]
LowerIsBetter = Annotated[
    list[str] | None,
    typer.Option("--lower-is-better", help="Metric of which less is better; repeat.", show_default=False),
]


def named_path(option: str, value: str) -> tuple[str | None, Path]:
    """Parse ``PATH`` or ``NAME=PATH``; a path that is there is one, whatever its name.

    Raises:
        UsageError: One side of the sign is empty.
    """
    name, sign, rest = value.partition("=")
    if not sign or Path(value).exists():
        return None, Path(value)
    if not (name and rest):
        raise UsageError(f"{option} {value!r}: write PATH or NAME=PATH.")
    return name, Path(rest)
