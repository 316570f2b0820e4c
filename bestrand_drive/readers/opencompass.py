"""OpenCompass: ``results/<model>/<dataset>.json`` with details, and ``predictions/`` beside for what was asked.

Three shapes of details: an object by position with ``correct`` (``type`` GEN or PPL), one with ``is_correct``, and a
list of ``example_abbr`` whose fields are lists over runs of one model, which are repeats. Marks are per item and lie in
[0, 1]; the accuracy of a file goes to 100.

A position is the only id there is, so that items are joined by what was asked. Models that were asked in other words
(another prompt template) are refused rather than joined by position.
"""

from __future__ import annotations

import math
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestrand_drive.errors import DataRefused
from bestrand_drive.readers.contract import Intake, Reader, Row, Scale
from bestrand_drive.readers.fingerprints import fingerprint
from bestrand_drive.readers.folders import files_under, number_of, read_json

METRIC = "correct"
MARKS = ("correct", "is_correct", "cascade_correct")
PERSONS = ("HUMAN", "USER")
"""How a conversation calls who asks."""
REFERENCES = ("references", "refr", "answer", "gold")
TOLERANCE = 0.02
"""Points by which a file's accuracy may differ from its items' mean: it is rounded."""
_PART = re.compile(r"(?P<dataset>.+)_(?P<number>\d+)")
_POSITION = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True)
class _Part:
    """One file of results; the first position in it counts as ``start`` of the dataset."""

    path: Path
    task: str
    model: str
    start: int


@dataclass(frozen=True)
class _Mark:
    """One item of a part.

    Attributes:
        item: Its id.
        place: Its position in the file.
        values: Marks of all runs.
        prompt: What was asked, None where it is not told.
        reference: The right answer, None where it is not told.
    """

    item: str
    place: int
    values: Sequence[object]
    prompt: object
    reference: object


def recognises(path: Path) -> bool:
    """Whether a file, or one in a folder, lies as OpenCompass puts results."""
    return any(_is_result(file) for file in files_under(path, "*.json"))


def _is_result(file: Path) -> bool:
    return file.suffix == ".json" and file.absolute().parent.parent.name == "results"


def read(path: Path, intake: Intake) -> Iterator[Row]:
    """Rows of all results under a path; parts ``_0``, ``_1``, ... of a dataset are put together."""
    found = [file.absolute() for file in files_under(path, "*.json") if _is_result(file)]
    if not found:
        raise DataRefused(f"{path}: no results/<model>/<dataset>.json in it; name the folder of an experiment.")
    for task, files in _datasets(found):
        if not intake.wants(task):
            continue
        start = 0
        for file in files:
            start += yield from _rows(_Part(file, task, file.parent.name, start), intake)


def _datasets(files: Sequence[Path]) -> Iterator[tuple[str, list[Path]]]:
    """Name and files of each dataset: several when all of ``_0`` to ``_n`` are there and no file without a number."""
    stems = {(file.parent, file.stem): file for file in files}
    done: set[Path] = set()
    for (folder, stem), file in stems.items():
        if file in done:
            continue
        match = _PART.fullmatch(stem)
        parts = _parts(stems, folder, match["dataset"]) if match else []
        done |= {file, *parts}
        yield (match["dataset"], parts) if match and file in parts else (stem, [file])


def _parts(stems: Mapping[tuple[Path, str], Path], folder: Path, dataset: str) -> list[Path]:
    parts: list[Path] = []
    while (folder, f"{dataset}_{len(parts)}") in stems:
        parts.append(stems[folder, f"{dataset}_{len(parts)}"])
    return parts if len(parts) > 1 and (folder, dataset) not in stems else []


def _rows(part: _Part, intake: Intake) -> Generator[Row, None, int]:
    """Rows of one file; returns how many positions it holds."""
    results = read_json(part.path)
    details = results.get("details") if isinstance(results, dict) else None
    if not isinstance(details, dict | list):
        intake.leave_out("results without details (run with --dump-eval-details)", part.path)
        return 0
    asked, told = _Asked(part.path), []
    marks = list(_listed(details, part) if isinstance(details, list) else _keyed(details, part, intake))
    for mark in marks:
        values = [value for one in mark.values if (value := number_of(one)) is not None]
        if not values or len(values) < len(mark.values):
            intake.leave_out("items without a mark (their evaluator gives none)", part.path)
            continue
        told += values
        row = Row(mark.item, part.model, math.nan, METRIC, part.task, content=_content(mark, asked))
        for repeat, value in enumerate(values):
            yield row._replace(value=value, repeat=str(repeat), source=str(part.path))
    _compare(results, told, part, intake)
    return max((mark.place + 1 for mark in marks), default=0)


