"""Ending a whole tree, from inside its subreaper: everything below it, however it left its parent or its session."""

from __future__ import annotations

import math
import signal

from bestrand_drive.simulation.processes.identity import ProcessId, Running, send_signal
from bestrand_drive.simulation.processes.tree import descendants

STUCK_S = 10.0


class TreeEnder:
    """SIGTERM once to each process, SIGKILL to all after the grace, until none is left.

    Attributes:
        asked: Whether the tree is to end.
    """

    def __init__(self, root: int) -> None:
        """End what is below ``root``, the subreaper; itself it is left alone."""
        self._root = root
        self._deadline = math.inf
        self._told: set[ProcessId] = set()
        self.asked = False

    def ask(self, grace_s: float, now: float) -> None:
        """End the tree; asking again can only make it sooner."""
        self.asked = True
        self._deadline = min(self._deadline, now + grace_s)

    def forced(self, now: float) -> bool:
        """Whether the grace is over."""
        return now >= self._deadline

    def stuck(self, now: float) -> bool:
        """Whether SIGKILL was so long ago that only the kernel can hold what is left."""
        return now >= self._deadline + STUCK_S

    def step(self, now: float) -> tuple[Running, ...]:
        """Signal whatever runs now, and return it; called until that is nothing."""
        found = descendants([self._root])
        for one in found:
            if self.forced(now):
                send_signal(one.process, signal.SIGKILL)
            elif one.process not in self._told:
                self._told.add(one.process)
                send_signal(one.process, signal.SIGTERM)
        return found
