"""Cells that are handed out block by block, and somebody who is asked after each whole one whether that is enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from bestrand_drive.simulation.engines.waiting import Waiting
from bestrand_drive.simulation.slots.cell import Cell

CellName = tuple[str, int]
"""Route and repeat."""


class Judge(Protocol):
    """Who says when it is enough."""

    def whole(self, blocks: int) -> None:
        """So many blocks from the beginning are finished now."""

    @property
    def enough(self) -> bool:
        """Whether nothing more is wanted."""


class Blocks:
    """A ``Source`` that begins a block only when nothing of those before it waits, retries included.

    What still runs of a block does not hold the next one up, so that no slot is idle at a block's end.

    Args:
        blocks: Names of all cells, those included that are over; each in one block.
        cells: Those that are to be run.
        waiting: Makes the order inside a block.
        judge: Told at once, and whenever the number of whole blocks changes.
    """

    def __init__(
        self,
        blocks: Sequence[Iterable[CellName]],
        cells: Iterable[Cell],
        waiting: Callable[[list[Cell]], Waiting],
        judge: Judge,
    ) -> None:
        self._block = {name: number for number, block in enumerate(blocks) for name in block}
        held: list[list[Cell]] = [[] for _ in blocks]
        for cell in cells:
            held[self._block[cell.key.cell]].append(cell)
        self._waiting = [waiting(block) for block in held]
        self._left = [{cell.key.cell for cell in block} for block in held]
        self._judge, self._whole = judge, 0
        self._tell()

    def __len__(self) -> int:
        return sum(map(len, self._waiting))

    def take(self, town: str | None = None) -> Cell | None:
        """See ``Source``."""
        return next((block.take(town) for block in self._waiting if block), None)

    def put_back(self, cell: Cell) -> None:
        """See ``Source``."""
        number = self._block[cell.key.cell]
        self._waiting[number].put_back(cell)
        self._left[number].add(cell.key.cell)
        self._tell()

    def over(self, cell: Cell) -> None:
        """See ``Source``."""
        self._left[self._block[cell.key.cell]].discard(cell.key.cell)
        self._tell()

    @property
    def enough(self) -> bool:
        """See ``Source``."""
        return self._judge.enough

    def _tell(self) -> None:
        whole = next((number for number, left in enumerate(self._left) if left), len(self._left))
        if whole != self._whole:
            self._whole = whole
            self._judge.whole(whole)
