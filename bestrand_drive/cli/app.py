"""The ``bestrand`` command: parses, calls a workflow, prints; one clear message for a user's mistake."""

from __future__ import annotations

import sys
import traceback
from importlib import metadata
from typing import Annotated

import typer

from bestrand_drive.cli import compress, estimate, headless, inspect
from bestrand_drive.errors import BestrandError, ExitCode

app = typer.Typer(
    name="bestrand",
    help="Evaluate driving policies on a small, representative suite of routes, with honest error bars.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(compress.app, name="compress")
app.add_typer(headless.app, name="headless")
app.command("estimate")(estimate.estimate)
app.command("inspect")(inspect.inspect)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"bestrand {metadata.version('bestrand-drive')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Evaluate driving policies on a small, representative suite of routes, with honest error bars."""


CLOSED_PIPE = 141
"""128 + SIGPIPE, what a shell shows for a program whose reader has gone."""
_ParserError = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
"""What the parser raises on a wrong command line; its module differs between versions of typer."""


def run(arguments: list[str]) -> int:
    """Run the command on some arguments and return its exit code."""
    try:
        code: object = app(arguments, standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        code = ExitCode.INTERRUPTED
    except SystemExit:
        return CLOSED_PIPE  # how typer ends a command whose reader has closed the pipe
    except Exception as error:
        return _report(error)
    if code == ExitCode.INTERRUPTED:  # some versions of typer catch Ctrl-C themselves and return its code
        print("bestrand: interrupted; what was there before still is.", file=sys.stderr)
    return code if isinstance(code, int) else ExitCode.OK


def _report(error: Exception) -> int:
    """Say what went wrong; only a defect of ours shows a traceback."""
    if isinstance(error, _ParserError):
        error.show()  # type: ignore[attr-defined]
        return ExitCode.USAGE
    if isinstance(error, OSError):
        place = error.filename or "a file"
        print(f"bestrand: {place}: {error.strerror or error}; what was there before still is.", file=sys.stderr)
        return ExitCode.ENVIRONMENT
    if isinstance(error, BestrandError) and error.exit_code != ExitCode.INTERNAL:
        print(f"bestrand: {error}", file=sys.stderr)
        return error.exit_code
    traceback.print_exception(error)
    print("bestrand: this is a defect of bestrand_drive; please report it with the lines above.", file=sys.stderr)
    return ExitCode.INTERNAL
