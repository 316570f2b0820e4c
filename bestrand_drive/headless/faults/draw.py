"""Which of the ordered faults a server has: drawn once at its start, the same for the same seed."""

from __future__ import annotations

from collections.abc import Sequence

from bestrand_drive.files import sha256_bytes
from bestrand_drive.headless.faults.order import Fault


def drawn(faults: Sequence[Fault], seed: int) -> tuple[Fault, ...]:
    """The faults that will strike.

    The draw depends on the seed and on the fault's position alone: a fault that is certain, added behind the others or
    given another probability changes nothing for the rest, and a higher probability keeps what a lower one had.

    Args:
        faults: In the order in which they were given.
        seed: Of the server; a fault's own seed takes its place.
    """
    return tuple(
        fault
        for position, fault in enumerate(faults)
        if _uniform(seed if fault.seed is None else fault.seed, position) < fault.probability
    )


def _uniform(seed: int, position: int) -> float:
    """A number in [0, 1) from the first 52 bits of a hash."""
    return int(sha256_bytes(f"fault {position} of seed {seed}".encode())[:13], 16) / 16.0**13
