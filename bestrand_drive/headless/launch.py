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
from typing import NoReturn

from bestrand_drive.errors import BestrandError, ExitCode, UsageError
from bestrand_drive.headless.carla_flags import carla_flags
from bestrand_drive.headless.faults.order import parse_faults
from bestrand_drive.headless.options import DEFAULT_MAP, DEFAULT_VERSION, LOOPBACK, ServeOptions

VARIABLE = "BESTRAND_HEADLESS_OPTIONS"
"""Environment variable with more options, split like a shell's: ``--fault crash@tick=50 --synchronous``."""


class _Parser(argparse.ArgumentParser):
    """Raises what is wrong instead of leaving."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.prog}: {message}")


def script_arguments(options: ServeOptions) -> list[str]:
    """Options as arguments that ``command_line`` reads; ports are left to CARLA's flags."""
    maps = [part for folder in options.maps for part in ("--maps", os.path.abspath(folder))]
    return [
        *maps,
        f"--map={options.map_name}",
        f"--host={options.host}",
        f"--carla-version={options.carla_version}",
        f"--seed={options.seed}",
        *(["--synchronous"] if options.synchronous else []),
        *(["--die-with-parent"] if options.die_with_parent else []),
        *(f"--fault={fault.text}" for fault in options.faults),
    ]


def command_line(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[ServeOptions, list[str]]:
    """Options and unknown flags of a whole command line.

    Raises:
        UsageError: An option, a flag or the variable is wrong.
    """
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    given = _parse("CarlaUE4.sh", arguments[:cut], argparse.Namespace())
    if not given.maps:
        raise UsageError("CarlaUE4.sh: --maps is missing; install the folder again.")
    given = _parse(VARIABLE, _words(environment.get(VARIABLE, "")), given)
    options = ServeOptions(
        maps=tuple(given.maps),
        map_name=given.map,
        host=given.host,
        carla_version=given.carla_version,
        seed=given.seed,
        synchronous=given.synchronous,
        die_with_parent=given.die_with_parent,
        faults=parse_faults(given.fault),
    )
    return carla_flags(arguments[cut + 1 :], options)


def _words(text: str) -> list[str]:
    """The variable's value as arguments."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{VARIABLE}={text}: {error}.") from error


def _parse(place: str, arguments: Sequence[str], known: argparse.Namespace) -> argparse.Namespace:
    """Options of one place, on top of those that are known."""
    parser = _Parser(prog=place, allow_abbrev=False, add_help=False)
    parser.add_argument("--maps", type=Path, action="append", default=[])
    parser.add_argument("--map", default=DEFAULT_MAP)
    parser.add_argument("--host", default=LOOPBACK)
    parser.add_argument("--carla-version", default=DEFAULT_VERSION)
    parser.add_argument("--seed", type=_seed, default=0)
    parser.add_argument("--synchronous", action="store_true")
    parser.add_argument("--die-with-parent", action="store_true")
    parser.add_argument("--fault", action="append", default=[])
    return parser.parse_args(arguments, known)


def _seed(text: str) -> int:
    """A whole number from 0 on."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


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
