"""Start like CARLA's own binary: ``CarlaUE4.sh`` of an installed CARLA_ROOT runs this module with CARLA's flags.

It is a door of its own beside ``bestrand headless serve``, so that an evaluator's server starts without loading torch.
Flags of Unreal without a meaning here are ignored; they stay on the command line, where evaluators look for servers.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bestrand_drive.errors import BestrandError, ExitCode, UsageError
from bestrand_drive.headless.options import DEFAULT_MAP, DEFAULT_VERSION, LOOPBACK, ServeOptions

IGNORED = (
    "-renderoffscreen", "-nosound", "-graphicsadapter", "-quality-level", "-nullrhi", "-carla-primary-port",
    "-carla-primary-host", "-carla-secondary-port", "-carla-server", "-opengl", "-vulkan", "-windowed", "-fullscreen",
    "-resx", "-resy", "-benchmark", "-fps", "-prefernvidia", "-nohmd", "-log", "-stdout", "-ros2", "-rpcthreads",
    "-streamingthreads", "-secondarythreads", "-ini",
)  # fmt: skip
"""Flags of CARLA and Unreal that change nothing here, in lower case and without their value."""
_RPC_PORT = ("-carla-rpc-port", "-carla-port", "-carla-world-port", "-world-port")


def carla_flags(flags: Sequence[str], defaults: ServeOptions) -> tuple[ServeOptions, list[str]]:
    """Options from CARLA's command line, and the flags that nobody knows.

    Args:
        flags: Such as ``-carla-rpc-port=2000``; a name without a dash is the map, as for Unreal.
        defaults: What holds without flags.

    Raises:
        UsageError: A port is no number between 0 and 65535.
    """
    options, unknown = defaults, []
    for flag in flags:
        name, _, value = flag.partition("=")
        name = name.lower()
        if name in _RPC_PORT:
            options = replace(options, port=_port(flag, value))
        elif name == "-carla-streaming-port":
            options = replace(options, streaming_port=_port(flag, value))
        elif not flag.startswith("-"):
            options = replace(options, map_name=flag)
        elif name not in IGNORED:
            unknown.append(flag)
    return options, unknown


def _port(flag: str, value: str) -> int:
    """A port number."""
    if not (value.isascii() and value.isdigit() and int(value) <= 65535):
        raise UsageError(f"{flag}: a port is a number up to 65535.")
    return int(value)


def _defaults(arguments: Sequence[str]) -> tuple[ServeOptions, list[str]]:
    """What the installed script fixed, and the flags that follow ``--``."""
    parser = argparse.ArgumentParser(prog="CarlaUE4.sh", allow_abbrev=False)
    parser.add_argument("--maps", type=Path, action="append", required=True)
    parser.add_argument("--map", default=DEFAULT_MAP)
    parser.add_argument("--host", default=LOOPBACK)
    parser.add_argument("--carla-version", default=DEFAULT_VERSION)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("flags", nargs="*")
    given = parser.parse_args(arguments)
    options = ServeOptions(
        maps=tuple(given.maps),
        map_name=given.map,
        host=given.host,
        carla_version=given.carla_version,
        seed=given.seed,
    )
    return options, given.flags


def main(arguments: Sequence[str]) -> int:
    """Serve as the flags say; the exit code."""
    try:
        options, unknown = command_line(arguments)
        if unknown:
            print(f"headless server: flags without a meaning here: {' '.join(unknown)}", file=sys.stderr)
        from bestrand_drive.headless.serving import serve  # noqa: PLC0415  flags are checked before carla is loaded

        return serve(options)
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except BestrandError as error:
        if error.exit_code == ExitCode.INTERNAL:
            raise
        print(f"headless server: {error}", file=sys.stderr)
        return error.exit_code


def command_line(arguments: Sequence[str]) -> tuple[ServeOptions, list[str]]:
    """Options and unknown flags of a whole command line."""
    defaults, flags = _defaults(arguments)
    return carla_flags(flags, defaults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