def _content(mark: _Mark, asked: _Asked) -> str:
    """Hash of what was asked and of the reference; "" when no file tells what was asked."""
    prompt = mark.prompt if mark.prompt is not None else asked.prompt(mark.place)
    return "" if prompt is None else fingerprint(_question(prompt), mark.reference)


def _keyed(details: Mapping[str, Any], part: _Part, intake: Intake) -> Iterator[_Mark]:
    """An object by position: both its shapes."""
    for key, one in details.items():
        if key == "type":
            continue
        if not _POSITION.fullmatch(key) or not isinstance(one, dict):
            intake.leave_out("entries of details that are no item", part.path)
            continue
        prompt = one["prompt"] if one.get("prompt") is not None else _options(one.get("origin_prediction"))
        yield _Mark(str(part.start + int(key)), int(key), _marks(one), prompt, _reference(one))


def _listed(details: Sequence[Any], part: _Part) -> Iterator[_Mark]:
    """A list of examples, whose names end in their position in the dataset."""
    for place, one in enumerate(details):
        name = one.get("example_abbr") if isinstance(one, dict) else None
        if not isinstance(name, str) or not _POSITION.fullmatch(name.rpartition("_")[2]):
            raise DataRefused(f"{part.path}: an entry of its details has no example_abbr that ends in a position.")
        item = name.rpartition("_")[2]
        yield _Mark(item, place, _marks(one), _first(one.get("prompt")), _first(_reference(one)))


def _marks(one: Mapping[str, Any]) -> Sequence[object]:
    """Marks of all runs, by the first of ``MARKS`` that is there."""
    found: object = next((one[key] for key in MARKS if one.get(key) is not None), [])
    return found if isinstance(found, list) else [found]


def _reference(one: Mapping[str, Any]) -> object:
    return next((one[key] for key in REFERENCES if key in one), None)


def _first(value: object) -> object:
    """Of a field that is a list over runs, the first."""
    return value[0] if isinstance(value, list) and value else value


def _options(prediction: object) -> object:
    """What was asked of a model whose likelihood decided: one prompt an option."""
    if not isinstance(prediction, dict):
        return None
    told = {str(key): one["prompt"] for key, one in prediction.items() if isinstance(one, dict) and "prompt" in one}
    return told or None


def _question(prompt: object) -> object:
    """The last thing a person said in a conversation, which does not depend on the model; else the whole prompt."""
    if isinstance(prompt, list):
        said = [turn for turn in prompt if isinstance(turn, dict) and str(turn.get("role")).upper() in PERSONS]
        return said[-1].get("prompt", said[-1].get("content")) if said else prompt
    return prompt


class _Asked:
    """Prompts of the file of predictions that belongs to a file of results, read when first asked for."""

    def __init__(self, results: Path) -> None:
        folder = results.parent.parent.with_name("predictions") / results.parent.name
        self._whole, self._folder, self._stem = folder / results.name, folder, results.stem
        self._prompts: list[object] | None = None

    def prompt(self, place: int) -> object:
        """What was asked at a position; None when no prediction tells."""
        if self._prompts is None:
            self._prompts = [prompt for file in self._files() for prompt in _prompts(file)]
        return self._prompts[place] if place < len(self._prompts) else None

    def _files(self) -> Iterator[Path]:
        """The file of that name, else its parts."""
        if self._whole.is_file():
            yield self._whole
            return
        number = 0
        while (part := self._folder / f"{self._stem}_{number}.json").is_file():
            yield part
            number += 1


def _prompts(file: Path) -> list[object]:
    """Prompts by position."""
    told = read_json(file)
    if not isinstance(told, dict) or not all(isinstance(told.get(str(place)), dict) for place in range(len(told))):
        raise DataRefused(f"{file}: not an object of predictions by position.")
    return [told[str(place)].get("origin_prompt") for place in range(len(told))]


def _compare(results: Mapping[str, Any], marks: Sequence[float], part: _Part, intake: Intake) -> None:
    """Say when a file's accuracy is not the mean of its items."""
    stated = number_of(results.get("accuracy"))
    if stated is None or not marks:
        return
    mean = 100 * sum(marks) / len(marks)
    if abs(mean - stated) > TOLERANCE:
        intake.note(f"{part.path}: its accuracy is {stated:.2f}, the mean of its items {mean:.2f}: it is no plain mean")


def scale(metric: str) -> Scale | None:
    """Right or not."""
    return Scale(0.0, 1.0) if metric == METRIC else None


READER = Reader("opencompass", recognises, read, scale, positional=True)
