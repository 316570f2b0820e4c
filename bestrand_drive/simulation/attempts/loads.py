"""At which load results were made: parallel servers can change scores, so that a mixture must be said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from bestrand_drive.benchmarks.builtin_routes import NAME
from bestrand_drive.simulation.attempts.record import Attempt


def loads_of(attempts: Iterable[Attempt | None]) -> dict[int, int]:
    """Servers that shared a GPU -> results that were made so, in ascending order.

    Adopted results tell of no load. Our own evaluator waits for nothing on the wall clock, so that its results do not
    depend on the load.

    Args:
        attempts: Those that count; None for routes without a result.
    """
    known = [one.load for one in attempts if one and one.load and one.key.benchmark != NAME]
    return dict(sorted(Counter(load.servers_per_gpu for load in known).items()))


def mixture(loads: Mapping[int, int]) -> str:
    """What there is to say of them; "" when all were made alike."""
    if len(loads) < 2:
        return ""
    said = ", ".join(f"{count} at {servers}" for servers, count in loads.items())
    return (
        f"results made with different numbers of servers on a GPU are mixed ({said}): the load can change scores. "
        "Run all of them alike (--servers-per-gpu 1 is the calibrated default)"
    )
