"""What replays add up to: errors beside random's, risk, coverage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bestrand_drive.study.replay import Outcomes


@dataclass(frozen=True)
class MetricRow:
    """One arm, size and metric over all families.

    Attributes:
        mae: Mean absolute error: seeds, then members of a family, then families.
        mae_se: Its standard error over families.
        p95: 95th percentile of the absolute error, families weighted equally.
        coverage95: Share of run intervals that held the truth; None for arms without intervals.
        coverage95_worst: The same for the family where it is least.
    """

    mae: float
    mae_se: float
    p95: float
    coverage95: float | None
    coverage95_worst: float | None


@dataclass(frozen=True)
class RelativeRow:
    """One arm and size over several metrics together.

    Attributes:
        relative: Mean over the metrics of MAE over random's MAE.
        relative_se: Jackknife over families.
        risk_p70: Chance that one policy's mean relative error exceeds the 70th percentile of random's for that policy.
        risk_p70_mean: The same for the error averaged over all left-out policies of a seed.
    """

    relative: float
    relative_se: float
    risk_p70: float
    risk_p70_mean: float


def metric_row(by_family: Mapping[str, Outcomes], metric: int) -> MetricRow:
    """Summarise one metric.

    Args:
        by_family: Outcomes of one arm and size.
        metric: Position on the metric axis.
    """
    maes = _family_maes(by_family, metric)
    errors = [np.abs(outcome.error[:, :, metric]) for outcome in by_family.values()]
    flat = np.concatenate([_known(error) for error in errors])
    weight = np.concatenate([np.full(_known(error).size, 1 / max(_known(error).size, 1)) for error in errors])
    order = np.argsort(flat)
    cumulative = np.cumsum(weight[order]) / weight.sum()
    covered = [float(known.mean()) for o in by_family.values() if (known := _known(o.covered[:, :, metric])).size]
    return MetricRow(
        mae=float(maes.mean()),
        mae_se=float(maes.std(ddof=1) / np.sqrt(len(maes))) if len(maes) > 1 else 0.0,
        p95=float(flat[order][np.searchsorted(cumulative, 0.95)]),
        coverage95=float(np.mean(covered)) if covered else None,
        coverage95_worst=float(np.min(covered)) if covered else None,
    )


def relative_row(arm: Mapping[str, Outcomes], random: Mapping[str, Outcomes], metrics: Sequence[int]) -> RelativeRow:
    """Compare an arm with random.

    Args:
        arm: Outcomes by family.
        random: Of the same families and size.
        metrics: Positions on the metric axis that count.
    """
    own = np.column_stack([_family_maes(arm, metric) for metric in metrics])
    base = np.column_stack([_family_maes(random, metric) for metric in metrics])
    others = [np.arange(len(own)) != family for family in range(len(own))] if len(own) > 1 else []
    left = np.array([(own[rest].mean(0) / base[rest].mean(0)).mean() for rest in others])
    se = float(np.sqrt((len(left) - 1) * left.var())) if len(left) else 0.0
    errors = [_relative_errors(arm[family], random[family], metrics) for family in arm]
    risks = [float((mine > np.nanquantile(theirs, 0.7, axis=0)).mean()) for mine, theirs in errors]
    mine, theirs = (np.mean([pair[side].mean(axis=1) for pair in errors], axis=0) for side in (0, 1))
    return RelativeRow(
        relative=float((own.mean(0) / base.mean(0)).mean()),
        relative_se=se,
        risk_p70=float(np.mean(risks)),
        risk_p70_mean=float((mine > np.quantile(theirs, 0.7)).mean()),
    )


def _family_maes(by_family: Mapping[str, Outcomes], metric: int) -> np.ndarray:
    """Mean absolute error of each family, members weighted equally, [family]."""
    return np.array([np.nanmean(np.abs(outcome.error[:, :, metric])) for outcome in by_family.values()])


def _known(values: np.ndarray) -> np.ndarray:
    return np.asarray(values[~np.isnan(values)])


def _relative_errors(arm: Outcomes, random: Outcomes, metrics: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Mean over metrics of the absolute error in units of random's MAE, [seed, target], of an arm and of random."""
    scale = np.nanmean(np.abs(random.error[:, :, metrics]), axis=0)
    mine, theirs = (np.nanmean(np.abs(outcome.error[:, :, metrics]) / scale, axis=2) for outcome in (arm, random))
    return mine, theirs


def flawless_coverage(by_family: Mapping[str, Outcomes], metric: int) -> tuple[int, float]:
    """How many draws showed no failure, and how often their run interval held the truth (NaN when there were none)."""
    hits = [outcome.covered[:, :, metric][outcome.flawless[:, :, metric]] for outcome in by_family.values()]
    known = _known(np.concatenate(hits))
    return known.size, float(known.mean()) if known.size else float("nan")
