"""Which of many policies guide a choice: by their ability, by chance, or as they come.

Source: probes spread evenly over ability did best in replays of real score tables, the weakest ones worst
(docs/study.md, sweep ``probe-choice``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bestrand_drive.scores.matrix import ScoreMatrix

Array = np.ndarray


def abilities(scores: ScoreMatrix) -> Array:
    """Ability of each policy, float64 [policy], greater is better: its mean deviation from the items' means.

    Averaged over standardised metrics. Deviations from the item's mean keep policies comparable that were not measured
    on the same items.
    """
    total = np.zeros(len(scores.policies))
    for spec in scores.metrics:
        values = scores.masked(spec.name)
        known = ~np.isnan(values)
        means = np.where(known, values, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
        deviation = np.where(known, values - means[:, None], 0)
        spread = float(np.sqrt((deviation**2).sum() / max(int(known.sum()), 1)))
        sign = 1.0 if spec.higher_is_better else -1.0
        total += sign * deviation.sum(axis=0) / np.maximum(known.sum(axis=0), 1) / (spread or 1.0)
    return total


def middles(count: int, probes: int) -> list[int]:
    """Places in a ranking of ``count``: the middles of as many equal parts as there are probes."""
    return [int(place) for place in (np.arange(probes) + 0.5) * count / max(probes, 1)]


def spread_evenly(ranking: Sequence[str], probes: int, families: Sequence[Sequence[str]] = ()) -> list[str]:
    """Policies nearest to the middles of equal parts of a ranking, at most one a family while others are left.

    Args:
        ranking: Names in order of ability.
        probes: How many, at most all.
        families: Names of one lineage each; a policy in none stands alone.
    """
    label = {name: name for name in ranking}
    for number, members in enumerate(families):
        label |= {name: f"family {number}" for name in members if name in label}
    picked: list[str] = []
    for place in middles(len(ranking), probes):
        near = sorted(range(len(ranking)), key=lambda at: (abs(at - place), at))
        free = [ranking[at] for at in near if ranking[at] not in picked]
        used = {label[name] for name in picked}
        picked.append(next((name for name in free if label[name] not in used), free[0]))
    return picked


def drawn(ability: Array, probes: int, choice: str, rng: np.random.Generator) -> Array:
    """Policies drawn by chance, int64 [probe].

    Args:
        ability: float64 [policy].
        probes: How many.
        choice: ``random``; ``uniform``, one of each p-th part of the policies in order of ability; ``low`` or ``high``,
            out of the weakest or strongest third (of at least p policies).
        rng: Source of the draw.
    """
    order = np.argsort(ability, kind="stable")
    third = max(probes, len(order) // 3)
    if choice == "uniform":
        return np.array([rng.choice(part) for part in np.array_split(order, probes)])
    among = {"random": order, "low": order[:third], "high": order[-third:]}[choice]
    return np.asarray(rng.choice(among, probes, replace=False))
