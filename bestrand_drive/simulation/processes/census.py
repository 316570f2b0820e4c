"""Now and then: who is in the tree, for the record."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from bestrand_drive.simulation.processes.identity import ProcessId, identify
from bestrand_drive.simulation.processes.records import StopCommand, write_record
from bestrand_drive.simulation.processes.tree import descendants


class Census:
    """Of everything below this process."""

    def __init__(self, record: Path, every_s: float, stop: StopCommand | None = None) -> None:
        self._record, self._stop = record, stop
        self._every_s = every_s
        self._next = 0.0
        self._known: frozenset[ProcessId] = frozenset()

    def begin(self) -> None:
        """Write down what ends the tree, before there is one.

        Raises:
            OSError: There is a stop command, and it cannot be written down: no mark would tell of a container.
        """
        if self._stop is None:
            self._write(())
            return
        try:
            self._put(())
        except OSError as error:
            error.filename = str(self._record)
            raise

    def look(self, now: float) -> None:
        """Look again when it is time."""
        if now < self._next:
            return
        self._next = now + self._every_s
        known = frozenset(one.process for one in descendants([os.getpid()]))
        if known != self._known:
            self._known = known
            self._write(sorted(known))

    def _write(self, known: Iterable[ProcessId]) -> None:
        with contextlib.suppress(OSError):  # a full disk: marks tell the rest
            self._put(known)

    def _put(self, known: Iterable[ProcessId]) -> None:
        write_record(self._record, [one for one in (identify(os.getpid()), *known) if one], self._stop)

    def close(self) -> None:
        """Nothing is left to be written down."""
        self._record.unlink(missing_ok=True)
