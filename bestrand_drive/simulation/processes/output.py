"""The pipe into which a tree prints, and the log that it ends in."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from bestrand_drive.simulation.processes.capped_log import CappedLog

_CHUNK = 1 << 16


class Output:
    """Emptied as fast as it is filled, so that no flood makes the tree wait.

    Attributes:
        log: Where it goes.
        reader: Descriptor to wait on.
        writer: Descriptor for the tree.
    """

    def __init__(self, path: Path, limit_bytes: int) -> None:
        """Begin an empty log.

        Raises:
            OSError: The file cannot be made.
        """
        self.log = CappedLog(path, limit_bytes)
        self.reader, self.writer = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self.reader, False)

    def take(self) -> int:
        """Take one chunk; its size, 0 when there is nothing now."""
        try:
            content = os.read(self.reader, _CHUNK)
        except BlockingIOError:
            return 0
        self.log.write(content)
        return len(content)

    def finish(self) -> None:
        """Take the rest, once nobody writes any more."""
        while self.take():
            pass
        self.log.close()
        for end in (self.reader, self.writer):
            with contextlib.suppress(OSError):
                os.close(end)
