"""``bestrand materialize``: another lab's suite on one's own routes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from bestrand_drive.cli.choosing.suite_text import print_suite
from bestrand_drive.cli.tables import console, say, sentences
from bestrand_drive.files import dump_json
from bestrand_drive.workflows.sharing.materialize import materialize as make
from bestrand_drive.workflows.sharing.materialize import materialized_json


def materialize(
    shared: Annotated[Path, typer.Argument(help="File of bestrand share.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder to write the suite to.", show_default=False)],
    routes: Annotated[
        Path | None,
        typer.Option(help="Your own route file (Fail2Drive: folder; builtin: the shipped ones).", show_default=False),
    ] = None,
    part: Annotated[
        str, typer.Option(help="builtin: a named part of the routes, such as demo.", show_default=False)
    ] = "",
    items: Annotated[
        Path | None, typer.Option(help="For a table's suite: your table with item_id.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a suite that is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Make the suite of a shared file from your own routes, once their content is found to be the same.

    Example: bestrand materialize suite.share.json --routes bench2drive220.xml --out suite/
    """
    made = make(shared, out=out, routes=routes, part=part, items=items, command=sys.argv, force=force)
    if as_json:
        print(dump_json(materialized_json(made, out)).decode(), end="")
        return
    print_suite(made.suite)
    to = console()
    sentences(to, made.notes)
    same = "the original suite's bytes" if made.identical else "made from your routes"
    say(to, f"wrote {out}: {len(made.files)} files, {same}; digest {made.suite.choice_digest()}")
