"""VLMEvalKit: tables of graded answers beside the answers themselves, as ``xlsx`` (by openpyxl), ``tsv`` or ``json``.

``<model>_<dataset>_<judge>_result.xlsx`` holds ``hit``, ``<model>_<dataset>_results.xlsx`` ``eval_score``, others
``score``. In circular evaluation a question is asked once a rotation of its options: a group (``g_index``) is one item,
right when every rotation is. What stands between dataset and ending is who judged: a filter.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bestrand_drive.errors import BestrandError, DataRefused, EnvironmentFault
from bestrand_drive.readers.archives import open_archive
from bestrand_drive.readers.contract import Intake, Reader, Scale
from bestrand_drive.readers.fingerprints import fingerprint
from bestrand_drive.readers.folders import files_under, read_json
from bestrand_drive.scores.frames import as_numbers

METRICS = ("hit", "eval_score", "score")
SUFFIXES = (".xlsx", ".tsv", ".json")
MOST_CELLS = 5_000_000
"""Of a workbook's sheet; blank ones count."""
OFFSET = 1_000_000
"""Rotations of a question are its index plus multiples of it."""
VANILLA = "vanilla_all"
"""A protocol that counts every rotation for itself."""
_NAME = re.compile(
    r"(?P<task>.+?)(_(?P<judge>exact_matching|openai|(chat)?gpt-[^_]+))?_(detailed_results?|results?|auxmatch)"
)
"""Of graded answers, where no table of the answers lies beside that tells where the dataset's name ends."""
_ENDING = re.compile(r"_?(detailed_results?|results?|auxmatch)$")


@dataclass(frozen=True)
class _File:
    """A table of graded answers and what its name says."""

    path: Path
    model: str
    task: str
    judge: str


def recognises(path: Path) -> bool:
    """Whether a path is or holds a table that is named after the folder of its model."""
    return bool(_tables(path))


def _tables(path: Path) -> list[Path]:
    found = {file for suffix in SUFFIXES for file in files_under(path, f"*{suffix}")}
    return [file for file in sorted(found) if file.suffix in SUFFIXES and _model(file)]


def _model(file: Path) -> str:
    """The nearest folder that the file's name begins with; "" when there is none."""
    folders = (folder.name for folder in file.absolute().parents)
    return next((name for name in folders if name and file.stem.startswith(f"{name}_")), "")


def read(path: Path, intake: Intake) -> Iterator[pd.DataFrame]:
    """Rows of all graded tables under a path."""
    tables = _tables(path)
    if not tables:
        raise DataRefused(f"{path}: no <model>/.../<model>_<dataset>_..._result.xlsx (or .tsv, .json) in it.")
    graded, answers = _sorted_out(tables)
    if not graded and not answers:
        raise DataRefused(f"{path}: no table in it has an index and one of {', '.join(METRICS)}.")
    found = [_named(file, answers) for file in graded]
    bare = answers - {file.path.with_name(f"{file.model}_{file.task}") for file in found}
    if bare:
        intake.leave_out("tables of answers without grades", min(bare), len(bare))
    for file in found:
        if file.judge.endswith(VANILLA):
            intake.leave_out("tables of the protocol that counts every rotation for itself", file.path)
        elif intake.wants(file.task):
            try:
                yield from _rows(file)
            except UnicodeEncodeError as error:  # pandas keeps text as UTF-8
                raise DataRefused(f"{file.path}: holds half of a character ({error}), which no table can.") from error


def _sorted_out(tables: Sequence[Path]) -> tuple[list[Path], set[Path]]:
    """Tables with grades, and the places without suffix of those with answers only; totals are neither."""
    graded: list[Path] = []
    answers: set[Path] = set()
    for file in tables:
        columns = set(_table(file, rows=1).columns)
        if "index" in columns and columns & set(METRICS):
            graded.append(file)
        elif {"index", "prediction"} <= columns:
            answers.add(file.with_suffix(""))
    return graded, answers


def _named(path: Path, answers: set[Path]) -> _File:
    """The dataset's name ends where that of the longest table of answers does, else before judge and ending."""
    model = _model(path)
    stem = path.with_suffix("").name
    beside = [file.name for file in answers if file.parent == path.parent and stem.startswith(f"{file.name}_")]
    if beside:
        whole = max(beside, key=len)
        return _File(path, model, whole.removeprefix(f"{model}_"), _ENDING.sub("", stem.removeprefix(f"{whole}_")))
    rest = stem.removeprefix(f"{model}_")
    match = _NAME.fullmatch(rest)
    return _File(path, model, match["task"], match["judge"] or "") if match else _File(path, model, rest, "")


def _rows(file: _File) -> Iterator[pd.DataFrame]:
    frame = _table(file.path)
    metrics = [name for name in METRICS if name in frame.columns]
    item = _items(frame)
    rows = pd.DataFrame({"item": item, "content": _contents(frame, item)})
    rows["category"] = _texts(frame["category"]) if "category" in frame.columns else ""
    mains_first = np.argsort((item != _texts(frame["index"])).to_numpy(), kind="stable")
    for name in metrics:
        rows["value"] = _numbers(frame[name], name, file)
        grouped = rows.iloc[mains_first].groupby("item", sort=False)
        one = grouped.first().assign(value=grouped["value"].agg(_all_right)).reset_index()
        yield one.assign(model=file.model, task=file.task, filter=file.judge, metric=name, source=str(file.path))


