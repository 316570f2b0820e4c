"""The stop command of a tree that is to end: how long it may take."""

from __future__ import annotations


class Stopper:
    """The stop command on its way.

    Attributes:
        limit_s: What is left to it before it has begun; 0 when there is none, or no more.
        grace_s: For the tree after it.
        pid: Its id once it runs.
    """

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self.grace_s = 0.0
        self.pid: int | None = None
        self._until = 0.0

    def began(self, pid: int, now: float) -> None:
        """It was started."""
        self.pid, self._until = pid, now + self.limit_s

    def heard(self, pid: int) -> None:
        """A child has ended."""
        if pid == self.pid:
            self._until = 0.0

    def works(self, now: float) -> bool:
        """Whether it runs and has time left."""
        return now < self._until
