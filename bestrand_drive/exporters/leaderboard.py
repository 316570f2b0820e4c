"""CARLA leaderboard evaluators: the suite's route file, for ``--routes``."""

from __future__ import annotations

from shlex import quote

from bestrand_drive.errors import UsageError
from bestrand_drive.exporters.contract import Exporter, Subset


def write(subset: Subset) -> bytes:
    """The suite's ``routes.xml`` as it is.

    Raises:
        UsageError: The benchmark's launcher takes a folder of files.
    """
    if len(subset.route_files) != 1:
        raise UsageError(
            f"This suite is a folder of {len(subset.route_files)} route files, which its benchmark's launcher takes as "
            "it is: give it the suite's routes/."
        )
    return next(iter(subset.route_files.values()))


def usage(subset: Subset, file: str) -> str:
    """Evaluators truncate a checkpoint that belongs to another route file."""
    return f"leaderboard_evaluator.py --routes {quote(file)} --checkpoint FRESH_FILE ..."


EXPORTER = Exporter("leaderboard", write, usage, "driving")
