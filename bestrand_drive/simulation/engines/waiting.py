"""Which cell a free slot takes next."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from bestrand_drive.simulation.scheduling.queue import Job, Queue
from bestrand_drive.simulation.slots.cell import Cell

_ALIKE: Mapping[str, float] = MappingProxyType({})


class Waiting:
    """Cells that wait: first those that were not tried yet, as ``Queue`` orders them, then the retries.

    Args:
        cells: In the order in which they are to be run as far as they are alike.
        by_town: Whether a slot's server would have to load another town.
        expected: Route id -> how long, in one unit; routes that are not in it are alike.
        slots: That share the cells.
    """

    def __init__(
        self, cells: Iterable[Cell], *, by_town: bool, expected: Mapping[str, float] = _ALIKE, slots: int = 1
    ) -> None:
        self._cells, self._again = list(cells), deque[Cell]()
        jobs = [Job(expected.get(cell.key.route_id, 1.0), cell.key.town, cell.key.repeat) for cell in self._cells]
        self._fresh = Queue(jobs, slots, by_town=by_town)

    def __len__(self) -> int:
        return len(self._fresh) + len(self._again)

    def put_back(self, cell: Cell) -> None:
        """Something that is to be tried again, after all that waits now."""
        self._again.append(cell)

    def over(self, cell: Cell) -> None:
        """See ``Source``: nothing follows from it."""

    @property
    def enough(self) -> bool:
        """See ``Source``: all is wanted."""
        return False

    def take(self, town: str | None = None) -> Cell | None:
        """The next cell for a slot whose server was last in a town; None when nothing waits."""
        number = self._fresh.take(town)
        if number is not None:
            return self._cells[number]
        return self._again.popleft() if self._again else None
