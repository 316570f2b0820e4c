"""Which routes can be driven here: those whose town has an OpenDRIVE file.

The files come from ``EVALUATOR_MAPS``, else from the folder that Fail2Drive's checkout brings for its toolbox.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tests.real_evaluator.driving import Job, jobs, towns_in

ROUTES = {
    "bench2drive": ("BENCH2DRIVE_ROOT", "leaderboard/data/bench2drive220.xml"),
    "fail2drive": ("FAIL2DRIVE_ROOT", "fail2drive_split"),
}


def maps() -> Path:
    """Folder of OpenDRIVE files; it may not exist."""
    checkout = Path(os.environ.get("FAIL2DRIVE_ROOT", "FAIL2DRIVE_ROOT"))
    return Path(os.environ.get("EVALUATOR_MAPS", checkout / "toolbox/carla_xodr")).resolve()


def routes(benchmark: str, only: Sequence[str] = ()) -> list[Job]:
    """The benchmark's routes in towns at hand; none without its checkout."""
    variable, inside = ROUTES[benchmark]
    path = Path(os.environ.get(variable, variable)) / inside
    return jobs(path.resolve(), towns_in([maps()]), only) if path.exists() else []
