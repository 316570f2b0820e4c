"""``bestrand order``: in which order a suite is run when it may be stopped early."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bestrand_drive.cli.tables import console, table
from bestrand_drive.files import dump_json
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.workflows.estimating.stopping import order_of


def order(
    suite: Annotated[Path, typer.Argument(help="Suite folder.", show_default=False)],
    block: Annotated[
        int | None, typer.Option(help="Items of a block; default: half a cycle over the strata.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print a suite's items in the order in which to run them to stop early, with their blocks.

    Every beginning of the order holds each stratum's share. Whole blocks only are judged: see estimate --until.

    Example: bestrand order suite/
    """
    known = read_suite(suite)
    found = order_of(known, block)
    blocks = found.blocks
    if as_json:
        print(dump_json({"block": found.block, "items": len(found.items), "blocks": blocks}).decode(), end="")
        return
    label = {item.id: item.stratum or "-" for item in known.items}
    rows = [[item, str(number), label[item]] for number, items in enumerate(blocks, 1) for item in items]
    table(console(), ["item", "block", "stratum"], rows, words=["stratum"])
