"""NAVSIM: the CSV files of PDM scores, one row a token, of versions 1 and 2.

``score`` is the number to compress by; the sub-scores beside it come when asked for by name. A token at which the agent
failed (``valid`` False) is not scored, as in NAVSIM's own mean. Two-stage files of version 2 become two tasks: their
combined score multiplies weighted means by scene, and neither the weights nor the scenes are in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from bestrand_drive.errors import DataRefused
from bestrand_drive.readers.contract import Intake, Reader, Scale
from bestrand_drive.readers.folders import files_under

SCORE = "score"
SUB_SCORES = frozenset(
    [
        "no_at_fault_collisions",
        "drivable_area_compliance",
        "driving_direction_compliance",
        "traffic_light_compliance",
        "ego_progress",
        "time_to_collision_within_bound",
        "comfort",
        "lane_keeping",
        "history_comfort",
        "two_frame_extended_comfort",
        "pdm_score",
    ]
)
SUMMARIES = ("average", "pseudo_closed_loop", "extended_pdm_score_")
"""How the tokens of rows begin that average over others; tokens of scenes are hexadecimal or begin with one."""
STAGES = ("stage_one", "stage_two")
_HEADER = re.compile(rb"[^\n]*\btoken\b[^\n]*\bvalid\b[^\n]*\bscore\b")
_DATE = re.compile(r"[._-]?\d{4}([._-]\d\d){2,5}$")
_START = 4096


def recognises(path: Path) -> bool:
    """Whether a file, or one in a folder, has token, valid and score in its header."""
    return any(_is_scores(file) for file in files_under(path, "*.csv"))


def _is_scores(file: Path) -> bool:
    if file.suffix != ".csv":
        return False
    with file.open("rb") as stream:
        return _HEADER.match(stream.read(_START)) is not None


def read(path: Path, intake: Intake) -> Iterator[pd.DataFrame]:
    """Rows of all score files under a path, a frame a task and metric."""
    found = [file for file in files_under(path, "*.csv") if _is_scores(file)]
    if not found:
        raise DataRefused(f"{path}: no CSV of NAVSIM's scores in it (columns token, valid and score).")
    for file in found:
        frame = _tokens(file, intake)
        two = [name for name in frame.columns if name.endswith(STAGES)]
        for task, rows in _stages(frame, two, file, intake) if two else [("", frame)]:
            if intake.wants(task):
                yield from _frames(rows, task, file)


def _tokens(file: Path, intake: Intake) -> pd.DataFrame:
    """Rows of single tokens; numbers are NaN where the agent failed."""
    try:
        frame = pd.read_csv(file, dtype={"token": str, "valid": str})
    except (ValueError, OSError, pd.errors.ParserError) as error:
        raise DataRefused(f"{file}: cannot be read as CSV ({error}).") from error
    absent = [name for name in ("token", "valid", SCORE) if name not in frame.columns]
    if absent:
        raise DataRefused(f"{file}: no column {', '.join(absent)}; not NAVSIM's scores.")
    summary = frame["token"].fillna("").str.startswith(SUMMARIES)
    if summary.any():
        intake.leave_out("rows of averages", file, int(summary.sum()))
    frame = frame[~summary].reset_index(drop=True)
    odd = ~frame["valid"].isin(["True", "False"]) | frame["token"].isna()
    if odd.any():
        row = odd.tolist().index(True) + 2
        raise DataRefused(f"{file}, row {row}: valid is neither True nor False, or no token is there.")
    numbers = frame.select_dtypes("number").astype(float)
    if SCORE not in numbers.columns:
        raise DataRefused(f"{file}: its column {SCORE} holds no numbers.")
    return pd.concat([frame["token"], numbers.where(frame["valid"] == "True", axis=0)], axis=1)


def _stages(frame: pd.DataFrame, two: Sequence[str], file: Path, intake: Intake) -> Iterator[tuple[str, pd.DataFrame]]:
    """Tokens of each stage: those with a number in one of its columns."""
    intake.note(
        "two-stage scores: a suite stands for the mean over one stage's tokens; NAVSIM's combined score multiplies "
        "means by scene, weighted as the file does not tell"
    )
    left = np.ones(len(frame), dtype=bool)
    for stage in STAGES:
        own = [name for name in two if name.endswith(stage)]
        rows = frame[own].notna().any(axis=1).to_numpy()
        left &= ~rows
        told = {name: name.removesuffix(f"_{stage}") for name in own}
        kept = frame.loc[rows, ["token", *own, SCORE]]
        yield stage, kept.rename(columns=told)
    if left.any():
        intake.leave_out("tokens at which the agent failed, of a stage that is not told,", file, int(left.sum()))


def _frames(rows: pd.DataFrame, task: str, file: Path) -> Iterator[pd.DataFrame]:
    for name in rows.columns:
        if name == "token" or str(name).startswith("Unnamed"):
            continue
        yield pd.DataFrame({"item": rows["token"], "value": rows[name], "metric": name, "aside": name != SCORE}).assign(
            model=_model(file), task=task, source=str(file)
        )


def _model(file: Path) -> str:
    """The file's name without its date, or that of the nearest folder around it that is no date."""
    names = (_DATE.sub("", name) for name in (file.stem, *(folder.name for folder in file.absolute().parents)))
    return next((name for name in names if name), file.stem)


def scale(metric: str) -> Scale | None:
    """The score and its parts lie in [0, 1]."""
    return Scale(0.0, 1.0) if metric == SCORE or metric in SUB_SCORES else None


READER = Reader("navsim", recognises, read, scale)
