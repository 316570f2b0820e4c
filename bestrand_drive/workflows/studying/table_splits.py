"""Score tables as problems: who is probe and who is target under each split."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np

from bestrand_drive.compression.probe_choice import abilities
from bestrand_drive.errors import DataRefused, UsageError, choices
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.tables import read_table
from bestrand_drive.study.problem import Problem
from bestrand_drive.study.splits import PROBE_CHOICES, SPLITS, family_split, ordered_split, random_split
from bestrand_drive.workflows.studying.tables import TableStudy


def table_problem(study: TableStudy, scores: ScoreMatrix, notes: Sequence[str]) -> Problem:
    """The problem of a table under one split.

    Args:
        study: Says the split.
        scores: See ``read_scores``.
        notes: What was left out.

    Raises:
        UsageError: The split needs what is not given.
    """
    _check(study)
    probes = min(study.n_probes, len(scores.policies) // 2)
    ability = abilities(scores)
    if study.split == "random":
        split = random_split(ability, probes, study.probe_choice)
    elif study.split == "score":
        split = ordered_split(ability, probes)
    elif study.split == "family":
        split = family_split(families_of(study, scores), probes)
    else:
        split = ordered_split(_dates(study, scores), probes)
    choice = study.probe_choice if study.split == "random" else ""
    words = [study.split, str(probes), choice]
    if study.split == "family":
        words += families_of(study, scores)
    if study.split == "time":
        words += [str(date) for date in _dates(study, scores)]
    name = re.sub(r"\.(csv|tsv|jsonl|parquet)(\.gz)?$", "", study.scores.name)
    kind = study.split if choice in ("", "random") else f"{study.split}, {choice} probes"
    return Problem(name, scores, split, " ".join(words), notes=notes, split_kind=kind)


def _check(study: TableStudy) -> None:
    """Refuse what cannot be meant.

    Raises:
        UsageError: An unknown word, an impossible number, or an option that this split would not look at.
    """
    if study.split not in SPLITS:
        raise UsageError(f"--split {study.split}: known are {choices(study.split, SPLITS)}")
    if study.probe_choice not in PROBE_CHOICES:
        raise UsageError(f"--probe-choice {study.probe_choice}: known are {choices(study.probe_choice, PROBE_CHOICES)}")
    if study.probe_choice != "random" and study.split != "random":
        raise UsageError(f"--probe-choice {study.probe_choice} is of the random split; leave --split out.")
    if study.n_probes < 1:
        raise UsageError(f"--n-probes {study.n_probes}: give at least 1.")


def families_of(study: TableStudy, scores: ScoreMatrix) -> list[str]:
    """Family of each model: from --family, else from the table of models."""
    label = {name: name for name in scores.policies}
    if study.models:
        label |= _column(study.models, "family", scores)
    check_members(study.families, label, f"is no model of {study.scores.name} (or repeats another)")
    for family, members in study.families.items():
        label |= dict.fromkeys(members, f"family {family}")
    if not study.models and not study.families:
        raise UsageError("--split family needs --family NAME=A,B (repeat) or --models TABLE with a column family.")
    return [label[name] for name in scores.policies]


def _dates(study: TableStudy, scores: ScoreMatrix) -> np.ndarray:
    """Day number of each model's date, float64 [policy]."""
    if not study.models:
        raise UsageError("--split time needs --models TABLE with the columns model and date (such as 2024-08-11).")
    dates = _column(study.models, "date", scores)
    return np.array([_day(study.models, name, dates[name]) for name in scores.policies])


def _day(path: Path, name: str, date: str) -> float:
    """Number of a day, a month's or a year's first."""
    try:
        day = np.asarray(date.strip(), dtype="datetime64[D]")
    except ValueError:
        day = np.asarray("NaT", dtype="datetime64[D]")
    if np.isnat(day):
        raise DataRefused(f"{path}: model {name!r}: {date!r} is no date; write it as 2024-08-11.")
    return float(day.astype(float))


def _column(path: Path, column: str, scores: ScoreMatrix) -> dict[str, str]:
    """One column of the table of models, by model.

    Raises:
        DataRefused: The column is not there, or a model has no row, no value or two rows.
    """
    frame = read_table(path)
    if not {"model", column} <= set(frame.columns):
        raise DataRefused(f"{path}: needs the columns model and {column}.")
    models, filled = frame["model"].astype(str), frame[column].notna()
    if models.duplicated().any():
        raise DataRefused(f"{path}: model {models[models.duplicated()].iloc[0]!r} has more than one row.")
    known = dict(zip(models, frame[column].astype(str).where(filled, "").str.strip(), strict=True))
    absent = [name for name in scores.policies if name not in known]
    if absent:
        raise DataRefused(f"{path}: no row for {len(absent)} models of the score table, first {absent[0]!r}.")
    blank = [name for name in scores.policies if not known[name]]
    if blank:
        raise DataRefused(f"{path}: {len(blank)} models have no {column}, first {blank[0]!r}.")
    return {name: known[name] for name in scores.policies}


def check_members(families: Mapping[str, Sequence[str]], known: Collection[str], wrong: str) -> None:
    """Refuse families with members that are none, or that another family has.

    Raises:
        UsageError: It names the first.
    """
    taken: dict[str, str] = {}
    for family, members in families.items():
        unknown = [name for name in members if name not in known]
        if unknown:
            raise UsageError(f"--family {family}: {', '.join(unknown)} {wrong}.")
        for name in members:
            if taken.setdefault(name, family) != family:
                raise UsageError(f"--family {family}: {name} is already in {taken[name]}.")
