"""Another lab's suite on one's own routes or items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.benchmarks.definitions import definition
from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.files import sha256_bytes
from bestrand_drive.scores.frames import ITEM_COLUMNS
from bestrand_drive.scores.tables import read_table
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.choosing.suite_folder import check_target, write_suite
from bestrand_drive.workflows.estimating.targets import TABLE
from bestrand_drive.workflows.evidence.driving import load_benchmark
from bestrand_drive.workflows.evidence.tabular import item_lines
from bestrand_drive.workflows.sharing.share import SharedSuite, check_benchmark, item_leaves, items_digest, read_shared


@dataclass(frozen=True)
class Materialized:
    """A suite folder made from a shared file.

    Attributes:
        suite: As written.
        files: Names of its own files.
        identical: Whether all of them have the bytes of the original suite's.
        notes: What a reader must know, as sentences.
    """

    suite: Suite
    files: tuple[str, ...]
    identical: bool
    notes: tuple[str, ...]


def materialize(
    shared_file: Path,
    *,
    out: Path,
    routes: Path | None = None,
    part: str = "",
    items: Path | None = None,
    command: Sequence[str] = ("bestrand_drive.materialize",),
    force: bool = False,
) -> Materialized:
    """Write the suite folder of a shared file from one's own routes.

    Args:
        shared_file: From ``share``.
        out: Folder to write.
        routes: One's own route file or folder; None takes those that come with this package, where they do.
        part: A named part of the shipped routes, "" for all.
        items: For suites of tables: a table with ``item_id`` that holds the benchmark's items.
        command: Goes into ``provenance.json``.
        force: Replace a suite that is there.

    Raises:
        DataRefused: The file is damaged, or the routes or items are not those of the suite; it says which differ.
        UsageError: What is given does not go with the suite's benchmark, or ``out`` is occupied.
    """
    check_target(out, force=force)
    shared = read_shared(shared_file)
    suite = shared.suite
    if suite.benchmark == TABLE:
        files = _table_files(shared, items, given_routes=routes is not None or bool(part))
    else:
        if items is not None:
            raise UsageError(f"--items: this suite is of {suite.benchmark}; give --routes.")
        benchmark = load_benchmark(suite.benchmark, routes, part)
        check_benchmark(shared, benchmark, str(routes or "the shipped routes"))
        files = definition(suite.benchmark).suite_files(benchmark, suite.chosen)
    differing = [name for name, content in files.items() if shared.files.get(name) != sha256_bytes(content)]
    write_suite(out, suite, files, command, force=force)
    return Materialized(suite, tuple(files), not differing, tuple(_notes(shared, differing)))


def _table_files(shared: SharedSuite, items: Path | None, *, given_routes: bool) -> dict[str, bytes]:
    if items is None or given_routes:
        raise UsageError("This suite is of a table: give --items TABLE, which has the column item_id (no --routes).")
    frame = read_table(items)
    column = next((name for name in ITEM_COLUMNS if name in frame.columns), None)
    if column is None:
        raise DataRefused(f"{items}: no column item_id.")
    mine = dict.fromkeys(str(value) for value in frame[column])
    if items_digest(mine) != shared.items_sha256:
        theirs = set(item_leaves(shared.suite))
        absent, foreign = sorted(theirs - set(mine)), sorted(set(mine) - theirs)
        raise DataRefused(
            f"{items}: not the items of the shared suite ({shared.suite.route_set}): {len(absent)} are missing "
            f"({', '.join(absent[:5]) or '-'}), {len(foreign)} are foreign ({', '.join(foreign[:5]) or '-'})."
        )
    members = {item.id: tuple(item.members) for item in shared.suite.items}
    return {"items.txt": item_lines(shared.suite.item_ids, members, shared.suite.chosen)}


def _notes(shared: SharedSuite, differing: Sequence[str]) -> list[str]:
    notes = []
    if differing:
        notes.append(
            f"{', '.join(sorted(differing)[:5])}: same routes, but not the bytes of the original suite's file "
            "(whitespace, comments or layout of the route file differ)"
        )
    if shared.left_out:
        notes.append(f"{shared.left_out}; estimates are stratified means, with wider intervals")
    return notes


def materialized_json(made: Materialized, out: Path) -> Mapping[str, object]:
    """One JSON object."""
    return {
        "suite": str(out),
        "digest": made.suite.choice_digest(),
        "k": made.suite.k,
        "n": made.suite.n,
        "files": list(made.files),
        "identical": made.identical,
        "notes": list(made.notes),
    }
