"""What only Linux has, and what this package's processes ask of it (prctl(2))."""

from __future__ import annotations

import ctypes
import os
import sys

from bestrand_drive.errors import EnvironmentFault

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def require_linux() -> None:
    """Refuse where processes cannot be held together.

    Raises:
        EnvironmentFault: This is not Linux.
    """
    if sys.platform != "linux":
        raise EnvironmentFault(
            f"policies are run on Linux only (this is {sys.platform}): CARLA's evaluators and their servers are held "
            "together by means that other systems do not have. Compressing and estimating work here."
        )


def become_subreaper() -> None:
    """Be the parent of every descendant whose own parent ends."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def signal_when_parent_ends(number: int) -> None:
    """Be told when the *thread* that started this process ends, which need not be the end of its process."""
    _prctl(_PR_SET_PDEATHSIG, number)


def _prctl(option: int, value: int) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), f"prctl({option})")
