"""A log of bounded size: the beginning and the newest end of what a command prints, readable at any time."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_COPY = 1 << 20


class CappedLog:
    """One file: a head of a quarter of the limit, then the newest output.

    When the file reaches its limit the middle is taken out: of what follows the head the newer half stays. So a flood
    costs twice its size in writes, and never more than the limit in space. A disk that is full loses output, nothing
    else: who prints must not wait for it.
    """

    def __init__(self, path: Path, limit_bytes: int) -> None:
        """Begin an empty log.

        Args:
            path: Its file.
            limit_bytes: 4096 at least.

        Raises:
            OSError: The file cannot be made.
        """
        self._limit = max(limit_bytes, 4096)
        self._head = self._limit // 4
        self._size = self._taken = 0
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)

    def write(self, content: bytes) -> None:
        """Take in some output."""
        self._taken += len(content)
        with contextlib.suppress(OSError):
            self._append(memoryview(content))

    def close(self) -> None:
        """No more output."""
        os.close(self._file)

    def _append(self, rest: memoryview) -> None:
        while rest:
            if self._size >= self._limit:
                self._take_out_the_middle(len(rest))
            written = os.pwrite(self._file, rest[: self._limit - self._size], self._size)
            self._size += written
            rest = rest[written:]

    def _take_out_the_middle(self, waiting: int) -> None:
        """Keep head and newer half; ``waiting`` bytes were taken and are not written yet."""
        keep = (self._size - self._head) // 2
        newest = self._read(self._size - keep, keep)
        lost = self._taken - waiting - self._head - keep
        notice = f"\n[... {lost} bytes were left out here ...]\n".encode()
        os.ftruncate(self._file, self._head)
        self._size = self._head
        for part in (notice, newest):
            self._size += os.pwrite(self._file, part, self._size)

    def _read(self, start: int, length: int) -> bytes:
        parts = []
        while length > 0 and (part := os.pread(self._file, min(_COPY, length), start)):
            parts.append(part)
            start, length = start + len(part), length - len(part)
        return b"".join(parts)
