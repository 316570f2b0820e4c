"""Processes that end with the script which started them, whatever ends it."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from bestrand_drive.simulation.processes.kernel import signal_when_parent_ends

Given = TypeVar("Given")
Found = TypeVar("Found")


def end_by_sigterm() -> None:
    """Let SIGTERM end this script as Ctrl-C does: what it has started is ended first."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def each(work: Callable[[Given], Found], given: Sequence[Given], workers: int) -> list[Found]:
    """The answers for some things, found by a function that worker processes can import."""
    with ProcessPoolExecutor(workers, initializer=_end_with_the_script) as executor:
        try:
            return list(executor.map(work, given))
        except BaseException:
            for one in multiprocessing.active_children():
                one.kill()  # what it is at would be waited for
            raise


def _end_with_the_script() -> None:
    """In a worker: it ends without a word by Ctrl-C on the terminal, and when the script is ended in another way."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal_when_parent_ends(signal.SIGKILL)
