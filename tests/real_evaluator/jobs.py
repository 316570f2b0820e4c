"""Which routes to drive, and where the town of each is.

A folder of maps holds ``<town>.xodr`` for all routes, or ``<route id>/<town>.xodr`` for one, which goes first:
``bestrand headless map-from-routes`` writes both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.benchmarks.routes import read_route_file

_CLASS = re.compile(r"(?P<kind>(Base|Generalization)_\w+)_[0-9]{4}")
"""Name of a file of Fail2Drive: half, class and id."""
_SMALLEST = 1000
"""Bytes of a map; a pointer of git-lfs has fewer."""


@dataclass(frozen=True)
class Job:
    """A route to drive.

    Attributes:
        routes: The evaluator's route file.
        route: Id of one route in it.
        town: Its town.
        scenarios: Its scenario types.
    """

    routes: Path
    route: str
    town: str
    scenarios: tuple[str, ...]

    @property
    def kind(self) -> str:
        """Fail2Drive's half and class, by the file's name; else the scenario types."""
        found = _CLASS.fullmatch(self.routes.stem)
        return found["kind"] if found else self.types

    @property
    def types(self) -> str:
        """Scenario types, joined by "+"; Fail2Drive has routes without."""
        return "+".join(self.scenarios)

    @property
    def title(self) -> str:
        """Kind and scenario types."""
        return self.kind if self.kind == self.types else f"{self.kind}: {self.types or 'no scenario'}"


def jobs(routes: Path, only: Sequence[str] = ()) -> list[Job]:
    """The routes of a file, or of the files of a folder, in file order; those with some ids, if any are given."""
    files = sorted(routes.glob("*.xml")) if routes.is_dir() else [routes]
    return [
        Job(file, route.id, route.town, route.scenario_types)
        for file in files
        for route in read_route_file(file).routes
        if not only or route.id in only
    ]


def map_folder(maps: Sequence[Path], job: Job) -> Path | None:
    """The folder with a route's town, for ``--maps`` of a server: of the first folder that has it."""
    places = [place for folder in maps for place in (folder / job.route, folder)]
    return next((place for place in places if _is_map(place / f"{job.town}.xodr")), None)


def towns_in(folder: Path) -> list[str]:
    """Names of the towns with an OpenDRIVE file."""
    return [file.stem for file in sorted(folder.glob("*.xodr")) if _is_map(file)]


def _is_map(file: Path) -> bool:
    return file.is_file() and file.stat().st_size > _SMALLEST


def one_of_each(some: Sequence[Job]) -> list[Job]:
    """The first of every kind."""
    found: dict[str, Job] = {}
    for job in some:
        found.setdefault(job.kind, job)
    return list(found.values())


def evenly(some: Sequence[Job], count: int) -> list[Job]:
    """So many, spread over all in their order."""
    return [some[len(some) * number // count] for number in range(count)] if count < len(some) else list(some)
