"""Result files of one policy -> one record a route and repeat, with everything odd about them counted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.benchmarks.record_ids import RecordKey, identify_record, repeat_label
from bestrand_drive.benchmarks.record_parsing import RouteRecord, looks_fallen_through, parse_record, record_id
from bestrand_drive.benchmarks.result_files import ResultDocument, ResultFolder, read_documents
from bestrand_drive.benchmarks.run_header import UNKNOWN_SIMULATOR
from bestrand_drive.benchmarks.strict_json import JsonObject
from bestrand_drive.errors import DataRefused, UsageError

__all__ = ["BENCHMARKS", "FoundRecord", "PolicyResults", "ReadNotes", "RouteRecord", "every_record", "read_results"]

BENCHMARKS = ("bench2drive", "fail2drive", "builtin")
TOLERATED_RIVALS = 5
"""Routes with two different usable results that a folder of overlapping shards may have."""
_PREFERENCE = {Outcome.SCORED: 0, Outcome.AGENT_CRASHED: 1, Outcome.INFRASTRUCTURE: 2}


@dataclass(frozen=True)
class ReadNotes:
    """What was odd while reading.

    Attributes:
        duplicates_identical: Records left out because the kept one of that route and repeat says the same.
        duplicates_different: Records left out although they differ from the kept one.
        ids_from_file_name: Records whose route was told by the file's name, not by their own id.
        ignored_files: Companion files without records (summaries, per-step data, pipes).
        empty_files: Result files with an empty list of records.
        suspect: Sources of records that look like the simulator's fault though the status is the policy's.
    """

    duplicates_identical: int = 0
    duplicates_different: int = 0
    ids_from_file_name: int = 0
    ignored_files: tuple[str, ...] = ()
    empty_files: tuple[str, ...] = ()
    suspect: tuple[str, ...] = ()

    def lines(self) -> tuple[str, ...]:
        """The notes as sentences, only those with something to say."""
        said = (
            (self.duplicates_identical, "{} further records of routes recorded twice, identical in content"),
            (self.duplicates_different, "{} further records of routes recorded twice differ; the first usable counts"),
            (self.ids_from_file_name, "{} records took their route from the file name"),
            (len(self.ignored_files), "{} companion files were passed over"),
            (len(self.empty_files), "{} result files hold no record"),
            (len(self.suspect), "{} records are complete yet all outside the lanes (car fallen through the map?)"),
        )
        return tuple(text.format(count) for count, text in said if count)


@dataclass(frozen=True)
class PolicyResults:
    """The results of one policy.

    Attributes:
        name: Of the policy.
        benchmark: Whose evaluator is said to have written them.
        path: File or folder that was read (of a run folder, its ``results/``).
        records: One for each route and repeat, in order of first appearance.
        notes: What was odd.
        simulator: ``carla``, ``headless`` or ``mixed`` when a run folder says so, else ``unknown``.
    """

    name: str
    benchmark: str
    path: Path
    records: tuple[RouteRecord, ...]
    notes: ReadNotes
    simulator: str = UNKNOWN_SIMULATOR

    @property
    def crash_share(self) -> float:
        """Share of records that are infrastructure failures or agent crashes, 0 to 1."""
        return sum(record.outcome is not Outcome.SCORED for record in self.records) / len(self.records)

    @property
    def repeats(self) -> tuple[str, ...]:
        """Labels of the repeats, numbers in numeric order."""
        return tuple(sorted({record.repeat for record in self.records}, key=lambda label: (len(label), label)))


@dataclass(frozen=True)
class FoundRecord:
    """A record as parsed and as written."""

    record: RouteRecord
    raw: JsonObject

    @property
    def content(self) -> str:
        """What it says, without its place in the file."""
        return repr(sorted((key, value) for key, value in self.raw.items() if key != "index"))


@dataclass(frozen=True)
class _Entry:
    """A raw record with what its place tells."""

    raw: JsonObject
    key: RecordKey
    source: str
    where: str


def read_results(path: Path, *, name: str, benchmark: str) -> PolicyResults:
    """Read the results of one policy.

    Args:
        path: One result file, or a folder with shards, with one file a route, or with folders of seeds.
        name: The policy's name.
        benchmark: ``bench2drive``, ``fail2drive`` or ``builtin``.

    Raises:
        DataRefused: A file is damaged or foreign, or there is no record at all; file and position are named.
        UsageError: ``benchmark`` is unknown.
    """
    folder, entries = _read(path, benchmark)
    records, identical, different = _first_usable(_parsed(entries, benchmark))
    notes = ReadNotes(
        duplicates_identical=identical,
        duplicates_different=different,
        ids_from_file_name=sum(entry.key.from_file_name for entry in entries),
        ignored_files=folder.ignored,
        empty_files=tuple(document.relative for document in folder.documents if not document.records),
        suspect=tuple(record.source for record in records if looks_fallen_through(record)),
    )
    return PolicyResults(name, benchmark, folder.root, tuple(records), notes, folder.simulator)


def every_record(path: Path, *, benchmark: str) -> tuple[Path, list[FoundRecord]]:
    """Every record at a path, also those that ``read_results`` leaves out; for each route and repeat, its pick first.

    Returns:
        What the records' sources are relative to, and the records.

    Raises:
        DataRefused: As ``read_results``.
        UsageError: ``benchmark`` is unknown.
    """
    folder, entries = _read(path, benchmark)
    return folder.root, sorted(_parsed(entries, benchmark), key=_preference)


def _read(path: Path, benchmark: str) -> tuple[ResultFolder, list[_Entry]]:
    if benchmark not in BENCHMARKS:
        raise UsageError(f"unknown benchmark {benchmark!r}; known: {', '.join(BENCHMARKS)}.")
    folder = read_documents(path)
    alone = _of_one_route(folder)
    entries = [entry for document in folder.documents for entry in _entries(document, folder.root, benchmark, alone)]
    if not entries:
        raise DataRefused(f"{path}: the result files hold no record. The run did not finish a single route.")
    return folder, entries


def _of_one_route(folder: ResultFolder) -> frozenset[str]:
    """Folders that may be a route's own: they hold one route only, and are no repeat of a run folder."""
    if folder.simulator != UNKNOWN_SIMULATOR:
        return frozenset()
    held: dict[str, set[str]] = defaultdict(set)
    for document in folder.documents:
        held[_parent(document)].update(str(raw.get("route_id")) for raw in document.records)
    return frozenset(parent for parent, routes in held.items() if len(routes) == 1)


