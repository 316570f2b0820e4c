"""What a CARLA_ROOT holds, read from its files: a release of CARLA, or an installed headless server."""

from __future__ import annotations

import itertools
import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.errors import UsageError
from bestrand_drive.files import read_bytes
from bestrand_drive.simulation.attempts.key import Simulator
from bestrand_drive.simulation.servers.command import SCRIPT

HEADLESS_MARK = "# Written by `bestrand headless install`"
_MORE = "BESTRAND_HEADLESS_OPTIONS"
_LIMIT_MIB = 1
_OPTIMISED = "_Opt"


@dataclass(frozen=True)
class CarlaRoot:
    """A server's folder.

    Attributes:
        headless: Whether it starts the headless server.
        version: As it says itself, "" when it does not.
        towns: Names of its maps, None when they cannot be seen from outside.
    """

    headless: bool
    version: str
    towns: frozenset[str] | None

    def missing(self, wanted: Sequence[str]) -> list[str]:
        """Towns that it does not have; ``Town01`` and ``Town01_Opt`` are the same roads."""
        had = {town.removesuffix(_OPTIMISED) for town in self.towns or ()}
        return [town for town in wanted if town.removesuffix(_OPTIMISED) not in had]


def look_into(root: Path) -> CarlaRoot:
    """Look at a folder.

    Raises:
        DataRefused: Its script cannot be read.
        UsageError: Its options, or those of the variable, are no shell's words.
    """
    script = read_bytes(root / SCRIPT, limit_mib=_LIMIT_MIB).decode("utf-8", "replace")
    if HEADLESS_MARK in script:
        return _headless(script)
    version = root / "VERSION"
    said = read_bytes(version, limit_mib=_LIMIT_MIB).decode("utf-8", "replace").strip() if version.is_file() else ""
    return CarlaRoot(False, said, _towns(root / "CarlaUE4/Content"))


def _towns(content: Path) -> frozenset[str] | None:
    """Maps of a release: every ``.umap`` below a ``Maps`` folder; a map in a packed file is not seen."""
    found = {path.stem for folder in content.glob("*/Maps") for path in folder.rglob("*.umap")}
    return frozenset(found) if found else None


def _headless(script: str) -> CarlaRoot:
    """Of the options in the script and in the variable that it reads, which come later."""
    words = [*_started(script), *_split(_MORE, os.environ.get(_MORE, ""))]
    folders = [Path(value) for value in _values(words, "--maps")]
    versions = list(_values(words, "--carla-version"))
    towns = frozenset(path.stem for folder in folders for path in folder.glob("*.xodr"))
    return CarlaRoot(True, versions[-1] if versions else "", towns)


def _started(script: str) -> list[str]:
    """Words of the command that it becomes, up to CARLA's flags."""
    line = next((line for line in script.splitlines() if line.startswith("exec ")), "")
    words = _split(SCRIPT, line)
    return words[: words.index("--")] if "--" in words else words


def _split(place: str, text: str) -> list[str]:
    """Words of a shell's line."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{place}: {text}: {error}.") from error


def _values(words: Sequence[str], flag: str) -> Iterator[str]:
    """Values of a flag, written with a space or an equals sign."""
    for word, following in itertools.zip_longest(words, words[1:], fillvalue=""):
        if word == flag:
            yield following
        elif word.startswith(f"{flag}="):
            yield word.partition("=")[2]


def find_simulator(root: Path | None, said: Simulator | None) -> Simulator:
    """What simulates.

    Args:
        root: CARLA's folder, None when a command of the user's starts the server.
        said: By the user; None to look.

    Raises:
        UsageError: A headless server is said to be CARLA: its scores never are.
    """
    headless = (seen := _seen(root)) is not None and seen.headless
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
    seen = _seen(root)
    found = said or (seen.version if seen else "")
    if not found:
        raise UsageError(
            f"{root or '--server-command'}: does not tell its CARLA version (no file VERSION). "
            "Give --carla-version, such as 0.9.15."
        )
    return found


def _seen(root: Path | None) -> CarlaRoot | None:
    """A server's folder, if it is one: beside ``--server-command`` it may hold CARLA's Python API alone."""
    return look_into(root) if root is not None and (root / SCRIPT).is_file() else None


def is_version(announced: str, wanted: str) -> bool:
    """Whether a server is of a version; builds add to its name: ``0.9.15-dirty``, ``0.9.15-187-g8b3d``."""
    return announced == wanted or announced.startswith(f"{wanted}-")
