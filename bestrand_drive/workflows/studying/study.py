"""Studies: score tables and driving results as problems, sweeps as arms."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import torch

from bestrand_drive.benchmarks.benchmark import Benchmark
from bestrand_drive.benchmarks.definitions import definition
from bestrand_drive.compression.features import OBJECTIVES
from bestrand_drive.compression.policy_estimates import HarmonicRule
from bestrand_drive.compression.probe_choice import abilities
from bestrand_drive.errors import DataRefused, UsageError, choices
from bestrand_drive.readers.parquet import item_facts
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.tables import read_items, read_table
from bestrand_drive.study.arms import Arm
from bestrand_drive.study.problem import Problem, unguarded, without_copies
from bestrand_drive.study.splits import (
    PROBE_CHOICES,
    SPLITS,
    family_split,
    left_out_families,
    ordered_split,
    random_split,
)
from bestrand_drive.workflows.evidence.driving import ResultSource, driving_evidence
from bestrand_drive.workflows.evidence.tabular import TableSource, load_table

KEEPS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5)
SELECTORS = ("random", "bestrand", "balanced")
PROBES = 5
SEARCHING = ("bestrand", "balanced")
"""Selectors with candidates, a distance and a pool."""
SWEEPS: Mapping[str, Sequence[str | int | float | None]] = {
    "p": (1, 2, 3, 5, 7, 10),
    "m": (1, 8, 32, 128, 512, 2048),
    "n": (1.5, 2.0, 4.0, 8.0, None),
    "distance": ("l1", "l2", "max"),
    "probe-choice": PROBE_CHOICES,
    "objective": OBJECTIVES,
}
"""What a sweep varies, one thing at a time around the published setting (p = 5, m = 128, n = 4, L2, random probes)."""


@dataclass(frozen=True)
class TableStudy:
    """A score table to study.

    Attributes:
        scores: Path of a wide or long table.
        items: Path of ``items.csv`` (item_id, stratum), or None.
        models: Path of a table of models (model, family, date), or None.
        families: By name: models of one lineage; others stand alone.
        split: One of ``SPLITS``.
        n_probes: How many probes; at most half of the models are taken.
        probe_choice: One of ``PROBE_CHOICES``, for the random split.
    """

    scores: Path
    items: Path | None = None
    models: Path | None = None
    families: Mapping[str, Sequence[str]] = field(default_factory=dict)
    split: str = "random"
    n_probes: int = PROBES
    probe_choice: str = "random"


def read_scores(study: TableStudy) -> tuple[ScoreMatrix, dict[str, str]]:
    """The matrix without repeated columns, with strata, and what was left out.

    An imported table tells strata, bounds and directions itself; strata of ``items`` go before.

    Raises:
        DataRefused: A table is damaged, its categories count alike, or fewer than three different models are in it.
    """
    scores, _, _ = load_table(TableSource(study.scores))
    facts = item_facts(study.scores)
    if facts is not None and facts.weights:
        raise DataRefused(
            f"{study.scores}: its categories count alike, whatever their sizes (--macro category); a study measures "
            "errors of the plain mean over items. Import it without --macro to study that mean."
        )
    if facts is not None and facts.strata:
        scores = replace(scores, strata=tuple(facts.strata[item] for item in scores.items))
    if study.items:
        scores = replace(scores, strata=read_items(study.items, scores.items).strata or scores.strata)
    scores, dropped = without_copies(scores)
    if len(scores.policies) < 3:
        twins = f" ({copied(dropped)})" if dropped else ""
        count = f"{len(scores.policies)} different model" + ("" if len(scores.policies) == 1 else "s")
        raise DataRefused(f"{study.scores}: {count}{twins}; a study needs three at least.")
    return scores, dropped


def copied(dropped: Mapping[str, str], most: int = 3) -> str:
    """Which models repeat which, the first ones by name."""
    told = [f"{copy} repeats {original}" for copy, original in list(dropped.items())[:most]]
    return ", ".join(told) + (f" and {len(dropped) - most} more" if len(dropped) > most else "")


def table_problem(study: TableStudy, scores: ScoreMatrix, dropped: Mapping[str, str]) -> Problem:
    """The problem of a table under one split.

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
        split = family_split(_families(study, scores), probes)
    else:
        split = ordered_split(_dates(study, scores), probes)
    words = [study.split, str(probes), study.probe_choice if study.split == "random" else ""]
    if study.split == "family":
        words += _families(study, scores)
    if study.split == "time":
        words += [str(date) for date in _dates(study, scores)]
    name = re.sub(r"\.(csv|tsv|jsonl|parquet)(\.gz)?$", "", study.scores.name)
    return Problem(name, scores, split, " ".join(words), dropped=dict(dropped))


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