def _all_right(values: pd.Series) -> float:
    """The worst of a group's rotations; not scored when one is not."""
    return float(values.min(skipna=False))


def _items(frame: pd.DataFrame) -> pd.Series:
    """Id of each row's group: ``g_index``, or the index without its rotation where both are there, else the index."""
    if "g_index" in frame.columns:
        return _texts(frame["g_index"])
    numbers = pd.to_numeric(frame["index"], errors="coerce")
    if numbers.notna().all() and (numbers >= OFFSET).any():
        main = set(numbers[numbers < OFFSET])
        if set(numbers[numbers >= OFFSET] % OFFSET) <= main:
            return _texts(numbers % OFFSET)
    return _texts(frame["index"])


def _contents(frame: pd.DataFrame, item: pd.Series) -> list[str]:
    """Hash of id, question, options and answer; of a group, that of its row without rotation counts."""
    names = [str(name) for name in frame.columns if name in ("question", "answer") or re.fullmatch("[A-Z]", str(name))]
    columns = [_texts(frame[name]).tolist() for name in names]
    asked = [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)] or [{}] * len(frame)
    return [
        fingerprint(own, {name: text for name, text in one.items() if text})
        for own, one in zip(item, asked, strict=True)
    ]


def _numbers(column: pd.Series, name: str, file: _File) -> np.ndarray:
    numbers = as_numbers(column.replace({"True": 1, "False": 0, "": None}))
    odd = np.flatnonzero(np.isnan(numbers) & (_texts(column) != "").to_numpy())
    if odd.size:
        row = int(odd[0])
        raise DataRefused(f"{file.path}, row {row + 2}: {name} is {column.iloc[row]!a}, no number.")
    return numbers


def _texts(column: pd.Series) -> pd.Series:
    """Text of each cell, alike whatever the table's format: whole numbers without a point, blanks as ""."""
    return pd.Series([_text(value) for value in column], index=column.index, dtype=object)


def _text(value: object) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)


def _table(path: Path, rows: int | None = None) -> pd.DataFrame:
    """A table of any of the three formats, or its first rows; only empty cells are blank, an answer may read "None"."""
    try:
        if path.suffix == ".xlsx":
            return _workbook(path, rows)
        if path.suffix == ".tsv":
            with warnings.catch_warnings():
                warnings.simplefilter("error", pd.errors.ParserWarning)  # rows longer than the header
                blank: dict[str, Any] = {"keep_default_na": False, "na_values": [""], "index_col": False}
                frame: pd.DataFrame = pd.read_csv(path, sep="\t", nrows=rows, **blank)
                return frame
        records = read_json(path)
        is_table = isinstance(records, list) and all(isinstance(record, dict) for record in records)
        return pd.DataFrame(records[:rows] if is_table else [])
    except BestrandError:
        raise
    except Exception as error:
        # Readers of damaged files raise whatever they trip over (BadZipFile, zlib.error, TypeError, SyntaxError ...).
        raise DataRefused(f"{path}: cannot be read as a table ({error}).") from error


def _workbook(path: Path, rows: int | None) -> pd.DataFrame:
    """The first sheet of a workbook; a cell far out makes a sheet of any size, so that its extent is bounded.

    Raises:
        DataRefused: A part of it, or the sheet, is too large.
        EnvironmentFault: What reads workbooks is not installed.
    """
    if find_spec("openpyxl") is None:
        raise EnvironmentFault(
            f"{path}: openpyxl is needed to read it; in the checkout of this package: pip install '.[loaders]'."
        )
    with open_archive(path) as archive:
        archive.check_sizes()
    openpyxl = import_module("openpyxl")
    with closing(openpyxl.load_workbook(path, read_only=True, data_only=True)) as book:
        sheet = book.worksheets[0]
        sheet.reset_dimensions()  # as the file states them, which need not be so
        lines = sheet.iter_rows(values_only=True)
        header = next(lines, ())
        named = [name for name in header if name is not None]
        if len(set(named)) < len(named):
            raise DataRefused(f"{path}: a column of its sheet is there twice.")
        held: list[tuple[Any, ...]] = []
        for number, line in enumerate(lines, start=1):
            if number * max(len(header), len(line)) > MOST_CELLS:
                raise DataRefused(f"{path}: its sheet has over {MOST_CELLS:,} cells.")
            held.append((*line, *[None] * (len(header) - len(line))))
            if number == rows:
                break
    while held and not any(cell is not None for cell in held[-1]):
        held.pop()
    return pd.DataFrame([line[: len(header)] for line in held], columns=pd.Index(header, dtype=object))


def scale(metric: str) -> Scale | None:
    """A hit is one or none; the others depend on the dataset."""
    return Scale(0.0, 1.0) if metric == "hit" else None


READER = Reader("vlmevalkit", recognises, read, scale)
