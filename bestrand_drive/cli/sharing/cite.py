"""``bestrand cite``: what to cite when results on a suite are reported."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from bestrand_drive.files import dump_json
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.workflows.sharing.cite import bibtex, plain, references


def cite(
    suite: Annotated[Path, typer.Argument(help="Suite folder.", show_default=False)],
    form: Annotated[Literal["bibtex", "text"], typer.Option("--format", help="bibtex or text.")] = "bibtex",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead.")] = False,
) -> None:
    """Print references: benchmark, probes with sources and licences, method, package version, the suite's digest.

    Example: bestrand cite suite/ --format text
    """
    found = references(read_suite(suite))
    if as_json:
        print(dump_json([asdict(one) for one in found]).decode(), end="")
    else:
        print(bibtex(found) if form == "bibtex" else plain(found), end="")