def _families(study: TableStudy, scores: ScoreMatrix) -> list[str]:
    """Family of each model: from --family, else from the table of models."""
    label = {name: name for name in scores.policies}
    if study.models:
        label |= _column(study.models, "family", scores)
    _check_members(study.families, label, f"is no model of {study.scores.name} (or repeats another)")
    for family, members in study.families.items():
        label |= dict.fromkeys(members, f"family {family}")
    if not study.models and not study.families:
        raise UsageError("--split family needs --family NAME=A,B (repeat) or --models TABLE with a column family.")
    return [label[name] for name in scores.policies]


def _check_members(families: Mapping[str, Sequence[str]], known: Collection[str], wrong: str) -> None:
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


def driving_problem(
    name: str, routes: Path, policies: Mapping[str, Path], families: Mapping[str, Sequence[str]]
) -> Problem:
    """Each family left out in turn, all others as probes.

    A policy that repeats another one's scores is left out. For Fail2Drive, subfolders of a policy's folder are its
    runs: the probes are means over runs, the targets single runs.

    Raises:
        UsageError: A family names no policy given, or there are fewer than three families.
    """
    benchmark = definition(name).load(routes)
    read = _driving_scores(benchmark, policies)
    whole, dropped = without_copies(read)
    groups = {
        family: kept for family, own in _driving_families(read, families).items() if (kept := _without(own, dropped))
    }
    if len(groups) < 3:
        kinds = "1 family" if len(groups) == 1 else f"{len(groups)} families"
        raise UsageError(f"{kinds} of policies; a study leaves one out and needs two more as probes.")
    members = {family: [whole.policies.index(one) for one in own] for family, own in groups.items()}
    targets, scores = members, whole
    if name == "fail2drive":
        runs = {policy: _runs(policies[policy]) for policy in whole.policies}
        sources = [ResultSource(f"{policy} {run.name}", run) for policy, own in runs.items() for run in own]
        if sources:
            single = unguarded(driving_evidence(benchmark, sources).scores).with_metrics(whole.metric_names)
            scores, targets = _with_runs(whole, single, groups, runs)
    rules = [HarmonicRule(*rule) for rule in definition(name).harmonic]
    usable = [rule for rule in rules if {rule.score, rule.success} <= set(scores.metric_names)]
    words = [f"{family}: {members[family]} {targets[family]}" for family in groups]
    return Problem(name, scores, left_out_families(members, targets), "; ".join(words), usable, dropped)


def _without(names: Sequence[str], dropped: Collection[str]) -> list[str]:
    return [name for name in names if name not in dropped]


