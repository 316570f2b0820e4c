"""``bestrand headless map-from-routes``: OpenDRIVE around routes whose town file is not at hand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from bestrand_drive.benchmarks.route_places import read_places
from bestrand_drive.benchmarks.routes import RouteFile, read_route_file
from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.files import write_atomic
from bestrand_drive.headless.roads.needs import NEEDS
from bestrand_drive.headless.roads.request import Route, Scenario
from bestrand_drive.headless.roads.towns import files_of

_LONGEST_TOWN = 120
"""Characters; the server finds no town of a longer name, and file systems take none of twice that."""
_FARTHEST_M, _ASIDE_M = 1e6, 5000.0
"""From the origin, where the server's worlds end; from a route to its scenarios' places, to which roads are made."""
_MOST_DEG = 1e6
"""Of a heading; in what lies beyond, nothing is left of the direction."""


def map_from_routes(
    routes: Annotated[list[Path], typer.Argument(help="Route files, or folders of them (*.xml).", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder to write to; files of the same name are replaced.")],
) -> None:
    """Build OpenDRIVE towns around routes: roads where the routes run, made up where they say nothing.

    Example: bestrand headless map-from-routes routes.xml --out maps/
    """
    files = [read_route_file(path) for path in _files(routes)]
    found = [_within_reach(route) for file in files for route in routes_of(file)]
    texts = files_of(found)
    for path, text in texts.items():
        target = out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(target, text.encode())
    unknown = sorted({one.type for route in found for one in route.scenarios} - NEEDS.keys())
    if unknown:
        print(f"unknown scenario types, given a plain street: {', '.join(unknown)}")
    print(
        f"{len(found)} routes in {len(texts)} files under {out}; between and beside the routes these roads are made up"
    )


def _files(paths: list[Path]) -> list[Path]:
    """The files themselves and those in folders, sorted by name.

    Raises:
        UsageError: A folder holds no route file.
    """
    found = []
    for path in paths:
        own = sorted(path.glob("*.xml")) if path.is_dir() else [path]
        if not own:
            raise UsageError(f"{path} holds no *.xml file.")
        found += own
    return found


def _within_reach(route: Route) -> Route:
    """The route itself, if a map can be made around it.

    Raises:
        DataRefused: Its town's name is too long for a file, a place is too far away, or a heading is none.
    """
    where = route.where
    if len(route.town) > _LONGEST_TOWN:
        raise DataRefused(f"{where}: town {route.town[:40]!r}... has more than {_LONGEST_TOWN} characters.")
    if not all(abs(part) <= _FARTHEST_M for place in route.waypoints for part in place):
        raise DataRefused(f"{where}: a waypoint lies beyond {_FARTHEST_M / 1000:,.0f} km.")
    for scenario in route.scenarios:
        if not abs(scenario.yaw) <= _MOST_DEG:
            raise DataRefused(f"{where}: the yaw of its {scenario.type[:40]} is beyond {_MOST_DEG:g} degrees.")
        for name, place in {"trigger_point": scenario.trigger, **scenario.places}.items():
            if not min(math.dist(place, waypoint) for waypoint in route.waypoints) <= _ASIDE_M:
                raise DataRefused(
                    f"{where}: the {name[:40]} of its {scenario.type[:40]} is more than {_ASIDE_M / 1000:.0f} km away."
                )
    return route


def routes_of(file: RouteFile) -> Iterator[Route]:
    """The routes of a checked file, in its order.

    Raises:
        DataRefused: A town that is no file name, or a scenario without a trigger.
    """
    for element in file.routes:
        if not element.town.replace("_", "").isalnum():
            raise DataRefused(f"{file.path}, line {element.line}: town {element.town[:40]!r} is not a plain name.")
        found = read_places(file, element)
        scenarios = tuple(Scenario(**vars(scenario)) for scenario in found.scenarios)
        yield Route(element.id, element.town, found.waypoints, scenarios, f"{file.path}: route {element.id}")
