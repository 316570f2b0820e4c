"""The worker's side: slots with scratch on this host, whose logs go to the run folder that all hosts see."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass

from bestrand_drive.benchmarks.routes import RouteFile
from bestrand_drive.errors import BestrandError
from bestrand_drive.files import write_atomic
from bestrand_drive.simulation.crews.letters import Answer, Order, Seen, Told
from bestrand_drive.simulation.slots.cell import Cell, Finished, Sharing
from bestrand_drive.simulation.slots.keeping import Keeper
from bestrand_drive.simulation.slots.settings import Settings
from bestrand_drive.simulation.slots.slot import Slot


@dataclass
class _Word:
    """Whether what a slot does is to end; see ``Halt``."""

    asked: bool = False
    forced: bool = False


class Workplace:
    """Slots of a worker; orders come as plain data, whoever carries them.

    Args:
        settings: Of all attempts, with a layout in this host's scratch.
        keeper: Of what failed ones leave, in the run folder.
        files: Route id -> the file that holds the route.
        servers: Slots.
        name: Of the worker, in the names of its servers' logs.
    """

    def __init__(
        self, settings: Settings, keeper: Keeper, files: Mapping[str, RouteFile], servers: int, name: str
    ) -> None:
        self._files, self._own, self._logs = files, settings.layout.logs, keeper.layout.logs
        for folder in (settings.layout.logs, settings.layout.work):
            folder.mkdir(parents=True, exist_ok=True)
        self._words = [_Word() for _ in range(servers)]
        self._slots = [Slot(place, settings, keeper, word, name) for place, word in enumerate(self._words)]
        self._orders: dict[int, int] = {}
        self._stops: dict[int, bool] = {}
        self._lock = threading.Lock()

    @property
    def gpus(self) -> tuple[str | None, ...]:
        """One entry a slot: its GPU."""
        return tuple(slot.gpu_name for slot in self._slots)

    @property
    def seen(self) -> tuple[Seen, ...]:
        """What the slots do now."""
        found = []
        for place, number in list(self._orders.items()):
            if now := self._slots[place].situation:
                found.append(Seen(order=number, state=now.state, ticks=now.ticks, speed=now.speed))
        return tuple(found)

    def make(self, number: int, order: Order) -> Answer:
        """Make an attempt, one at a time a slot; what failed here, whatever the route, is a fault in the answer.

        Args:
            number: Of the order.
            order: It.
        """
        word = self._words[order.slot]
        with self._lock:
            if number in self._stops:
                return Answer(Told(attempt=None))
            word.asked = word.forced = False
            self._orders[order.slot] = number
        try:
            return self._make(order)
        except (BestrandError, OSError) as error:
            return Answer(Told(attempt=None, fault=_said(error)))
        finally:
            with self._lock:
                del self._orders[order.slot]

    def stop(self, number: int, *, now: bool) -> None:
        """End an order's attempt, also one that did not begin yet; asking again can make it sooner."""
        with self._lock:
            self._stops[number] = now
            for place, running in self._orders.items():
                if running == number:
                    self._words[place].asked = True
                    self._words[place].forced |= now

    def close(self) -> None:
        """End what slots keep between attempts."""
        for slot in self._slots:
            slot.close()

    def _make(self, order: Order) -> Answer:
        slot, cell = self._slots[order.slot], Cell(order.key, order.number, self._files[order.key.route_id])
        finished = slot.run(cell, Sharing(order.servers, order.servers_per_gpu))
        kept = fault = ""
        try:
            self._publish(finished)
            kept = slot.tidy(finished)
            finished.log.unlink(missing_ok=True)
        except (BestrandError, OSError) as error:  # the attempt is over, and counts as it ended
            fault = _said(error)
        return Answer(Told(attempt=finished.attempt, kept=kept, fault=fault), finished.result, finished.metric_info)

    def _publish(self, finished: Finished) -> None:
        """Copy the attempt's logs to where its record says they are."""
        names = finished.attempt.logs if finished.attempt else ()
        for path in {finished.log, *(self._own / name for name in names)}:
            if path.is_file():
                target = self._logs / path.relative_to(self._own)
                target.parent.mkdir(parents=True, exist_ok=True)
                write_atomic(target, path.read_bytes())


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__
