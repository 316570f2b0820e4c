"""``bestrand inspect``: what is in a suite."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bestrand_drive.cli.choosing.suite_text import print_suite
from bestrand_drive.suite.reading import read_suite


def inspect(
    suite: Annotated[Path, typer.Argument(help="Suite folder.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print the suite as JSON.")] = False,
) -> None:
    """Show what is in a suite: items, strata and types not driven, probes, predicted hours, expected errors.

    Example: bestrand inspect suite/
    """
    known = read_suite(suite)
    if as_json:
        print(known.to_json().decode(), end="")
    else:
        print_suite(known)
