"""The routes of a suite folder, a route file or a folder of route files, each with the hash of its content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.benchmarks.builtin_routes import NAME, read_routes
from bestrand_drive.benchmarks.fail2drive_pairs import read_members
from bestrand_drive.benchmarks.route_scan import RouteElement
from bestrand_drive.benchmarks.routes import RouteFile
from bestrand_drive.errors import UsageError
from bestrand_drive.files import sha256_bytes


@dataclass(frozen=True)
class RouteSet:
    """Routes to run.

    Attributes:
        path: As given.
        sha256: Of the file, or over names and hashes of a folder's files.
        routes: Id -> element, in file order.
        files: Id -> the file that holds it.
    """

    path: Path
    sha256: str
    routes: Mapping[str, RouteElement]
    files: Mapping[str, RouteFile]


def read_route_set(path: Path, benchmark: str, part: str = "") -> RouteSet:
    """Read the routes.

    Args:
        path: A suite folder; or Bench2Drive's route file, or Fail2Drive's folder of route files.
        benchmark: ``bench2drive``, ``fail2drive`` or ``builtin``.
        part: A named part of ``builtin``'s routes, "" for all.

    Raises:
        DataRefused: A route file is absent or malformed, or an id occurs twice in it.
        UsageError: The folder is no suite of that benchmark, or there is no such part.
    """
    if part and benchmark != NAME:
        raise UsageError(f"--part {part}: {benchmark} has no parts.")
    if benchmark == "fail2drive":
        members = read_members(path / "routes" if (path / "routes").is_dir() else path)
        files = tuple(member.file for member in members)
        digest = sha256_bytes("".join(f"{file.path.name} {file.sha256}\n" for file in files).encode())
    else:
        if path.is_dir() and not (path / "routes.xml").is_file():
            raise UsageError(f"--routes {path}: holds no routes.xml; give a {benchmark} suite folder or a route file.")
        files = (read_routes(path, part),)
        digest = files[0].sha256
    held = {route.id: (route, file) for file in files for route in file.routes}
    routes = {name: route for name, (route, _) in held.items()}
    return RouteSet(path, digest, routes, {name: file for name, (_, file) in held.items()})
