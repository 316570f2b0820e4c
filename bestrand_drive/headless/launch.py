"""Start like CARLA's own binary: ``CarlaUE4.sh`` of an installed CARLA_ROOT runs this with CARLA's flags.

It is a door of its own beside ``bestrand headless serve``, so that an evaluator's server starts without loading torch.
What the installed script fixed stands before ``--``, CARLA's flags behind it: they stay on the command line, where
evaluators look for servers. An environment variable may add options, so that a test can order faults from a server that
an evaluator starts. CARLA's flags outrank the variable, and the variable the script.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from bestrand_drive.errors import BestrandError, ExitCode, UsageError
from bestrand_drive.headless.carla_flags import carla_flags
from bestrand_drive.headless.faults.order import parse_faults
from bestrand_drive.headless.options import ServeOptions

VARIABLE = "BESTRAND_HEADLESS_OPTIONS"
"""Environment variable with more options, split like a shell's: ``--fault crash@tick=50 --synchronous``."""


class _Parser(argparse.ArgumentParser):
    """Raises what is wrong instead of leaving."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.prog}: {message}")


def _seed(text: str) -> int:
    """A whole number from 0 on."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


_OPTIONS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "maps": ("--maps", {"type": Path, "action": "append"}),
    "map_name": ("--map", {}),
    "host": ("--host", {}),
    "carla_version": ("--carla-version", {}),
    "seed": ("--seed", {"type": _seed}),
    "synchronous": ("--synchronous", {"action": "store_true"}),
    "die_with_parent": ("--die-with-parent", {"action": "store_true"}),
    "faults": ("--fault", {"action": "append"}),
}
"""Field of ``ServeOptions`` -> its option and how that is read; ports are left to CARLA's flags."""


def script_arguments(options: ServeOptions) -> list[str]:
    """Options as arguments that ``command_line`` reads."""
    shown = vars(options) | {
        "maps": [os.path.abspath(folder) for folder in options.maps],
        "faults": [fault.text for fault in options.faults],
    }
    return [argument for field, (flag, _) in _OPTIONS.items() for argument in _written(flag, shown[field])]


def _written(flag: str, value: object) -> list[str]:
    """An option as it stands on a command line."""
    if isinstance(value, bool):
        return [flag] if value else []
    return [f"{flag}={one}" for one in (value if isinstance(value, list) else [value])]


def command_line(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[ServeOptions, list[str]]:
    """Options and unknown flags of a whole command line.

    The variable's folders of maps come before the script's, so that their towns are found first, its faults behind.

    Raises:
        UsageError: An option, a flag or the variable is wrong.
    """
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    script = _parse("CarlaUE4.sh", arguments[:cut])
    if not script.get("maps"):
        raise UsageError("CarlaUE4.sh: --maps is missing; install the folder again.")
    added = _parse(VARIABLE, _words(environment.get(VARIABLE, "")))
    both = script | added
    both["maps"] = (*added.get("maps", ()), *script["maps"])
    both["faults"] = parse_faults([*script.get("faults", ()), *added.get("faults", ())])
    return carla_flags(arguments[cut + 1 :], ServeOptions(**both))


def _words(text: str) -> list[str]:
    """The variable's value as arguments."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{VARIABLE}={text}: {error}.") from error


def _parse(place: str, arguments: Sequence[str]) -> dict[str, Any]:
    """The options that one place names, by field."""
    parser = _Parser(prog=place, allow_abbrev=False, add_help=False, argument_default=argparse.SUPPRESS)
    for field, (flag, how) in _OPTIONS.items():
        parser.add_argument(flag, dest=field, **how)
    return vars(parser.parse_args(arguments))


def main(arguments: Sequence[str]) -> int:
    """Serve as the flags say; the exit code."""
    try:
        options, unknown = command_line(arguments, os.environ)
        if unknown:
            print(f"headless server: flags without a meaning here: {' '.join(unknown)}", file=sys.stderr, flush=True)
        from bestrand_drive.headless.serving import serve  # noqa: PLC0415  flags are checked before carla is loaded

        return serve(options)
    except BestrandError as error:
        if error.exit_code == ExitCode.INTERNAL:
            raise
        print(f"headless server: {error}", file=sys.stderr)
        return error.exit_code