def _parent(document: ResultDocument) -> str:
    return str(PurePosixPath(document.relative).parent)


def _entries(document: ResultDocument, root: Path, benchmark: str, alone: frozenset[str]) -> Iterator[_Entry]:
    file = root if root.is_file() else root / document.relative
    for index, raw in enumerate(document.records):
        where = f"{file}, record {index}"
        own = record_id(raw, where)
        key = identify_record(own, document.relative, benchmark, route_folders=_parent(document) in alone)
        if key is None or (key.from_file_name and benchmark != "fail2drive" and len(document.records) > 1):
            raise DataRefused(
                f"{where}: route_id {own[:60]!r} does not tell the route. Expected RouteScenario_<id>_rep<k>."
            )
        yield _Entry(raw, key, f"{document.relative}#{index}", where)


def _has_seeds(entries: Iterable[_Entry], benchmark: str) -> bool:
    """Whether folder numbers are seeds; for Bench2Drive they are shards when no route stands in two of them."""
    folders = defaultdict(set)
    for entry in entries:
        if benchmark == "fail2drive" or entry.key.seed_named:
            return True
        folders[entry.key.route_id, entry.key.rep].add(entry.key.seed)
    return any(len(seeds) > 1 for seeds in folders.values())


def _parsed(entries: Sequence[_Entry], benchmark: str) -> list[FoundRecord]:
    use_seed = _has_seeds(entries, benchmark)
    return [
        FoundRecord(
            parse_record(
                entry.raw,
                route_id=entry.key.route_id,
                repeat=repeat_label(entry.key, use_seed=use_seed),
                source=entry.source,
                where=entry.where,
            ),
            entry.raw,
        )
        for entry in entries
    ]


def _preference(found: FoundRecord) -> int:
    return _PREFERENCE[found.record.outcome]


def _first_usable(found: Iterable[FoundRecord]) -> tuple[list[RouteRecord], int, int]:
    """One record for each (route, repeat), and how many identical and different ones were left out."""
    groups: dict[tuple[str, str], list[FoundRecord]] = defaultdict(list)
    for one in found:
        groups[one.record.route_id, one.record.repeat].append(one)
    kept, identical, different, rivals = [], 0, 0, []
    for group in groups.values():
        best = min(group, key=_preference)
        others = [one.record for one in group if one.content != best.content]
        kept.append(best.record)
        identical, different = identical + len(group) - 1 - len(others), different + len(others)
        rivals += [(best.record, other) for other in others if other.outcome is Outcome.SCORED][:1]
    _refuse_several_runs(rivals, len(kept))
    return kept, identical, different


def _refuse_several_runs(rivals: list[tuple[RouteRecord, RouteRecord]], routes: int) -> None:
    """Refuse a folder in which many routes have two usable results that differ: these are runs of several policies."""
    if len(rivals) <= max(TOLERATED_RIVALS, routes // 4):
        return
    first, second = rivals[0]
    raise DataRefused(
        f"{len(rivals)} of {routes} routes have two different usable results, first route {first.route_id} "
        f"({first.source} and {second.source}). Several policies or runs lie in one folder: name one of them, or put "
        "repeated runs of one policy into folders seed1/, seed2/ ..."
    )
