"""Where ordered faults strike: at the server's start, at loads, ticks and turns of its loop."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from bestrand_drive.headless.faults import deeds
from bestrand_drive.headless.faults.order import STDERR_FLOOD, TIMED, WRONG_VERSION, Fault
from bestrand_drive.headless.town_names import plain_name
from bestrand_drive.headless.versions import ProtocolVersion

FIRST_FLOOD_BYTES = 1 << 20
FLOOD_PERIOD_S = 0.05
"""Of ``FLOOD_BYTES`` each: 1.3 MB a second. No pipe holds it, and a log on disk survives a test."""
_MOST_FLOODS = 10
"""Made up for at a time: a server without work looks every ``server.PATIENCE_S``, and one that stood still forgets."""


class FaultHooks:
    """What the server asks at each of those moments; without faults it answers that all is well.

    Attributes:
        drop_streams: Closes every connection of a sensor stream; set once there is a server.
    """

    def __init__(self, faults: Sequence[Fault] = (), lasts: Callable[[], bool] = lambda: True) -> None:
        """Arm the faults.

        Args:
            faults: Those that were drawn.
            lasts: Whether the server is to go on.
        """
        self._lasts = lasts
        self._delay_s = sum(fault.seconds for fault in faults)
        self._floods = any(fault.kind == STDERR_FLOOD for fault in faults)
        self._version = next((fault.version for fault in faults if fault.kind == WRONG_VERSION), "")
        self._moments: dict[int | str, list[str]] = defaultdict(list)
        for fault in (fault for fault in faults if fault.kind in TIMED):
            self._moments[fault.tick or fault.town].append(fault.kind)
        self._ticks, self._flooded_s = 0, time.monotonic()
        self.drop_streams: Callable[[], None] = lambda: None

    def announced(self, version: ProtocolVersion) -> ProtocolVersion:
        """The protocol under the name that clients are told."""
        return replace(version, name=self._version) if self._version else version

    def before_listening(self) -> None:
        """The town is loaded and no port is open yet."""
        if self._floods:
            deeds.flood(self._lasts, FIRST_FLOOD_BYTES)
        deeds.wait(self._lasts, self._delay_s)

    def goes_on(self) -> bool:
        """Asked at every turn of the server's loop."""
        if self._floods:
            self._flood_due()
        return self._lasts()

    def _flood_due(self) -> None:
        """Write what was due since the last turn, however long that is ago."""
        late = int((time.monotonic() - self._flooded_s) / FLOOD_PERIOD_S)
        self._flooded_s += late * FLOOD_PERIOD_S
        for _ in range(min(late, _MOST_FLOODS)):
            deeds.flood(self._lasts)

    def loading(self, town: str) -> None:
        """A client asked for a town, which is not loaded yet."""
        self._strike(plain_name(town))

    def ticked(self) -> None:
        """The world has advanced; its snapshot has not gone out yet, and the call is not answered."""
        self._ticks += 1
        self._strike(self._ticks)

    def _strike(self, moment: int | str) -> None:
        """Do what was ordered for a moment."""
        for kind in self._moments.get(moment, ()):
            if kind == "drop-stream":
                self.drop_streams()
            elif kind == "hang":
                deeds.wait(self._lasts)
            elif kind == "crash":
                deeds.crash()
            elif kind == "oom-exit":
                deeds.run_out_of_memory()
            else:
                raise AssertionError(f"nothing is written for the fault {kind}")
