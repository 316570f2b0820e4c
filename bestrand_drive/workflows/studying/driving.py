"""Driving results as problems: a family left out at a time, or probes drawn from all policies."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import torch

from bestrand_drive.benchmarks.benchmark import Benchmark
from bestrand_drive.benchmarks.definitions import definition
from bestrand_drive.compression.policy_estimates import HarmonicRule
from bestrand_drive.compression.probe_choice import abilities
from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.study.problem import Problem, score_notes, unguarded, without_copies
from bestrand_drive.study.splits import left_out_families, random_split
from bestrand_drive.workflows.evidence.driving import ResultSource, driving_evidence
from bestrand_drive.workflows.studying.table_splits import check_members
from bestrand_drive.workflows.studying.tables import PROBES


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
    every = {family: _without(own, dropped) for family, own in _driving_families(read, families).items()}
    groups = {family: own for family, own in every.items() if own}
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
    split, notes = left_out_families(members, targets), score_notes(scores, dropped)
    return Problem(name, scores, split, "; ".join(words), usable, notes, "left-out families")


def _without(names: Sequence[str], dropped: Collection[str]) -> list[str]:
    return [name for name in names if name not in dropped]


def alike_problem(name: str, routes: Path, policies: Mapping[str, Path]) -> Problem:
    """Probes drawn from all policies, whatever their family, and every other policy a target (runs are averaged)."""
    scores, dropped = without_copies(_driving_scores(definition(name).load(routes), policies))
    probes = min(PROBES, len(scores.policies) // 2)
    split, notes = random_split(abilities(scores), probes), score_notes(scores, dropped)
    return Problem(name, scores, split, f"random {probes}", notes=notes, split_kind="random")


def _driving_scores(benchmark: Benchmark, policies: Mapping[str, Path]) -> ScoreMatrix:
    """Every policy's scores, with the metrics that guide a choice."""
    whole = driving_evidence(benchmark, [ResultSource(one, path) for one, path in policies.items()]).scores
    return unguarded(whole.with_metrics([spec.name for spec in whole.metrics if spec.select]))


def _driving_families(scores: ScoreMatrix, families: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Policies by family, copies with their original; a policy without relatives is a family of one."""
    label = {name: name for name in scores.policies}
    check_members(families, label, "is not a --policy here")
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
