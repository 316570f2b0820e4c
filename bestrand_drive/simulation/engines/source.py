"""What the engine asks of whoever has the cells."""

from __future__ import annotations

from typing import Protocol

from bestrand_drive.simulation.slots.cell import Cell


class Source(Protocol):
    """Where cells come from; always asked from the deciding thread."""

    def __len__(self) -> int:
        """Cells that wait."""

    def take(self, town: str | None = None) -> Cell | None:
        """The next cell for a slot whose server was last in a town; None when nothing waits."""

    def put_back(self, cell: Cell) -> None:
        """A cell that was taken, or was over, and is to be run again."""

    def over(self, cell: Cell) -> None:
        """A cell has its result, or is given up."""

    @property
    def enough(self) -> bool:
        """Whether nothing more is wanted: then what runs is ended in peace."""
