"""Earlier result files become attempts: what they do not say is declared once, or stays undeclared."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.benchmarks.record_parsing import RouteRecord
from bestrand_drive.benchmarks.records import FoundRecord
from bestrand_drive.benchmarks.route_scan import RouteElement
from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.attempts.key import AttemptKey, described, differences, only_build
from bestrand_drive.simulation.attempts.outcome import Ending, Judgement, judge_record
from bestrand_drive.simulation.attempts.record import Attempt
from bestrand_drive.simulation.attempts.store import AttemptStore


@dataclass(frozen=True)
class Adopted:
    """What became of the records.

    Attributes:
        stored: Attempts that were stored now.
        known: Records that were in the run folder already.
        copies: Records that say exactly what another one of the same route and repeat says.
    """

    stored: tuple[Attempt, ...]
    known: int
    copies: int


@dataclass(frozen=True)
class _Candidate:
    """A record on its way to become an attempt."""

    key: AttemptKey
    content: str
    result: bytes
    source: str
    judged: Judgement


def adopt(
    store: AttemptStore,
    found: Sequence[FoundRecord],
    root: Path,
    declared: AttemptKey,
    routes: Mapping[str, RouteElement],
    *,
    pool_builds: bool = False,
) -> Adopted:
    """Store every record as an attempt.

    Earlier files tell nothing of the order in time; within a route and repeat the record that readers of the files
    prefer comes first, so that the numbers stay what they were.

    Args:
        store: Of the run folder, held by us.
        found: From ``benchmarks.records.every_record``.
        root: What the sources of the records are relative to.
        declared: What holds for all of them; route, town, repeat and seed are set for each.
        routes: Route elements by id; a route that is not among them has no declared content.
        pool_builds: Let the folder hold attempts of another build.

    Raises:
        UsageError: The folder holds attempts of another build, and pooling was not asked for.
        OSError: The disk is full; what was stored before stays, and the same command goes on.
    """
    _refuse_another_build(store.attempts, declared, pool_builds=pool_builds)
    repeats = repeat_numbers(one.record for one in found)
    single = Counter(_file(one.record) for one in found)
    fresh: dict[tuple[str, int], list[_Candidate]] = defaultdict(list)
    copies = 0
    for one in found:
        key = _key(one.record, repeats[one.record.repeat], declared, routes)
        if any(other.content == one.content for other in fresh[key.cell]):
            copies += 1
            continue
        judged = judge_record(one.record, Ending())
        whole = _whole_file(root, one.record) if single[_file(one.record)] == 1 else None
        fresh[key.cell].append(_Candidate(key, one.content, _result(one, whole), one.record.source, judged))
    known = _known(store)
    new = [one for cell in fresh.values() for one in cell if (one.key.cell, one.result) not in known]
    stored = tuple(_store(store, one) for one in new)
    return Adopted(stored, len(found) - copies - len(stored), copies)


def repeat_numbers(records: Iterable[RouteRecord]) -> dict[str, int]:
    """Repeat label -> number from 0, in the order of the labels (numbers by value)."""
    labels = sorted({record.repeat for record in records}, key=lambda label: (len(label), label))
    return {label: number for number, label in enumerate(labels)}


def _refuse_another_build(attempts: Iterable[Attempt], declared: AttemptKey, *, pool_builds: bool) -> None:
    for attempt in attempts:
        same = {"route_id": declared.route_id, "town": None, "route_sha256": None, "seed": None}
        have = attempt.key.model_copy(update=same | {"repeat": declared.repeat})
        if differences(have, declared) and only_build(differences(have, declared)) and not pool_builds:
            raise UsageError(
                f"{_called(attempt)} in this folder is of another build: {described(have, declared)}. "
                "Choose another --out, or pool them with --pool-builds."
            )


def _called(attempt: Attempt) -> str:
    """How an attempt is called in messages."""
    return f"attempt {attempt.number} of route {attempt.key.route_id}, repeat {attempt.key.repeat},"


def _key(record: RouteRecord, repeat: int, declared: AttemptKey, routes: Mapping[str, RouteElement]) -> AttemptKey:
    route = routes.get(record.route_id)
    return declared.model_copy(
        update={
            "route_id": record.route_id,
            "repeat": repeat,
            "town": route.town if route else None,
            "route_sha256": route.sha256 if route else None,
        }
    )


def _file(record: RouteRecord) -> str:
    return record.source.rpartition("#")[0]


def _whole_file(root: Path, record: RouteRecord) -> Path:
    """The file that holds a record."""
    return root if root.is_file() else root / _file(record)


def _result(one: FoundRecord, whole: Path | None) -> bytes:
    """The evaluator's file when it holds this record alone, else a checkpoint around the record as it was written."""
    if whole is not None:
        content = whole.read_bytes()
        if b'"_checkpoint"' in content:
            return content
    checkpoint = {"global_record": {}, "progress": [1, 1], "records": [one.raw | {"index": 0}]}
    return json.dumps({"_checkpoint": checkpoint, "entry_status": "Finished"}, indent=1).encode() + b"\n"


def _known(store: AttemptStore) -> set[tuple[tuple[str, int], bytes]]:
    return {(attempt.key.cell, store.result(attempt)) for attempt in store.attempts if attempt.result_file}


def _store(store: AttemptStore, one: _Candidate) -> Attempt:
    found = one.judged
    attempt = Attempt(
        key=one.key,
        number=store.next_number(one.key.cell),
        outcome=found.outcome,
        reason=found.reason,
        status=found.status,
        detail=found.detail,
        game_s=found.game_s,
        system_s=found.system_s,
        adopted_from=one.source,
    )
    return store.put(attempt, one.result)
