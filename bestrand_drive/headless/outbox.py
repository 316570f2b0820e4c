"""Sensor frames on their way out, held back for a moment where sending them at once would block the client.

``apply_batch_sync(commands, True)`` keeps Python's interpreter lock while it waits for the snapshot of its tick.
Callbacks of listening sensors need that lock on the client's few streaming threads; once all of these wait for it, none
is left to take the snapshot in, and the client times out. Evaluators spawn so. Therefore, after the tick that follows a
batch in which the same client spawned or destroyed, sensor frames wait for a call that is no batch, or for ``HOLD_S``:
by then the client has its snapshot. A client that does nothing else, or whose callbacks from earlier ticks still wait,
can block itself all the same, here as with CARLA; more ``worker_threads`` help.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from bestrand_drive.headless.wire.streams import StreamHub

HOLD_S = 0.005
_MOST_TICKS = 8
"""Ticks whose frames are held together; a client that waits for its snapshots makes one or two in that time."""


class Outbox:
    """Sends sensor frames, some of them a little later."""

    def __init__(self, hub: StreamHub) -> None:
        self._hub = hub
        self._held: list[tuple[int, Sequence[bytes]]] = []
        self._ticks = 0
        self._due_s = 0.0

    def post(self, frames: Iterable[tuple[int, Sequence[bytes]]], *, may_skip: bool, hold: bool) -> None:
        """Send frames now, after those held before, or hold them too.

        Args:
            frames: Stream and whole frame in pieces.
            may_skip: Readers that lag may miss them.
            hold: The client may be waiting with the lock.
        """
        if hold and self._ticks < _MOST_TICKS:
            if not self._held:
                self._due_s = time.monotonic() + HOLD_S
            self._held.extend(frames)
            self._ticks += 1
            return
        self.release()
        for stream_id, parts in frames:
            self._hub.publish(stream_id, parts, may_skip=may_skip)

    def release(self) -> None:
        """Send what is held."""
        self._ticks = 0
        if self._held:
            held, self._held = self._held, []
            for stream_id, parts in held:
                self._hub.publish(stream_id, parts, may_skip=False)

    def release_due(self) -> None:
        """Send what is held if its time has come."""
        if self._held and time.monotonic() >= self._due_s:
            self.release()

    def patience_s(self, otherwise_s: float) -> float:
        """How long the server may sleep."""
        return min(max(self._due_s - time.monotonic(), 0.0), otherwise_s) if self._held else otherwise_s
