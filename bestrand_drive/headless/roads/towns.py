"""Which routes share a file: all of a town whose roads keep clear of each other, else a folder each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from bestrand_drive.errors import DataRefused
from bestrand_drive.headless.roads.building import build
from bestrand_drive.headless.roads.network import Network
from bestrand_drive.headless.roads.request import Route
from bestrand_drive.headless.roads.xodr import write

_CELL_M = 50.0
_STEP_M = 10.0

Cell = tuple[int, int]


def files_of(routes: Sequence[Route]) -> dict[PurePosixPath, str]:
    """OpenDRIVE texts by their path below the output folder.

    A town whose routes keep clear of each other, with all roads made up for them, becomes ``<town>.xodr``. Where two
    come near each other, side roads of one would cross the other's, so each gets ``<route id>/<town>.xodr``.

    Raises:
        DataRefused: Two routes have one id, or one cannot be a road.
    """
    twice = [name for name, count in Counter(route.id for route in routes).items() if count > 1]
    if twice:
        raise DataRefused(f"Routes with the same id: {', '.join(twice[:5])}; make their maps in different folders.")
    texts: dict[PurePosixPath, str] = {}
    for town in dict.fromkeys(route.town for route in routes):
        own = [route for route in routes if route.town == town]
        alone = [_network([route]) for route in own]
        if keep_clear(alone):
            texts[PurePosixPath(f"{town}.xodr")] = write(_network(own), town)
            continue
        for route, network in zip(own, alone, strict=True):
            texts[PurePosixPath(route.id) / f"{town}.xodr"] = write(network, town)
    return texts


def _network(routes: Iterable[Route]) -> Network:
    network = Network()
    for route in routes:
        build(network, route)
    return network


def keep_clear(networks: Sequence[Network]) -> bool:
    """Whether no two networks share a cell of 50 m or touch neighbouring ones.

    Roads that come within 50 m of each other do, those that are 100 m apart along x or y never; between, it depends on
    where the cells' borders lie. Roads are taken by their curves, lead-ins and side arms included.
    """
    taken: set[Cell] = set()
    for network in networks:
        own = _cells(network)
        if own & taken:
            return False
        taken |= {(x + dx, y + dy) for x, y in own for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
    return True


def _cells(network: Network) -> set[Cell]:
    """Cells that the roads run through; long lines are walked in steps."""
    cells = set()
    for road in network.roads:
        for here, there in pairwise(road.curve.poses):
            steps = max(1, int(max(abs(there.x - here.x), abs(there.y - here.y)) / _STEP_M))
            for index in range(steps + 1):
                part = index / steps
                x, y = here.x + part * (there.x - here.x), here.y + part * (there.y - here.y)
                cells.add((int(x // _CELL_M), int(y // _CELL_M)))
    return cells
