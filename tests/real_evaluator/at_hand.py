"""Which routes can be driven here, and their maps.

Towns come from ``EVALUATOR_MAPS``, else from the folder that Fail2Drive's checkout brings for its toolbox. Fail2Drive's
own routes lie in a town that few have: without its file each is driven on a map that is built around it.
``EVALUATOR_ROUTES`` says how many routes of a benchmark are driven, spread over all.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.real_evaluator.driving import ROOT
from tests.real_evaluator.jobs import Job, evenly, jobs, map_folder


@dataclass(frozen=True)
class Routes:
    """Where a benchmark's routes are.

    Attributes:
        variable: That names its checkout.
        inside: The routes' place in it.
        built: Whether maps are built where the town is not at hand; a file must hold one route.
        count: How many are driven if nothing is said.
    """

    variable: str
    inside: str
    built: bool
    count: int


ROUTES = {
    "bench2drive": Routes("BENCH2DRIVE_ROOT", "leaderboard/data/bench2drive220.xml", built=False, count=220),
    "fail2drive": Routes("FAIL2DRIVE_ROOT", "fail2drive_split", built=True, count=12),
}


def maps() -> Path:
    """Folder of OpenDRIVE files; it may not exist."""
    checkout = Path(os.environ.get("FAIL2DRIVE_ROOT", "FAIL2DRIVE_ROOT"))
    return Path(os.environ.get("EVALUATOR_MAPS", checkout / "toolbox/carla_xodr")).resolve()


def routes(benchmark: str, only: Sequence[str] = ()) -> list[Job]:
    """The benchmark's routes that can be driven; none without its checkout."""
    where = ROUTES[benchmark]
    path = Path(os.environ.get(where.variable, where.variable)) / where.inside
    found = jobs(path.resolve(), only) if path.exists() else []
    possible = [job for job in found if where.built or map_folder([maps()], job)]
    return evenly(possible, int(os.environ.get("EVALUATOR_ROUTES", where.count)))


def folder_of(job: Job, place: Path) -> Path:
    """The folder of maps for a route, built in ``place`` if its town is not at hand."""
    return map_folder([maps()], job) or _built(job, place)


def _built(job: Job, place: Path) -> Path:
    """A map around the one route of a file."""
    command = [
        sys.executable,
        "-m",
        "bestrand_drive",
        "headless",
        "map-from-routes",
        str(job.routes),
        "--out",
        str(place),
    ]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return place
