"""The ``bestrand`` command: parses, calls a workflow, prints; one clear message for a user's mistake."""

from __future__ import annotations

import sys
import traceback

import click
import typer

from bestrand_drive.cli import compress, estimate, inspect
from bestrand_drive.errors import BestrandError, ExitCode

app = typer.Typer(
    name="bestrand",
    help="Evaluate driving policies on a small, representative suite of routes, with honest error bars.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)
app.add_typer(compress.app, name="compress")
app.command("estimate")(estimate.estimate)
app.command("inspect")(inspect.inspect)


def main() -> None:
    """Run the command and leave with the exit code of what happened."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command on some arguments and return its exit code; nothing but usage help raises past it."""
    try:
        code = app(arguments, standalone_mode=False)
        return int(code) if isinstance(code, int) else ExitCode.OK
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return ExitCode.USAGE
    except BestrandError as error:
        print(f"bestrand: {error}", file=sys.stderr)
        if error.exit_code == ExitCode.INTERNAL:
            traceback.print_exc()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        print("bestrand: interrupted; nothing was written.", file=sys.stderr)
        return ExitCode.INTERRUPTED
    except OSError as error:
        print(f"bestrand: {error.filename or 'a file'}: {error.strerror or error}. Nothing was written.", file=sys.stderr)
        return ExitCode.ENVIRONMENT
    except Exception:  # noqa: BLE001  the last resort: a defect of ours, shown whole so that it can be reported
        traceback.print_exc()
        print("bestrand: this is a defect of bestrand_drive; please report it with the lines above.", file=sys.stderr)
        return ExitCode.INTERNAL
