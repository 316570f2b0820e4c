"""Fail2Drive: pairs of routes as items, its records as scores, its six numbers.

Rules (Fail2Drive's result parser): every result of a split counts alike over seeds and routes; success = no
infraction other than min_speed and outside_route_lanes, whatever the status; scores are rounded to one decimal
before their harmonic mean; missing results are dropped from the mean.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from statistics import fmean

import pandas as pd

from bestrand_drive.benchmarks.benchmark import NO_RECORD, Benchmark, Cell, ScoreTable, missing_cells, score_table
from bestrand_drive.benchmarks.catalog import identify, load_rules
from bestrand_drive.benchmarks.fail2drive_pairs import PAIR_OFFSET, SPLITS, PairMember, pair_row, read_members
from bestrand_drive.benchmarks.outcomes import SUCCESS_STATUSES, Outcome
from bestrand_drive.benchmarks.record_parsing import LANES_KIND, SPEED_KIND
from bestrand_drive.benchmarks.records import PolicyResults, RouteRecord
from bestrand_drive.benchmarks.tallies import result_counts, result_notes, split_foreign
from bestrand_drive.errors import DataRefused
from bestrand_drive.files import sha256_bytes

NAME = "fail2drive"
HARMONIC = tuple((f"{split}_harmonic_mean", f"{split}_driving_score", f"{split}_success") for split in SPLITS)
"""Name, score and success metric of each harmonic mean."""
_IGNORED_KINDS = {SPEED_KIND, LANES_KIND}


def load(path: Path) -> Benchmark:
    """Read a folder of Fail2Drive's route files, named ``<Split>_<Class>_<id>.xml``.

    Args:
        path: The folder; ``items`` has one row a pair, its members are the stems of the two files (base first).

    Raises:
        DataRefused: A file is malformed, is not named so, has another id than its name, or lacks its partner.
    """
    members = read_members(path)
    pairs: dict[str, dict[str, PairMember]] = {}
    for member in members:
        pairs.setdefault(member.item_id, {})[member.split] = member
    rows = [pair_row(path, item, pairs[item]) for item in sorted(pairs, key=lambda item: (item[-4:], item))]
    files = tuple(member.file for member in members)
    rules, known = load_rules(NAME), identify(files, NAME)
    return Benchmark(
        name=NAME,
        route_set=known.name,
        sha256=sha256_bytes("".join(f"{file.path.name} {file.sha256}\n" for file in files).encode()),
        findings=known.findings,
        items=pd.DataFrame(rows, columns=["item_id", "members", "stratum", "town"]),
        domains={},
        metrics=rules.descriptions(),
        run_noise=rules.run_noise,
        run_noise_source=rules.run_noise_source,
        fragile=(),
        files=files,
    )


def route_files(benchmark: Benchmark, item_ids: Collection[str]) -> dict[str, bytes]:
    """The chosen pairs' original files, as ``routes/<name>`` -> content, in the folder's order.

    Raises:
        DataRefused: An id is not an item of the benchmark.
    """
    items = dict(zip(benchmark.items["item_id"], benchmark.items["members"], strict=True))
    unknown = sorted(set(item_ids) - items.keys())
    if unknown:
        raise DataRefused(f"{benchmark.files[0].path.parent}: no pair {', '.join(unknown[:10])}. Check the folder.")
    stems = {stem for item in item_ids for stem in items[item]}
    return {f"routes/{file.path.name}": file.content for file in benchmark.files if file.path.stem in stems}


def is_success(record: RouteRecord) -> bool:
    """Fail2Drive's success: no infraction but speed and lanes; the status is not consulted."""
    return not any(messages for kind, messages in record.infractions.items() if kind not in _IGNORED_KINDS)


def scores(benchmark: Benchmark, results: PolicyResults) -> ScoreTable:
    """The results of one policy as a score table, per pair and repeat (seed).

    Args:
        benchmark: From ``load``.
        results: The policy's records.

    Raises:
        DataRefused: No result is for a route of the folder.
    """
    own, foreign = split_foreign(benchmark, results)
    drives = {(record.route_id, record.repeat): record for record in own}
    cells: list[Cell] = []
    costs = []
    unrecorded = 0
    for item, members in zip(benchmark.items["item_id"], benchmark.items["members"], strict=True):
        ids = [str(int(stem[-4:])) for stem in members]
        repeats = [repeat for repeat in results.repeats if any((route, repeat) in drives for route in ids)]
        unrecorded += not repeats
        for repeat in repeats or results.repeats[:1]:
            pair = [drives.get((route, repeat)) for route in ids]
            cells += _pair_cells(item, repeat, pair)
            costs.append((item, repeat, sum(_duration_s(record) for record in pair)))
    failed = _failed_successes(own)
    counts = result_counts(benchmark, own, foreign, unrecorded) | {"failed_counted_as_success": failed}
    said = f"{failed} routes with a failed status count as success by Fail2Drive's rule"
    return score_table(cells, costs, counts, result_notes(results, foreign) + ((said,) if failed else ()))


def _pair_cells(item: str, repeat: str, pair: list[RouteRecord | None]) -> Iterator[Cell]:
    for split, record in zip(SPLITS, pair, strict=True):
        metrics = (f"{split}_driving_score", f"{split}_success")
        if record is None or record.outcome is Outcome.INFRASTRUCTURE:
            yield from missing_cells(item, repeat, metrics, record.reason if record else NO_RECORD)
        else:
            yield Cell(item, repeat, metrics[0], record.driving_score)
            yield Cell(item, repeat, metrics[1], 100.0 * is_success(record))


def _duration_s(record: RouteRecord | None) -> float:
    """Wall time of a drive; NaN where there was none or the simulator cut it short."""
    usable = record is not None and record.outcome is not Outcome.INFRASTRUCTURE
    return record.duration_system_s if record is not None and usable else math.nan


def _failed_successes(records: list[RouteRecord]) -> int:
    return sum(
        record.outcome is not Outcome.INFRASTRUCTURE and record.status not in SUCCESS_STATUSES and is_success(record)
        for record in records
    )


def harmonic_mean(driving_score: float, success: float) -> float:
    """2 / (1/driving_score + 1/success); 0 when either is 0."""
    return 2.0 / (1.0 / driving_score + 1.0 / success) if driving_score > 0 and success > 0 else 0.0


def rounded(values: Mapping[str, float]) -> dict[str, float]:
    """Numbers as Fail2Drive prints them: one decimal, harmonic means taken from the rounded parts."""
    out = {name: round(value, 1) for name, value in values.items()}
    for name, score, success in HARMONIC:
        if score in out and success in out:
            out[name] = round(harmonic_mean(out[score], out[success]), 1)
    return out


def official(results: PolicyResults, benchmark: Benchmark) -> dict[str, float]:
    """Fail2Drive's six numbers by its own rounding.

    Args:
        results: The policy's records, all seeds.
        benchmark: From ``load``.

    Returns:
        ``<split>_driving_score``, ``<split>_success``, ``<split>_harmonic_mean`` for both splits; a split without
        results is absent.

    Raises:
        DataRefused: No result is for a route of the folder.
    """
    own, _ = split_foreign(benchmark, results)
    means: dict[str, float] = {}
    for split in SPLITS:
        inside = [
            record
            for record in own
            if record.outcome is not Outcome.INFRASTRUCTURE
            and (int(record.route_id) >= PAIR_OFFSET) == (split == "generalization")
        ]
        if inside:
            means[f"{split}_driving_score"] = fmean(record.driving_score for record in inside)
            means[f"{split}_success"] = 100.0 * fmean(is_success(record) for record in inside)
    return rounded(means)
