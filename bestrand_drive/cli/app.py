"""The ``bestrand`` command: parses, calls a workflow, prints; one clear message for a user's mistake."""

from __future__ import annotations

from importlib import metadata
from typing import Annotated

import typer

from bestrand_drive.cli.command import INTERRUPTED, run_command
from bestrand_drive.cli.examples import Command
from bestrand_drive.cli.lazy import LazyGroup

app = typer.Typer(name="bestrand", cls=LazyGroup, no_args_is_help=True, pretty_exceptions_enable=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"bestrand {metadata.version('bestrand-drive')}")
        raise typer.Exit


@app.callback(epilog="Each command says more, with examples: bestrand COMMAND --help")
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Evaluate driving policies on a small, representative suite of routes, with honest error bars."""


def run(arguments: list[str]) -> int:
    """Run the command on some arguments and return its exit code."""
    serving = arguments[:2] == ["headless", "serve"]  # which says itself that it was interrupted
    return run_command(app, arguments, interrupted="" if serving else INTERRUPTED)


def every_command() -> dict[str, Command]:
    """All commands that help shows, groups too, by their words: ``compress``, ``compress bench2drive``, ..."""
    root: Command = typer.main.get_command(app)
    found: dict[str, Command] = {}
    for name in root.commands:
        found |= _with_those_below(name, root.loaded(name))
    return found


def _with_those_below(words: str, command: Command) -> dict[str, Command]:
    found = {words: command}
    for name, one in getattr(command, "commands", {}).items():
        if not one.hidden:
            found |= _with_those_below(f"{words} {name}", one)
    return found
