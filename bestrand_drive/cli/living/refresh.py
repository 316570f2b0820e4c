"""``bestrand refresh``: do the probes still explain new policies, and which few items should be exchanged."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from bestrand_drive.cli.choosing.compress_options import Family, Force, Licence
from bestrand_drive.cli.evidence.options import Mismatch
from bestrand_drive.cli.living.refresh_text import print_refreshed, refreshed_json
from bestrand_drive.cli.options import name_lists, pairs, path_pairs
from bestrand_drive.errors import UsageError
from bestrand_drive.files import dump_json
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.workflows.choosing.suite_folder import check_target
from bestrand_drive.workflows.estimating.targets import TABLE
from bestrand_drive.workflows.living.refresh import apply, refresh
from bestrand_drive.workflows.living.refresh_evidence import RefreshSource


def refresh_suite(
    suite: Annotated[Path, typer.Argument(help="Suite folder.", show_default=False)],
    results: Annotated[
        list[str] | None,
        typer.Option(
            "--results", help="A policy evaluated on the suite, NAME=PATH; repeat, three at least.", show_default=False
        ),
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Option(help="Of a table's suite: a table with evaluated models and the probes.", show_default=False),
    ] = None,
    routes: Annotated[
        Path | None,
        typer.Option(help="What a driving suite was made from, to propose exchanges.", show_default=False),
    ] = None,
    probe: Annotated[
        list[str] | None,
        typer.Option(
            "--probe",
            help="To propose exchanges: full results of old and new probes, NAME=PATH; of a table, new probes' names.",
            show_default=False,
        ),
    ] = None,
    licence: Licence = None,
    family: Family = None,
    level: Annotated[float, typer.Option(help="Confidence of the intervals.")] = 0.95,
    allow_evaluator_mismatch: Mismatch = False,
    write: Annotated[bool, typer.Option("--apply", help="Write the refreshed suite to --out.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder of the refreshed suite.", show_default=False)] = None,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Tell from evaluated policies whether a suite's probes still explain new ones, and propose the fewest exchanges.

    Example: bestrand refresh suite/ --results A=runs/A --results B=runs/B --results C=runs/C

    With --routes and --probe (of a table: --scores) exchanges are proposed; --apply --out refreshed/ makes them.
    """
    if write != (out is not None):
        raise UsageError("--apply and --out belong together: without them the exchanges are only proposed.")
    if out is not None:
        check_target(out, force=force)
    known = read_suite(suite)
    table = known.benchmark == TABLE
    source = RefreshSource(
        results=path_pairs("--results", results or []),
        scores=scores,
        routes=routes,
        probes=dict.fromkeys(probe or [], "")
        if table
        else {name: str(path) for name, path in path_pairs("--probe", probe or []).items()},
        licences=pairs("--licence", licence or []),
        allow_mismatch=allow_evaluator_mismatch,
    )
    found = refresh(known, source, families=name_lists("--family", family or []), level=level)
    if out is not None:
        apply(found, out, command=sys.argv, force=force)
    if as_json:
        print(dump_json(refreshed_json(found, out)).decode(), end="")
    else:
        print_refreshed(found, out)
