"""The crew of this machine: slots in threads of the driver."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bestrand_drive.simulation.slots.cell import Halt
from bestrand_drive.simulation.slots.keeping import Keeper
from bestrand_drive.simulation.slots.settings import Settings
from bestrand_drive.simulation.slots.slot import Slot


class LocalCrew:
    """As many slots as are wanted; see ``Crew``.

    Args:
        settings: Of all attempts.
        keeper: Of what failed ones leave.
        halt: Whether to stop.
        started: Names this start of the driver in the folder of logs.
        wanted: How many slots there are to be now.
        unfit: Whether a slot is given nothing more: where there are to be fewer, those go first.
    """

    def __init__(
        self,
        settings: Settings,
        keeper: Keeper,
        halt: Halt,
        started: str,
        wanted: Callable[[], int],
        unfit: Callable[[Slot], bool],
    ) -> None:
        self._settings, self._keeper, self._halt = settings, keeper, halt
        self._started, self._wanted, self._unfit = started, wanted, unfit
        self._slots: list[Slot] = []

    def slots(self) -> Sequence[Slot]:
        """See ``Crew``."""
        count = self._wanted()
        for number in range(len(self._slots), count):
            self._slots.append(Slot(number, self._settings, self._keeper, self._halt, self._started))
        return sorted(self._slots, key=self._unfit)[:count]

    def close(self) -> None:
        """See ``Crew``."""
