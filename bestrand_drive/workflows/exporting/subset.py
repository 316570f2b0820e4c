"""The chosen items of a suite by the names that their own tool gives them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bestrand_drive.benchmarks.routes import read_route_file
from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.exporters.contract import Subset
from bestrand_drive.readers.spec import ImportSpec
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.estimating.targets import TABLE
from bestrand_drive.workflows.importing.target_logs import suite_spec
from bestrand_drive.workflows.sharing.share import route_numbers


def chosen_leaves(suite: Suite) -> list[str]:
    """Ids of the chosen rows or routes, the members of a group or pair in its place; benchmark order."""
    wanted = set(suite.chosen)
    return [leaf for item in suite.items if item.id in wanted for leaf in item.leaves]


def table_subset(suite: Suite) -> Subset:
    """Of a table, by task."""
    spec = None if suite.imported is None else suite_spec(suite)
    every = [leaf for item in suite.items for leaf in item.leaves]
    chosen = chosen_leaves(suite)
    return Subset(ids=tuple(chosen), tasks=_by_task(spec, chosen), known=_by_task(spec, every))


def _by_task(spec: ImportSpec | None, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name in ids:
        task, own = ("", name) if spec is None else spec.native(name)
        found.setdefault(task, []).append(own)
    return {task: tuple(own) for task, own in found.items()}


def driving_subset(suite: Suite, folder: Path) -> Subset:
    """Of routes, with the suite folder's own route files.

    Raises:
        UsageError: Only ``suite.json`` is given.
        DataRefused: The folder's routes are not the suite's.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: give the suite folder; its route files are what is exported.")
    single = folder / "routes.xml"
    files = [read_route_file(path) for path in ([single] if single.is_file() else sorted(folder.glob("routes/*.xml")))]
    if {route.id for file in files for route in file.routes} != route_numbers(suite, suite.chosen):
        raise DataRefused(f"{folder}: its route files do not hold the suite's routes; make the suite again.")
    return Subset(ids=tuple(chosen_leaves(suite)), route_files={file.path.name: file.content for file in files})


def subset_of(suite: Suite, folder: Path) -> Subset:
    """The chosen items, whatever the benchmark."""
    return table_subset(suite) if suite.benchmark == TABLE else driving_subset(suite, folder)
