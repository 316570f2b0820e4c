"""The actors' part of a world snapshot, kept as one table of packed records and refreshed in place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.records import ACTOR_RECORD
from bestrand_drive.headless.world.bodies import Bodies
from bestrand_drive.headless.world.fleet import Fleet
from bestrand_drive.headless.world.lights import TrafficLights
from bestrand_drive.headless.world.walkers import Walkers


class SnapshotTable:
    """Records of all actors by ascending id."""

    def __init__(self) -> None:
        self._rows: NDArray[Any] = np.zeros(0, dtype=ACTOR_RECORD)
        self._version = -1
        self._at: dict[str, NDArray[np.intp]] = {}

    def forget(self) -> None:
        """Another map was loaded: build the table anew."""
        self._version = -1

    def rows(
        self, bodies: Bodies, fleet: Fleet, walkers: Walkers, lights: TrafficLights, signs: Iterable[tuple[int, str]]
    ) -> NDArray[Any]:
        """The table as it is now; the caller copies it (``tobytes``) before the next tick."""
        if bodies.version != self._version:
            self._rebuild(bodies, (fleet.ids, walkers.ids, lights.ids), signs)
        rows = self._rows
        rows["state"] = bodies.state[:, bodies.order].T
        for name, record in (("vehicle", fleet.record), ("light", lights.record), ("walker", walkers.record)):
            if len(record):
                rows[name][self._at[name]] = record
        return rows

    def _rebuild(
        self, bodies: Bodies, groups: tuple[list[int], list[int], list[int]], signs: Iterable[tuple[int, str]]
    ) -> None:
        """Lay the table out for the actors there are."""
        ids = bodies.ids[bodies.order]
        self._rows = np.zeros(ids.size, dtype=ACTOR_RECORD)
        self._rows["id"] = ids
        self._rows["active"] = 1
        for name, members in zip(("vehicle", "walker", "light"), groups, strict=True):
            self._at[name] = np.searchsorted(ids, members)
        for actor_id, sign_id in signs:
            self._rows["sign_id"][np.searchsorted(ids, actor_id)] = sign_id.encode()[:31]
        self._version = bodies.version