def alike_problem(name: str, routes: Path, policies: Mapping[str, Path]) -> Problem:
    """Probes drawn from all policies, whatever their family, and every other policy a target (runs are averaged)."""
    scores, dropped = without_copies(_driving_scores(definition(name).load(routes), policies))
    probes = min(PROBES, len(scores.policies) // 2)
    return Problem(name, scores, random_split(abilities(scores), probes), f"random {probes}", dropped=dropped)


def _driving_scores(benchmark: Benchmark, policies: Mapping[str, Path]) -> ScoreMatrix:
    """Every policy's scores, with the metrics that guide a choice."""
    whole = driving_evidence(benchmark, [ResultSource(one, path) for one, path in policies.items()]).scores
    return unguarded(whole.with_metrics([spec.name for spec in whole.metrics if spec.select]))


def _driving_families(scores: ScoreMatrix, families: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Policies by family, copies with their original; a policy without relatives is a family of one."""
    label = {name: name for name in scores.policies}
    _check_members(families, label, "is not a --policy here")
    for family, members in families.items():
        if family in label and family not in members:
            raise UsageError(f"--family {family} is also a --policy outside that family; name the family otherwise.")
        label |= dict.fromkeys(members, family)
    label |= {copy: label[original] for copy, original in scores.copies().items()}
    groups: dict[str, list[str]] = {}
    for name in scores.policies:
        groups.setdefault(label[name], []).append(name)
    return groups


def _runs(path: Path) -> list[Path]:
    """Folders of single runs of a policy; none when it has fewer than two."""
    folders = sorted(one for one in path.iterdir() if one.is_dir()) if path.is_dir() else []
    return folders if len(folders) > 1 else []


def _with_runs(
    whole: ScoreMatrix, single: ScoreMatrix, groups: Mapping[str, Sequence[str]], runs: Mapping[str, Sequence[Path]]
) -> tuple[ScoreMatrix, dict[str, list[int]]]:
    """Means and single runs side by side, and the columns that are targets of each family."""
    both = replace(
        whole,
        values=torch.cat([whole.values, single.values], dim=1),
        valid=torch.cat([whole.valid, single.valid], dim=1),
        policies=(*whole.policies, *single.policies),
        repeats=torch.cat([whole.repeats, single.repeats], dim=1),
        repeat_variance=torch.cat([whole.repeat_variance, single.repeat_variance], dim=1),
    )
    targets = {
        family: [
            both.policies.index(column)
            for policy in members
            for column in ([f"{policy} {run.name}" for run in runs[policy]] or [policy])
        ]
        for family, members in groups.items()
    }
    return both, targets


def sweep_entries(
    study: TableStudy, scores: ScoreMatrix, dropped: Mapping[str, str], sweeps: Sequence[str], selectors: Sequence[str]
) -> list[tuple[Problem, Sequence[Arm]]]:
    """Entries that vary one thing at a time, each with random beside the selectors.

    Raises:
        UsageError: Unknown sweep, or one of probes under a split that leaves no choice.
    """
    base = table_problem(study, scores, dropped)
    judged = [Arm.of(name) for name in selectors if name != "random"]
    if not judged:
        raise UsageError("--sweep varies how selectors choose; give one beside random, such as bestrand.")
    entries: list[tuple[Problem, Sequence[Arm]]] = []
    for sweep in sweeps:
        if sweep not in SWEEPS:
            raise UsageError(f"--sweep {sweep}: known are {choices(sweep, SWEEPS)}")
        if sweep in ("p", "probe-choice"):
            values = swept_probes(study, scores) if sweep == "p" else SWEEPS[sweep]
            entries += [_probe_entry(study, scores, dropped, judged, sweep, value) for value in values]
        else:
            _check_settings(sweep, judged)
            arms = [_varied(arm, sweep, value) for value in SWEEPS[sweep] for arm in judged]
            entries.append((base, [Arm.of("random"), *arms]))
    return entries


def swept_probes(study: TableStudy, scores: ScoreMatrix) -> list[int]:
    """The numbers of probes of the sweep that can be had: at most half of the models, and of families all but one."""
    most = len(scores.policies) // 2
    if study.split == "family":
        most = min(most, len(set(_families(study, scores))) - 1)
    return [int(str(value)) for value in SWEEPS["p"] if int(str(value)) <= most]


def _check_settings(sweep: str, judged: Sequence[Arm]) -> None:
    """Refuse to vary what a selector does not have: its rows would be alike, or the pool too small for it.

    Raises:
        UsageError: It names the selectors.
    """
    without = [arm.selector for arm in judged if arm.selector not in SEARCHING]
    if without:
        raise UsageError(f"--sweep {sweep} varies {' and '.join(SEARCHING)} only, not {', '.join(without)}.")


def _probe_entry(
    study: TableStudy,
    scores: ScoreMatrix,
    dropped: Mapping[str, str],
    judged: Sequence[Arm],
    sweep: str,
    value: str | int | float | None,
) -> tuple[Problem, Sequence[Arm]]:
    """An entry with another number or kind of probes."""
    if sweep == "probe-choice" and study.split != "random":
        raise UsageError("--sweep probe-choice varies the random split; leave --split out.")
    varied = replace(study, n_probes=int(str(value))) if sweep == "p" else replace(study, probe_choice=str(value))
    label = f"{sweep}={value}"
    arms = [replace(arm, label=f"{arm.label} {label}") for arm in (Arm.of("random"), *judged)]
    return table_problem(varied, scores, dropped), arms


def _varied(arm: Arm, sweep: str, value: str | int | float | None) -> Arm:
    label = f"{arm.label} {sweep}={'all' if value is None else value}"
    if sweep == "m":
        return replace(arm, label=label, candidates=int(str(value)))
    if sweep == "n":
        return replace(arm, label=label, pool_factor=None if value is None else float(value))
    if sweep == "objective":
        return replace(arm, label=label, objective=str(value))
    return replace(arm, label=label, distance=str(value))
