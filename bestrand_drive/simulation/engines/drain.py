"""When only one place fails while others succeed, it is the place: a bad GPU is given nothing more."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.record import Attempt
from bestrand_drive.simulation.crews.crew import Runner

ENOUGH = 3
"""Routes in a row."""


@dataclass(frozen=True)
class Spot:
    """Where slots are that share what can be broken.

    Attributes:
        host: Its name.
        gpu: On it; None when nobody chose one.
        slot: Its number, where no GPU tells slots apart.
    """

    host: str
    gpu: str | None
    slot: int | None

    def __str__(self) -> str:
        return f"GPU {self.gpu} of {self.host}" if self.gpu is not None else f"slot {self.slot} on {self.host}"


def spot_of(slot: Runner) -> Spot:
    """Where a slot is."""
    return Spot(slot.host, slot.gpu_name, slot.number if slot.gpu_name is None else None)


@dataclass(frozen=True)
class Drained:
    """A place that is given nothing more in this start.

    Attributes:
        spot: It.
        attempts: For which it was: without a result, in a row, while others had one.
    """

    spot: Spot
    attempts: tuple[Attempt, ...]

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Of the attempts, in their order."""
        return tuple(attempt.reason for attempt in self.attempts if attempt.reason)


@dataclass
class _Streak:
    """Attempts without a result in a row at one place.

    Attributes:
        attempts: They.
        others_succeed: Whether another place had a result meanwhile.
    """

    attempts: list[Attempt] = field(default_factory=list)
    others_succeed: bool = False

    @property
    def enough(self) -> bool:
        """Whether it may be the place: some routes fail everywhere, which is no fault of it."""
        return len({one.key.cell for one in self.attempts}) >= ENOUGH


class Drains:
    """Watches every place, and knows which slots are given nothing more.

    Attributes:
        drained: Places that are given nothing more.
    """

    def __init__(self) -> None:
        self.drained: list[Drained] = []
        self._streaks: dict[Spot, _Streak] = {}
        self._retired: set[int] = set()

    def retire(self, slot: Runner) -> None:
        """Give one slot nothing more, whatever becomes of others at its place."""
        self._retired.add(slot.number)

    def unfit(self, slot: Runner) -> bool:
        """Whether a slot is given nothing more: it is retired, or its place is drained."""
        return slot.number in self._retired or self.out(spot_of(slot))

    def out(self, spot: Spot) -> bool:
        """Whether a place is given nothing more."""
        return any(one.spot == spot for one in self.drained)

    def fails(self, spot: Spot) -> bool:
        """Whether the last attempt at a place was without a result."""
        return spot in self._streaks or self.out(spot)

    def suspect(self, spot: Spot) -> bool:
        """Whether so many routes in a row failed at a place that it is given the next one only if it must be."""
        return spot in self._streaks and self._streaks[spot].enough

    def add(self, spot: Spot, attempt: Attempt, there: Collection[Spot]) -> Drained | None:
        """One more attempt.

        Args:
            spot: Where it was made.
            attempt: It.
            there: All places that there are now; the last one is never drained, since that it fails is the breaker's.

        Returns:
            A place that is drained because of it. What ends at a drained place without a result is drained again,
            alone, so that it is not counted either.
        """
        if self.out(spot):
            return None if attempt.of_policy else Drained(spot, (attempt,))
        if not attempt.of_policy:
            self._streaks.setdefault(spot, _Streak()).attempts.append(attempt)
        else:
            self._streaks.pop(spot, None)
            for streak in self._streaks.values():
                streak.others_succeed = True
        return self._drain({one for one in there if not self.out(one)})

    def _drain(self, left: Collection[Spot]) -> Drained | None:
        for spot, streak in self._streaks.items():
            if streak.enough and streak.others_succeed and set(left) - {spot}:
                found = Drained(spot, tuple(streak.attempts))
                self.drained.append(found)
                del self._streaks[spot]
                return found
        return None
