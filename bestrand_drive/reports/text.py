"""Foreign text made fit for a page: control characters made visible, long names shortened, each still one of a kind."""

from __future__ import annotations

import re
from collections.abc import Iterable

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
"""Colours and titles that programs send to terminals (ECMA-48)."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""What HTML has no place for, and what would turn the direction of the text around it."""
LONGEST = 44
"""Letters of a name that are shown."""


def plain_text(text: str) -> str:
    """Text without terminal colours; other control characters become the replacement character."""
    return _CONTROL.sub("\ufffd", _ESCAPES.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def one_line(text: str) -> str:
    """The same as one line."""
    return re.sub(r"\s+", " ", plain_text(text)).strip()


def short(name: str, most: int = LONGEST) -> str:
    """A name's beginning and end."""
    name = one_line(name)
    return name if len(name) <= most else f"{name[: most - 13]}…{name[-12:]}"


def labels(names: Iterable[str]) -> dict[str, str]:
    """Short names, by name; those that would look alike are numbered."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        label = base = short(name) or "(no name)"
        number = 1
        while label in taken:
            number += 1
            label = f"{base} ({number})"
        found[name] = label
        taken.add(label)
    return found
