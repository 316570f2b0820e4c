"""The routes and towns that come with this package, and the named parts of the routes; needs no pandas."""

from __future__ import annotations

from pathlib import Path

from bestrand_drive.benchmarks.configs import configs_folder, read_config
from bestrand_drive.benchmarks.routes import RouteFile, parse_routes, read_route_file, subset_xml
from bestrand_drive.errors import UsageError, choices
from bestrand_drive.files import read_bytes

NAME = "builtin"


def routes_path() -> Path:
    """The shipped route file."""
    return configs_folder() / NAME / "routes.xml"


def towns_path() -> Path:
    """Folder of the shipped towns, one OpenDRIVE file each."""
    return configs_folder() / NAME / "towns"


def own_towns(folder: Path | None) -> tuple[Path, ...]:
    """The OpenDRIVE files of a user's folder of towns, sorted; () without one.

    Raises:
        UsageError: There is no such folder, or no town in it, or another one under a shipped town's name.
    """
    if folder is None:
        return ()
    files = tuple(sorted(folder.glob("*.xodr"))) if folder.is_dir() else ()
    if not files:
        raise UsageError(f"--towns {folder}: no *.xodr file there; give a folder of OpenDRIVE files named like towns.")
    for path in files:
        shipped = towns_path() / path.name
        if shipped.is_file() and read_bytes(shipped) != read_bytes(path):
            raise UsageError(f"--towns {folder}: {path.name} is a shipped town, and another one; name yours otherwise.")
    return files


def part_ids(part: str) -> tuple[str, ...]:
    """Ids of the shipped routes that make a part.

    Raises:
        UsageError: There is no such part.
    """
    parts: dict[str, list[object]] = read_config(configs_folder() / f"{NAME}.yaml").get("parts", {})
    if part not in parts:
        raise UsageError(f"--part {part}: there is no such part; there are {choices(part, parts)}")
    return tuple(str(one) for one in parts[part])


def read_routes(path: Path, part: str = "") -> RouteFile:
    """A route file of ours, or a suite folder's, whole or a part of it.

    Args:
        path: Route file, or suite folder.
        part: Name of the part, "" for all routes.

    Raises:
        DataRefused: The file is malformed, or not all routes of the part are in it.
        UsageError: There is no such part.
    """
    file = read_route_file(path / "routes.xml" if path.is_dir() else path)
    return parse_routes(file.path, subset_xml(file, part_ids(part))) if part else file
