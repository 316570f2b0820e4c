"""How wrong suites are on the table of results: the probes choose, the targets are estimated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pandas as pd
from replaying import replayed

from bestrand_drive.compression.pool import kept_items
from bestrand_drive.compression.selectors.balanced import Balanced
from bestrand_drive.compression.selectors.base import ChoiceSettings
from bestrand_drive.compression.selectors.bestrand import Bestrand
from bestrand_drive.compression.selectors.random import Random
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.study.replay import Arm, Case, Outcomes
from bestrand_drive.study.summary import metric_row, relative_row
from bestrand_drive.workflows.evidence.driving import load_benchmark, metric_specs

KEEPS = (0.1, 0.2, 0.35, 0.5)
METRICS = ("driving_score", "success", "efficiency")
_WORKERS = 2


@dataclass(frozen=True)
class ErrorRow:
    """One method and size.

    Attributes:
        keep, k: Share and number of routes.
        method: How the suite was chosen and the full score estimated.
        mae: Mean absolute error by metric.
        relative: Mean over the metrics of MAE over random's.
        relative_se: Its jackknife error over targets.
        held: Share of run intervals of the driving score that held the truth, None without intervals.
    """

    keep: float
    k: int
    method: str
    mae: tuple[float, ...]
    relative: float
    relative_se: float
    held: float | None

    def cells(self) -> list[str]:
        """For a table."""
        maes = (f"{value:.2f}" for value in self.mae)
        held = "" if self.held is None else f"{self.held:.3f}"
        return [
            f"{self.keep:g}",
            str(self.k),
            self.method,
            *maes,
            f"{self.relative:.3f} ({self.relative_se:.3f})",
            held,
        ]


def cases(rows: pd.DataFrame) -> list[Case]:
    """One case a target policy; its seeds are estimated one by one."""
    probes = rows[rows["role"] == "probe"]
    known = _matrix(probes.assign(model=probes["policy"]))
    alone = [[number] for number in range(len(known.policies))]
    targets = rows[rows["role"] == "target"]
    return [
        Case(str(name), known, alone, _matrix(mine.assign(model=[f"{name}-{seed}" for seed in mine["seed"]])))
        for name, mine in targets.groupby("policy")
    ]


def errors(rows: pd.DataFrame, replays: int) -> list[ErrorRow]:
    """All methods and sizes.

    Args:
        rows: The table of results.
        replays: Suites drawn for each size.
    """
    every = cases(rows)
    found: list[ErrorRow] = []
    for keep in KEEPS:
        k = kept_items(len(every[0].probes.items), keep)
        found += _rows(keep, k, replayed(every, _arms, k, replays, _WORKERS))
    return found


def _rows(keep: float, k: int, by_arm: Mapping[str, Mapping[str, Outcomes]]) -> list[ErrorRow]:
    numbers = range(len(METRICS))
    rows = []
    for arm, by_target in by_arm.items():
        relative = relative_row(by_target, by_arm["random"], numbers)
        measured = [metric_row(by_target, number) for number in numbers]
        maes = tuple(one.mae for one in measured)
        rows.append(ErrorRow(keep, k, arm, maes, relative.relative, relative.relative_se, measured[0].coverage95))
    return rows


def _arms(case: Case) -> list[Arm]:
    return [
        Arm("random", Random(), plain=True),
        Arm("bestrand, all metrics", Bestrand(), plain=True),
        Arm("balanced", Balanced(ChoiceSettings(families=case.families)), plain=False),
    ]


def _matrix(rows: pd.DataFrame) -> ScoreMatrix:
    """Scores [route, model, metric], repeats of a model averaged, types as strata."""
    specs = [spec for spec in metric_specs(load_benchmark("builtin", None)) if spec.name in METRICS]
    long = rows.melt(["route", "model", "seed"], [spec.name for spec in specs], var_name="metric", value_name="value")
    long = long.dropna().rename(columns={"route": "item_id", "seed": "repeat"})
    matrix = ScoreMatrix.from_frame(long, specs={spec.name: spec for spec in specs}, source="the table of results")
    types = dict(zip(rows["route"], rows["type"], strict=False))
    matrix = matrix.relabelled(list(types), specs)
    return replace(matrix, strata=tuple(types[item] for item in matrix.items))
