"""Studies that vary one thing at a time around the published setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bestrand_drive.compression.features import OBJECTIVES
from bestrand_drive.errors import UsageError, choices
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.study.arms import Arm
from bestrand_drive.study.problem import Problem
from bestrand_drive.study.splits import PROBE_CHOICES
from bestrand_drive.workflows.studying.table_splits import families_of, table_problem
from bestrand_drive.workflows.studying.tables import TableStudy

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


def sweep_entries(
    study: TableStudy, scores: ScoreMatrix, notes: Sequence[str], sweeps: Sequence[str], selectors: Sequence[str]
) -> list[tuple[Problem, Sequence[Arm]]]:
    """Entries that vary one thing at a time, each with random beside the selectors.

    Raises:
        UsageError: Unknown sweep, or one of probes under a split that leaves no choice.
    """
    base = table_problem(study, scores, notes)
    judged = [Arm.of(name) for name in selectors if name != "random"]
    if not judged:
        raise UsageError("--sweep varies how selectors choose; give one beside random, such as bestrand.")
    entries: list[tuple[Problem, Sequence[Arm]]] = []
    for sweep in sweeps:
        if sweep not in SWEEPS:
            raise UsageError(f"--sweep {sweep}: known are {choices(sweep, SWEEPS)}")
        if sweep in ("p", "probe-choice"):
            values = swept_probes(study, scores) if sweep == "p" else SWEEPS[sweep]
            entries += [_probe_entry(study, scores, notes, judged, sweep, value) for value in values]
        else:
            _check_settings(sweep, judged)
            arms = [_varied(arm, sweep, value) for value in SWEEPS[sweep] for arm in judged]
            entries.append((base, [Arm.of("random"), *arms]))
    return entries


def swept_probes(study: TableStudy, scores: ScoreMatrix) -> list[int]:
    """The numbers of probes of the sweep that can be had: at most half of the models, and of families all but one."""
    most = len(scores.policies) // 2
    if study.split == "family":
        most = min(most, len(set(families_of(study, scores))) - 1)
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
    notes: Sequence[str],
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
    return table_problem(varied, scores, notes), arms


def _varied(arm: Arm, sweep: str, value: str | int | float | None) -> Arm:
    label = f"{arm.label} {sweep}={'all' if value is None else value}"
    if sweep == "m":
        return replace(arm, label=label, candidates=int(str(value)))
    if sweep == "n":
        return replace(arm, label=label, pool_factor=None if value is None else float(value))
    if sweep == "objective":
        return replace(arm, label=label, objective=str(value))
    return replace(arm, label=label, distance=str(value))
