"""Route files, read without loss: a reduced file holds the user's own ``<route>`` elements, byte for byte."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.benchmarks.route_scan import RouteElement, RouteScan
from bestrand_drive.errors import DataRefused
from bestrand_drive.files import read_bytes, sha256_bytes

__all__ = ["RouteElement", "RouteFile", "parse_routes", "read_route_file", "subset_xml"]

_LIMIT_MIB = 64


@dataclass(frozen=True)
class RouteFile:
    """A route file: its bytes, their SHA-256, and its routes in file order."""

    path: Path
    content: bytes
    sha256: str
    routes: tuple[RouteElement, ...]


def read_route_file(path: Path) -> RouteFile:
    """Read and check a route file.

    Args:
        path: XML file with one ``<route>`` or more directly under its root.

    Raises:
        DataRefused: Naming file, line and fault: malformed XML, a DOCTYPE, duplicate ids, a missing id, town,
            waypoints or scenarios, numbers that are not finite, an encoding other than ASCII-compatible ones.
    """
    if path.exists() and not path.is_file():
        raise DataRefused(f"{path}: not a regular file. Give the route file itself.")
    return parse_routes(path, read_bytes(path, limit_mib=_LIMIT_MIB))


def parse_routes(path: Path, content: bytes) -> RouteFile:
    """Check ``content`` as the route file ``path`` (which is only used in messages).

    Raises:
        DataRefused: As ``read_route_file``.
    """
    scan = RouteScan(path, content)
    scan.run()
    return RouteFile(path, content, sha256_bytes(content), tuple(scan.routes))


def subset_xml(route_file: RouteFile, ids: Collection[str]) -> bytes:
    """The route file reduced to the routes ``ids``: same bytes for each element, same order as in the file.

    Args:
        route_file: The whole file.
        ids: Ids as the file writes them; their order does not matter.

    Returns:
        What stands before the first route, the chosen elements, and what stands after the last route.

    Raises:
        DataRefused: An id is not in the file, or ``ids`` is empty.
    """
    wanted = set(ids)
    chosen = [route for route in route_file.routes if route.id in wanted]
    unknown = sorted(wanted - {route.id for route in chosen})
    if unknown:
        raise DataRefused(f"{route_file.path}: no route with id {', '.join(unknown[:10])}. Check the route file.")
    if not chosen:
        raise DataRefused(f"{route_file.path}: no route was chosen. A route file needs at least one.")
    if len(chosen) == len(route_file.routes):
        return route_file.content
    content = route_file.content
    prefix, tail = content[: route_file.routes[0].start], content[route_file.routes[-1].end :]
    between = prefix[len(prefix.rstrip()) :] or b"\n"
    return prefix + between.join(content[route.start : route.end] for route in chosen) + tail
