"""``bestrand share``: a suite in one file for another lab."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from bestrand_drive.benchmarks.builtin_routes import NAME as BUILTIN
from bestrand_drive.cli.tables import console, say, sentences
from bestrand_drive.errors import UsageError
from bestrand_drive.files import dump_json, write_atomic
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.choosing.suite_folder import OWN_NAMES
from bestrand_drive.workflows.sharing.share import share_suite


def share(
    suite: Annotated[Path, typer.Argument(help="Suite folder.", show_default=False)],
    out: Annotated[Path, typer.Option(help="File to write, such as suite.share.json.", show_default=False)],
    routes: Annotated[
        Path | None,
        typer.Option(help="What the suite was made from, to name every route's content.", show_default=False),
    ] = None,
    probe_data: Annotated[
        Literal["auto", "yes", "no"],
        typer.Option(help="Per-item probe figures; auto: if every probe's --licence permits it (MIT, CC-BY, ...)."),
    ] = "auto",
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Write what another lab needs to make the same suite of its own route file: no routes are in it.

    Example: bestrand share suite/ --out suite.share.json
    """
    if out.exists() and not force:
        raise UsageError(f"--out {out}: is there already; add --force to replace it.")
    _check_no_input(out, suite, routes)
    if not out.resolve().parent.is_dir():
        raise UsageError(f"--out {out}: the folder does not exist; make it first.")
    shared = share_suite(suite, routes=routes, probe_data=probe_data)
    write_atomic(out, shared.to_json())
    known = shared.suite
    if as_json:
        told = {"file": str(out), "digest": known.choice_digest(), "k": known.k, "n": known.n}
        print(dump_json(told | {"routes": len(shared.routes), "left_out": shared.left_out}).decode(), end="")
        return
    to = console()
    hashes = f", content hashes of {len(shared.routes)} routes" if shared.routes else ""
    say(to, f"wrote {out}: {known.k} of {known.n} items of {known.benchmark} ({known.route_set}){hashes}")
    say(to, f"digest: {known.choice_digest()}")
    sentences(to, [shared.left_out] if shared.left_out else [])
    mine = _own(known) if shared.routes else "--items items.csv "
    say(to, f"the other lab:  bestrand materialize {out.name} {mine}--out suite/")


def _own(suite: Suite) -> str:
    """The option that says which routes of its own the other lab takes: none for all that are shipped."""
    shipped, _, part = suite.route_set.partition("-")
    if suite.benchmark != BUILTIN or shipped != BUILTIN:
        return "--routes mine.xml "
    return f"--part {part} " if part else ""


def _check_no_input(out: Path, suite: Path, routes: Path | None) -> None:
    """Refuse to write over what is read, which --force would lose.

    Raises:
        UsageError: ``out`` is a file of the suite, or of the routes.
    """
    place, folder = out.resolve(), suite.resolve()
    of_suite = place.is_relative_to(folder) and (place == folder or place.relative_to(folder).parts[0] in OWN_NAMES)
    if of_suite or (routes is not None and place.is_relative_to(routes.resolve())):
        raise UsageError(f"--out {out}: belongs to what is shared; give another file, such as suite.share.json.")
