"""A program that provokes what ends a client whose subscriptions are mixed up."""

from __future__ import annotations

import time

from tests.headless.client.programs.session import Session


def new_episodes_amid_callbacks(session: Session, times: int) -> int:
    """Load town after town while a callback of the last tick still runs; how many were loaded."""
    at = [0]

    def linger(number: int) -> None:
        """A slow callback, of the present town only: the older release of the client keeps those of all towns."""
        if number == at[0]:
            time.sleep(0.05)

    for number in range(times):
        world = session.empty_town("Town02" if number % 2 else "Town01")
        at[0] = number
        world.on_tick(lambda _snapshot, number=number: linger(number))
        session.tick()
    return times


PROGRAMS = (new_episodes_amid_callbacks,)
