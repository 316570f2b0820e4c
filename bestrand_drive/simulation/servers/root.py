"""What a CARLA_ROOT says of itself: which simulator it is, and of which version."""

from __future__ import annotations

import re
from pathlib import Path

from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.attempts.key import Simulator
from bestrand_drive.simulation.servers.command import SCRIPT

HEADLESS_MARK = "# Written by `bestrand headless install`"
"""In the start script of a headless server."""
VERSION_FILE = "VERSION"
"""CARLA's releases bring it."""
_OF_SCRIPT = re.compile(r"--carla-version=(\S+)")
_LIMIT = 1 << 16


def find_simulator(root: Path | None, said: Simulator | None) -> Simulator:
    """What simulates.

    Args:
        root: CARLA's folder, None when a command of the user's starts the server.
        said: By the user; None to look.

    Raises:
        UsageError: A headless server is said to be CARLA: its scores never are.
    """
    headless = HEADLESS_MARK in _text(root, SCRIPT)
    if headless and said == "carla":
        raise UsageError(
            f"--simulator carla: {root} starts the headless server, whose scores are not CARLA's. Leave the option out."
        )
    return said or ("headless" if headless else "carla")


def find_version(root: Path | None, said: str | None) -> str:
    """Version of the server; one that announces another is refused when it starts.

    Raises:
        UsageError: Neither the folder nor the user tells.
    """
    script = _OF_SCRIPT.search(_text(root, SCRIPT))
    found = said or _text(root, VERSION_FILE).strip() or (script[1] if script else "")
    if not found:
        raise UsageError(
            f"{root or '--server-command'}: does not tell its CARLA version (no file {VERSION_FILE}). "
            "Give --carla-version, such as 0.9.15."
        )
    return found


def is_version(announced: str, wanted: str) -> bool:
    """Whether a server is of a version; builds add to its name: ``0.9.15-dirty``, ``0.9.15-187-g8b3d``."""
    return announced == wanted or announced.startswith(f"{wanted}-")


def _text(root: Path | None, name: str) -> str:
    try:
        with ((root or Path("/nonexistent")) / name).open("rb") as stream:
            return stream.read(_LIMIT).decode("utf-8", "replace")
    except OSError:
        return ""
