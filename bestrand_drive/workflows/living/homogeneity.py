"""How alike the policies at hand are: rho for every two, families, copies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bestrand_drive.compression.homogeneity import CUT, LEAST_POLICIES, Families, cluster, correlations
from bestrand_drive.compression.theory import Moments, moments
from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.workflows.evidence.tabular import TableSource, load_table


@dataclass(frozen=True)
class MetricLikeness:
    """One metric.

    Attributes:
        name: Of the metric.
        correlations: float64 [policy, policy], NaN where unknown; policies in the order of ``Homogeneity``.
        moments: Over all policies.
        apart: Mean correlation over pairs of different families; NaN without any.
    """

    name: str
    correlations: np.ndarray
    moments: Moments
    apart: float


@dataclass(frozen=True)
class Homogeneity:
    """What is alike.

    Attributes:
        policies: Names of the distinct policies.
        items: N.
        metrics: One entry a metric.
        copies: Policies whose scores are exactly another's: name -> that one's name; they are left out of all else.
        families: By name (of the first member): members and the mean r inside.
        least: The r that joined them.
        cut: As asked.
        alike: float64 [policy, policy], what families were made by.
    """

    policies: tuple[str, ...]
    items: int
    metrics: tuple[MetricLikeness, ...]
    copies: Mapping[str, str]
    families: Mapping[str, tuple[tuple[str, ...], float]]
    least: float
    cut: float
    alike: np.ndarray

    @property
    def clustered(self) -> bool:
        """Whether there were policies enough to look for families."""
        return len(self.policies) >= LEAST_POLICIES

    def options(self) -> list[str]:
        """What to pass to compress, one ``--family`` each; copies join their original."""
        lines = []
        joined = {name for members, _ in self.families.values() for name in members}
        groups = {name: list(members) for name, (members, _) in self.families.items()}
        groups |= {name: [name] for name in self.copies.values() if name not in joined}
        for name, members in groups.items():
            twins = [copy for copy, original in self.copies.items() if original in members]
            lines.append(f"--family {name}-like={','.join([*members, *twins])}")
        return lines


def homogeneity(scores: ScoreMatrix, metric_names: Sequence[str] = (), cut: float = CUT) -> Homogeneity:
    """Compare all policies of a matrix.

    Args:
        scores: Policies to compare.
        metric_names: Metrics by which families are made; empty for those that take part in choosing.
        cut: Greatest distance 1 - r at which policies are joined.

    Raises:
        UsageError: Fewer than two distinct policies with scores, an unknown metric, or a cut out of range.
    """
    if not 0 < cut < 2:
        raise UsageError(f"--cut {cut}: the distance is 1 - r, so give a number between 0 and 2.")
    copies = scores.copies()
    measured = scores.valid.any(dim=2).any(dim=0).tolist()
    distinct = [name for name, has in zip(scores.policies, measured, strict=True) if has and name not in copies]
    if len(distinct) < 2:
        raise UsageError(f"{len(distinct)} distinct policies with scores: give two or more to compare.")
    matrix = scores.with_policies(distinct)
    for name in metric_names:
        matrix.metric_index(name)
    used = [spec.name for spec in matrix.metrics if (spec.name in metric_names if metric_names else spec.select)]
    values = {name: _columns(matrix.masked(name)) for name in matrix.metric_names}
    found = cluster([values[name] for name in used], cut)
    return Homogeneity(
        policies=tuple(distinct),
        items=len(matrix.items),
        metrics=tuple(_likeness(name, columns, found) for name, columns in values.items()),
        copies=copies,
        families=_named(found, distinct),
        least=found.least,
        cut=cut,
        alike=found.alike,
    )


def _columns(scores: np.ndarray) -> np.ndarray:
    """A policy without any score of the metric counts as one that does not vary."""
    empty = np.isnan(scores).all(axis=0)
    return np.where(empty[None, :], 0.0, scores)


def _likeness(name: str, columns: np.ndarray, found: Families) -> MetricLikeness:
    matrix = correlations(columns)
    family = np.arange(len(matrix))
    for members in found.members:
        family[list(members)] = members[0]
    apart = np.triu(family[:, None] != family[None, :], 1) & ~np.isnan(matrix)
    return MetricLikeness(name, matrix, moments(columns), float(matrix[apart].mean()) if apart.any() else float("nan"))


def _named(found: Families, names: Sequence[str]) -> dict[str, tuple[tuple[str, ...], float]]:
    return {
        names[members[0]]: (tuple(names[number] for number in members), inside)
        for members, inside in zip(found.members, found.joined, strict=True)
    }


def table_policies(source: TableSource) -> ScoreMatrix:
    """All policies of a table, or those named."""
    matrix = load_table(source)[0]
    return matrix.with_policies(source.probes) if source.probes else matrix


def homogeneity_json(found: Homogeneity) -> dict[str, object]:
    """One JSON object; correlations that cannot be told are null."""
    return {
        "policies": list(found.policies),
        "items": found.items,
        "copies": dict(found.copies),
        "cut": found.cut,
        "least_r": found.least,
        "clustered": found.clustered,
        "families": [
            {"name": name, "members": list(members), "mean_r": inside}
            for name, (members, inside) in found.families.items()
        ],
        "options": found.options(),
        "item_centred": _plain(found.alike),
        "metrics": {
            one.name: {
                "rho": one.moments.rho,
                "mean_correlation": one.moments.correlation,
                "correlation_sd": one.moments.correlation_sd,
                "positive": one.moments.positive,
                "sigma": one.moments.sigma,
                "between_families": None if np.isnan(one.apart) else one.apart,
                "correlations": _plain(one.correlations),
            }
            for one in found.metrics
        },
    }


def _plain(matrix: np.ndarray) -> list[list[float | None]]:
    return [[None if np.isnan(value) else round(float(value), 9) for value in row] for row in matrix]
