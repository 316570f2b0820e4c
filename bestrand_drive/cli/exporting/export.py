"""``bestrand export``: the chosen items as another tool takes them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bestrand_drive.cli.tables import console, say
from bestrand_drive.errors import UsageError
from bestrand_drive.files import dump_json
from bestrand_drive.workflows.exporting.verb import export as write


def export(
    suite: Annotated[Path, typer.Argument(help="Suite folder.", show_default=False)],
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="lm-eval-samples, inspect-sample-ids, bfcl, swebench, pytest-ids, leaderboard or ids; default: by the "
            "tool whose logs were imported.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="File to write, with a receipt beside it; else it is printed.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the receipt.")] = False,
) -> None:
    """Write the chosen items in the form that their own tool takes, to run a new model on them only.

    Example: bestrand export gsm8k_suite/ --format lm-eval-samples --out gsm8k.json

    Example: bestrand export suite/ --format leaderboard --out routes.xml
    """
    found = write(suite, form, out=out, force=force)
    if as_json:
        print(dump_json(found.receipt).decode(), end="")
    elif out is None:
        print(_text(found.content), end="")
    else:
        told = found.receipt
        to = console()
        say(to, f"wrote {out}: {told['suite']['k']} of {told['suite']['n']} items ({told['format']})")
        say(to, f"receipt: {found.files[1]}")
        say(to, f"use: {found.usage}")


def _text(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise UsageError("These routes are not in UTF-8 and cannot be printed; give --out FILE.") from error
