"""Running a command: every way it can end has its exit code and one clear message."""

from __future__ import annotations

import codecs
import io
import re
import sys
import traceback
from typing import Protocol, cast

import typer

from bestrand_drive.errors import BestrandError, ExitCode, UsageError, choices

CLOSED_PIPE = 141
"""128 + SIGPIPE, what a shell shows for a program whose reader has gone."""
_ParserError = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
"""What the parser raises on a wrong command line; its module differs between versions of typer."""


class _Shown(Protocol):
    """What there is of such an error for us."""

    message: str

    def show(self) -> None:
        """Print it with the command's usage."""


INTERRUPTED = "bestrand: interrupted; what was there before still is."


def run_command(app: typer.Typer, arguments: list[str], interrupted: str = INTERRUPTED) -> int:
    """Run a command on some arguments and return its exit code.

    Args:
        app: Holds the command.
        arguments: Behind the program's name.
        interrupted: What to say when Ctrl-C ended it; nothing for a command that has said so itself.
    """
    _print_anywhere()
    try:
        _check_text(arguments)
        code: object = app(arguments, standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        code = ExitCode.INTERRUPTED
    except SystemExit as left:  # with 0 from completion; else how typer ends a command whose reader has closed the pipe
        return CLOSED_PIPE if left.code else ExitCode.OK
    except Exception as error:
        return _report(error)
    if code == ExitCode.INTERRUPTED and interrupted:  # some versions of typer catch Ctrl-C and return its code
        print(interrupted, file=sys.stderr)
    return code if isinstance(code, int) else ExitCode.OK


def _print_anywhere() -> None:
    """Let standard output take every letter, whatever the locale: as JSON's escapes, which text can show as well."""
    codecs.register_error("bestrand", _escaped)
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="bestrand")


def _escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{high:02x}{low:02x}" for high, low in zip(units[::2], units[1::2], strict=True)), error.end


def _check_text(arguments: list[str]) -> None:
    """Refuse bytes that are no text: neither a suite's files nor the output could hold them.

    Raises:
        UsageError: Naming the argument.
    """
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"{argument!r}: not UTF-8 text; rename the file or folder.") from error


def _clearer(message: str) -> str:
    """A parser's message without the word of its validation, and with the choice that was nearly written."""
    said = message.removeprefix("Value error, ")
    found = re.fullmatch(r"'(.*)' is not one of ((?:'[^']*'(?:, )?)+)\.", said)
    near = choices(found[1], re.findall(r"'([^']*)'", found[2])).partition(". Did")[2] if found else ""
    return f"{said} Did{near}" if near else said


def _report(error: Exception) -> int:
    """Say what went wrong; only a defect of ours shows a traceback."""
    if isinstance(error, _ParserError):
        shown = cast(_Shown, error)
        shown.message = _clearer(shown.message)
        shown.show()
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
