"""CARLA's own command line: what of it means something here, what is ignored, and what nobody knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bestrand_drive.errors import UsageError
from bestrand_drive.headless.options import ServeOptions

RPC_PORT = frozenset({"-carla-rpc-port", "-carla-port", "-carla-world-port", "-world-port"})
STREAMING_PORT = "-carla-streaming-port"
IGNORED = frozenset({
    "-renderoffscreen", "-nosound", "-nullrhi", "-carla-server", "-opengl", "-opengl3", "-opengl4", "-vulkan",
    "-windowed", "-fullscreen", "-benchmark", "-prefernvidia", "-nohmd", "-log", "-stdout", "-fullstdoutlogoutput",
    "-ros2", "-unattended", "-nosplash", "-dx11", "-dx12",
})  # fmt: skip
"""Flags of CARLA and Unreal that change nothing here, in lower case."""
IGNORED_WITH_VALUE = frozenset({
    "-graphicsadapter", "-quality-level", "-fps", "-resx", "-resy", "-winx", "-winy", "-carla-settings", "-ini",
    "-carla-primary-port", "-carla-primary-host", "-carla-secondary-port", "-rpcthreads", "-streamingthreads",
    "-secondarythreads", "-abslog",
})  # fmt: skip
"""Such flags with a value, behind ``=`` or as the next word."""
_LONGEST_PORT = 20
"""Digits, leading zeros among them; Python reads no number of thousands."""


def carla_flags(flags: Sequence[str], defaults: ServeOptions) -> tuple[ServeOptions, list[str]]:
    """Options from CARLA's command line, and the words that nobody knows.

    Args:
        flags: Such as ``-carla-rpc-port=2000``. A first word without a dash is the map, ``Town02`` or
            ``/Game/Carla/Maps/Town02``; Unreal takes it nowhere else.
        defaults: What holds without flags.

    Raises:
        UsageError: A port is no number between 0 and 65535, with ``=`` before it, or a flag looks like that of a port
            and is none.
    """
    options, words, unknown = defaults, iter(flags), []
    if flags and not flags[0].startswith("-"):
        options = replace(options, map_name=next(words))
    for flag, value in _pairs(words):
        name = flag.partition("=")[0].lower()
        if name in RPC_PORT:
            options = replace(options, port=_port(flag, value))
        elif name == STREAMING_PORT:
            options = replace(options, streaming_port=_port(flag, value))
        elif name not in IGNORED and name not in IGNORED_WITH_VALUE:
            _check_no_port(flag)
            unknown.append(flag)
    return options, unknown


def _pairs(words: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Flags with their values; the word after a known flag that has none yet belongs to it."""
    word = next(words, None)
    while word is not None:
        name, sign, value = word.partition("=")
        after = next(words, None)
        if not sign and name.lower() in IGNORED_WITH_VALUE and after is not None and not after.startswith("-"):
            after = next(words, None)
        yield word, value
        word = after


def _check_no_port(flag: str) -> None:
    """Refuse what is meant for a port: a server that ignored it would listen where nobody looks for it.

    Raises:
        UsageError: Its name ends like a port's.
    """
    name = flag.partition("=")[0]
    if name.startswith("-") and name.lower().endswith(("port", "ports")):
        raise UsageError(f"{name}: no flag for a port; they are {', '.join(sorted({*RPC_PORT, STREAMING_PORT}))}.")


def _port(flag: str, value: str) -> int:
    """A port number."""
    if not (value.isascii() and value.isdigit() and len(value) <= _LONGEST_PORT and int(value) <= 65535):
        raise UsageError(f"{flag}: a port is a number up to 65535, written like {flag.partition('=')[0]}=2000.")
    return int(value)
