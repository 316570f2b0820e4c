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
from bestrand_drive.simulation.servers.command import SCRIPT
from bestrand_drive.simulation.servers.root import HEADLESS_MARK, VERSION_FILE

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
    version = root / VERSION_FILE
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
