"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Level(str, Enum):
    """How bad it is."""

    OK = "ok"
    WARNING = "warning"
    """A run starts, and may end otherwise than wanted."""
    FAIL = "fail"
    """A run does not start, or every route of it fails."""
    WAIT = "wait"
    """Nothing found yet: it is looked at now, which may take minutes."""
    SKIPPED = "skipped"
    """Not looked at: an option was not given, or an earlier check failed."""


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    Attributes:
        check: What was looked at.
        level: How bad it is.
        said: What was found.
        advice: What to do about it, "" when there is nothing to do.
    """

    check: str
    level: Level
    said: str
    advice: str = ""


def ok(check: str, said: str) -> Finding:
    """Nothing wrong."""
    return Finding(check, Level.OK, said)


def warning(check: str, said: str, advice: str) -> Finding:
    """A run starts, and may end otherwise than wanted."""
    return Finding(check, Level.WARNING, said, advice)


def fail(check: str, said: str, advice: str) -> Finding:
    """A run does not start, or every route of it fails."""
    return Finding(check, Level.FAIL, said, advice)


def wait(check: str, said: str) -> Finding:
    """It is looked at now, which may take minutes."""
    return Finding(check, Level.WAIT, said)


class NotLooked(Exception):
    """A check cannot be made; the message says what it lacks."""
