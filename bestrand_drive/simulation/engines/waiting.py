"""Which cell a free slot takes next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from bestrand_drive.simulation.slots.cell import Cell


class Waiting:
    """Cells that wait: first those that were not tried yet, in their order, then the retries.

    Args:
        cells: In the order in which they are to be run.
        by_town: Keep a slot in its town as long as there is something to do there, so that a server need not load
            another one; then go where most is to be done.
    """

    def __init__(self, cells: Iterable[Cell], *, by_town: bool) -> None:
        self._fresh, self._again = list(cells), list[Cell]()
        self._by_town = by_town

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
        cells = self._fresh or self._again
        if not cells:
            return None
        return cells.pop(self._best(cells, town) if self._by_town and cells is self._fresh else 0)

    @staticmethod
    def _best(cells: list[Cell], town: str | None) -> int:
        waiting = Counter(cell.key.town for cell in cells)
        wanted = town if town in waiting else waiting.most_common(1)[0][0]
        return next(number for number, cell in enumerate(cells) if cell.key.town == wanted)
