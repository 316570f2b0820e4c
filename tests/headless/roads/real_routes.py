"""Reads route files by the command's own reader."""

from pathlib import Path

from bestrand_drive.benchmarks.routes import read_route_file
from bestrand_drive.cli.headless.map_from_routes import routes_of
from bestrand_drive.headless.roads.request import Route


def read(path: Path) -> list[Route]:
    """All routes of a file."""
    return list(routes_of(read_route_file(path)))
