"""Berkeley Function Calling Leaderboard: score files beside result files, one pair a model and category.

A score file holds a header and the failures only, so what is in the result file and not among the failures passed; the
header's counts are held against that. Files of 2024 name a failure by its 1-based line, those of before September also
have other names. The leaderboard averages categories, whatever their sizes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestrand_drive.errors import DataRefused
from bestrand_drive.readers.contract import Intake, Reader, Row, Scale
from bestrand_drive.readers.folders import files_under, json_lines, number_of

METRIC, SECONDS, TOKENS = "accuracy", "latency", "output_token_count"
OLD = "gorilla_openfunctions_v1_test"
"""How result files of early 2024 begin, whose score files have the category only for a name."""
_NAME = re.compile(r"((?P<version>BFCL_v\d+)_)?(?P<category>\w+)_score\.json")
_HEADER = re.compile(rb'\s*\{\s*"accuracy"\s*:')
_START = 64


@dataclass(frozen=True)
class _Pair:
    """A score file with its result file."""

    score: Path
    result: Path
    task: str
    category: str
    model: str


def recognises(path: Path) -> bool:
    """Whether a file, or one in a folder, is named and begins as a score file."""
    return bool(_score_files(path))


def _score_files(path: Path) -> list[tuple[Path, str, str]]:
    """Score files with version and category."""
    named = [(file, match) for file in files_under(path, "*_score.json") if (match := _NAME.fullmatch(file.name))]
    return [(file, match["version"] or OLD, match["category"]) for file, match in named if _begins_well(file)]


def _begins_well(file: Path) -> bool:
    with file.open("rb") as stream:
        return _HEADER.match(stream.read(_START)) is not None


def read(path: Path, intake: Intake) -> Iterator[Row]:
    """Rows of all pairs of files under a path; a lone score file is refused."""
    found = _score_files(path)
    if not found:
        raise DataRefused(f"{path}: no BFCL_v<n>_<category>_score.json in it; name the folder with result/ and score/.")
    categories = set()
    for file, version, category in found:
        if intake.wants(version):
            categories.add(category)
            yield from _rows(_pair(file, version, category))
    if len(categories) > 1:
        intake.average_categories()


def _pair(score: Path, task: str, category: str) -> _Pair:
    """The result file has the same place under ``result`` as the score file under ``score``."""
    places = [number for number, part in enumerate(score.parts) if part == "score"]
    name = f"{task}_{category}_result.json"
    for place in reversed(places):
        inside = score.parts[place + 1 : -1]
        result = Path(*score.parts[:place], "result", *inside, name)
        if inside and result.is_file():
            return _Pair(score, result, task, category, inside[0])
    beside = score.with_name(name)
    if beside.is_file():
        return _Pair(score, beside, task, category, score.parent.name)
    raise DataRefused(
        f"{score}: no {name}, neither beside it nor at its place under result/. A score file lists failures only; "
        "what passed is known from the result file."
    )


def _rows(pair: _Pair) -> Iterator[Row]:
    answers = _answers(pair)
    failed = _failures(pair, list(answers))
    for name, answer in answers.items():
        seconds = _sum(answer.get(SECONDS))
        row = Row(name, pair.model, float(name not in failed), METRIC, pair.task, category=pair.category)
        yield row._replace(cost_s=seconds, source=str(pair.score))
        for figure in (SECONDS, TOKENS):
            value = _sum(answer.get(figure))
            if not math.isnan(value):
                yield row._replace(metric=figure, value=value, aside=True, source=str(pair.score))


def _answers(pair: _Pair) -> dict[str, dict[str, Any]]:
    """Answers by id, in their order; a number, or else the 0-based line, becomes an id with the category before it."""
    found: dict[str, dict[str, Any]] = {}
    for line, answer in enumerate(json_lines(pair.result)):
        own = answer.get("id", answer.get("idx", line))
        name = own if isinstance(own, str) else f"{pair.category}_{own}"
        if name in found:
            raise DataRefused(f"{pair.result}: {name} is there twice; keep one answer an id.")
        found[name] = {figure: answer.get(figure) for figure in (SECONDS, TOKENS)}
    return found


def _sum(value: object) -> float:
    """A figure, in conversations a list of turns and steps; NaN where there is none."""
    if isinstance(value, list):
        return sum(map(_sum, value)) if value else math.nan
    number = number_of(value)
    return math.nan if number is None else number


def _failures(pair: _Pair, ids: list[str]) -> set[str]:
    """Ids of the failures, checked by the header's counts."""
    lines = json_lines(pair.score)
    header = next(lines, {})
    if not {"correct_count", "total_count"} <= set(header):
        raise DataRefused(f"{pair.score}: its first line is no header with correct_count and total_count.")
    known = set(ids)
    failed = {_failure(line, ids, known, pair) for line in lines}
    if header["total_count"] != len(ids) or header["correct_count"] != len(ids) - len(failed):
        raise DataRefused(
            f"{pair.score}: its header counts {header['correct_count']} passes of {header['total_count']}, but "
            f"{pair.result} holds {len(ids)} answers, of which {len(failed)} failed. The two are not of one run."
        )
    return failed


def _failure(line: dict[str, Any], ids: list[str], known: set[str], pair: _Pair) -> str:
    own = line.get("id")
    if isinstance(own, int) and not isinstance(own, bool) and 1 <= own <= len(ids):
        return ids[own - 1]
    if isinstance(own, str) and own in known:
        return own
    raise DataRefused(f"{pair.score}: failure {own!r} is not among the {len(ids)} answers of {pair.result}.")


def scale(metric: str) -> Scale | None:
    """Passed or not; less is better of seconds and tokens."""
    return Scale(0.0, 1.0) if metric == METRIC else Scale(higher_is_better=False)


READER = Reader("bfcl", recognises, read, scale)
