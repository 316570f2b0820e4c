"""The one exception tree, and the exit code of each branch.

::

    BestrandError            3  a defect of ours when raised bare
    ├── UsageError           2  a flag, a name or a configuration is wrong
    ├── DataRefused          4  an input file or table is not what it claims to be
    ├── NothingSelected      5  no subset satisfies what was asked
    ├── Incomplete           6  routes of a suite have no usable result
    └── EnvironmentFault     7  a server, a device or a port is not there

Every message says what is wrong, where, and what to do about it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from enum import IntEnum


class ExitCode(IntEnum):
    """What the ``bestrand`` command returns to the shell."""

    OK = 0
    GATE_FAILED = 1
    USAGE = 2
    INTERNAL = 3
    DATA_REFUSED = 4
    NOTHING_SELECTED = 5
    INCOMPLETE = 6
    ENVIRONMENT = 7
    INTERRUPTED = 130


class BestrandError(Exception):
    """Root of every error this package raises on purpose."""

    exit_code: ExitCode = ExitCode.INTERNAL


class UsageError(BestrandError):
    """A flag, a name or a configuration value is wrong."""

    exit_code = ExitCode.USAGE


class DataRefused(BestrandError):
    """An input file or table is damaged, foreign, or contradicts another one."""

    exit_code = ExitCode.DATA_REFUSED


class NothingSelected(BestrandError):
    """No subset satisfies the size and the guards that were asked for."""

    exit_code = ExitCode.NOTHING_SELECTED


class Incomplete(BestrandError):
    """Routes of a suite have no usable result."""

    exit_code = ExitCode.INCOMPLETE


class EnvironmentFault(BestrandError):
    """A server, a device or a port that is needed is not there."""

    exit_code = ExitCode.ENVIRONMENT


def choices(asked: str | Iterable[str], known: Iterable[str]) -> str:
    """The end of a message about words that are not known: what is, and which of it was nearly written.

    Args:
        asked: One word or several that are not known.
        known: What could have been asked for, in the order in which to list it.
    """
    names = list(known)
    near = {name: None for word in ([asked] if isinstance(asked, str) else asked) for name in _nearest(word, names)}
    listed = f"{', '.join(names) or 'none'}."
    return f"{listed} Did you mean {' or '.join(near)}?" if near else listed


def each_once(reasons: Iterable[tuple[str, str]]) -> list[str]:
    """Sentences ``A, B: reason`` of names and what holds for each: no reason is said twice."""
    names: dict[str, list[str]] = {}
    for name, reason in reasons:
        names.setdefault(reason, []).append(name)
    return [f"{', '.join(of)}: {reason}" for reason, of in names.items()]


def _nearest(word: str, names: list[str]) -> list[str]:
    """The name that is spelt most alike, whatever its case; none when nothing is near."""
    folded = {name.casefold(): name for name in reversed(names)}
    return [folded[one] for one in difflib.get_close_matches(word.casefold(), folded, n=1)]
