"""The command that makes a second suite of the same kind without the items of the first."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from bestrand_drive.suite.schema import Suite

_DROPPED = {"--force"}
_REPLACED = {"--out"}
"""Options of the first command, and those with a value, that the second gets anew."""


def disjoint_command(suite: Suite, place: Path | None) -> str:
    """The command, "" where fewer items are left than the suite has.

    It is the one that made the suite, as its ``provenance.json`` tells, with another place; where that does not tell,
    the options are left to be filled in.

    Args:
        suite: The first suite.
        place: Its folder, or None.
    """
    if suite.n - suite.k - len(suite.choice.excluded) < suite.k:
        return ""
    folder = Path("suite") if place is None else place.parent if place.is_file() else place
    made = _made_by(folder) if place is not None else []
    words = made or ["compress", suite.benchmark, "..."]
    return shlex.join(["bestrand", *words, "--disjoint-from", str(folder), "--out", f"{folder}-again"])


def _made_by(folder: Path) -> list[str]:
    """Words of the command behind ``bestrand``, without what the second gets anew; [] when not known."""
    try:
        command = json.loads((folder / "provenance.json").read_text())["command"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    words = command[1:] if isinstance(command, list) and all(isinstance(word, str) for word in command) else []
    if words[:1] != ["compress"]:
        return []
    kept, skip = [], False
    for word in words:
        name, _, value = word.partition("=")
        if skip or word in _DROPPED or name in _REPLACED:
            skip = name in _REPLACED and not value and not skip
            continue
        kept.append(word)
    return kept
