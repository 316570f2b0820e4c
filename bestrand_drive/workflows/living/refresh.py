"""Refresh: whether a suite's probes still explain new policies, and what is to be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bestrand_drive.compression.explained import LEAST_TARGETS, Explained, explained
from bestrand_drive.compression.theory import covariance_matrix
from bestrand_drive.errors import UsageError
from bestrand_drive.suite.schema import Suite
from bestrand_drive.suite.weights import weights_of
from bestrand_drive.workflows.choosing.request import CompressRequest
from bestrand_drive.workflows.choosing.suite_folder import write_suite
from bestrand_drive.workflows.estimating.knowledge import chosen_numbers
from bestrand_drive.workflows.evidence.evidence import Evidence
from bestrand_drive.workflows.living.exchanging import Proposal, proposal, remade
from bestrand_drive.workflows.living.expectation import expectation
from bestrand_drive.workflows.living.refresh_evidence import RefreshEvidence, RefreshSource, refresh_evidence


@dataclass(frozen=True)
class Refreshed:
    """What was found.

    Attributes:
        suite: As it was.
        targets: Names of the targets.
        explained: Metric -> judgement, None where it cannot be judged.
        across: Metric -> correlation of probes with targets, mean covariance over root of mean variances; None when the
            probes' own scores are not at hand.
        reasons: Metric -> why it cannot be judged.
        proposal: None when no probe's scores were given.
        evidence: What the proposal was made from.
        joined: Targets that count as probes now.
        notes: Sentences.
    """

    suite: Suite
    targets: tuple[str, ...]
    explained: Mapping[str, Explained | None]
    across: Mapping[str, float | None]
    reasons: Mapping[str, str]
    proposal: Proposal | None
    evidence: Evidence | None
    joined: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def stale(self) -> list[str]:
        """Metrics whose probes explain less than expected."""
        return [name for name, one in self.explained.items() if one is not None and one.stale]


def refresh(
    suite: Suite,
    source: RefreshSource,
    *,
    families: Mapping[str, Sequence[str]] | None = None,
    level: float = 0.95,
) -> Refreshed:
    """Judge a suite by the policies evaluated on it.

    Args:
        suite: The suite.
        source: Targets, and probes to propose exchanges with.
        families: Policies of one lineage beside those that the suite knows.
        level: Of the intervals.

    Raises:
        UsageError: Too few targets, or options that do not go together.
        DataRefused: See ``refresh_evidence``.
    """
    if not 0.5 <= level < 1:
        raise UsageError(f"--level {level}: give the confidence of the intervals, from 0.5 to below 1, such as 0.95.")
    read = refresh_evidence(suite, source)
    request = _request(suite, read.evidence, families or {})
    judged = suite
    if read.evidence is not None and not _keeps_probe_data(suite):
        old = own_probes(read, [probe.name for probe in suite.probes])
        judged = suite if old is None else _as_it_is(suite, old, request)
    found, reasons = _judged(judged, read, level)
    return Refreshed(
        suite=suite,
        targets=read.targets.policies,
        explained=found,
        across={metric.name: _across(suite, read, metric.name) for metric in suite.metrics},
        reasons=reasons,
        proposal=None if read.evidence is None else proposal(suite, read.evidence, request),
        evidence=read.evidence,
        joined=read.joined,
        notes=read.notes,
    )


def own_probes(read: RefreshEvidence, names: Sequence[str]) -> Evidence | None:
    """The evidence of the suite's own probes only, None when there is none of them."""
    evidence = read.evidence
    here = [] if evidence is None else [name for name in evidence.scores.policies if name in names]
    if evidence is None or not here:
        return None
    infos = tuple(info for info in evidence.probes if info.name in here)
    return replace(evidence, scores=evidence.scores.with_policies(here), probes=infos)


def _judged(suite: Suite, read: RefreshEvidence, level: float) -> tuple[dict[str, Explained | None], dict[str, str]]:
    positions = chosen_numbers(suite)
    found: dict[str, Explained | None] = {}
    reasons = {}
    for metric in suite.metrics:
        expected = expectation(suite, metric)
        columns = read.targets.masked(metric.name)[positions]
        found[metric.name] = None if expected is None else explained(columns, expected, level)
        if expected is None:
            reasons[metric.name] = "the suite keeps no data of two probes or more that agree; give their scores again"
        elif found[metric.name] is None:
            reasons[metric.name] = (
                f"fewer than {LEAST_TARGETS} targets have scores on half of the suite, or none varies"
            )
    return found, reasons


def _across(suite: Suite, read: RefreshEvidence, metric: str) -> float | None:
    """Correlation of probes with targets on the suite's items."""
    evidence = own_probes(read, [probe.name for probe in suite.probes])
    if evidence is None or metric not in evidence.scores.metric_names or not read.targets.policies:
        return None
    positions = chosen_numbers(suite)
    probes, targets = evidence.scores.masked(metric)[positions], read.targets.masked(metric)[positions]
    both = np.column_stack([part[:, ~np.isnan(part).all(axis=0)] for part in (probes, targets)])
    count = int((~np.isnan(probes).all(axis=0)).sum())
    if not 0 < count < both.shape[1]:
        return None
    covariances = covariance_matrix(both)
    variances, pairs = np.diag(covariances), covariances[:count, count:]
    scale = float(np.sqrt(variances[:count].mean() * variances[count:].mean()))
    return float(np.nanmean(pairs)) / scale if scale > 0 and not np.isnan(pairs).all() else None


def _request(suite: Suite, evidence: Evidence | None, families: Mapping[str, Sequence[str]]) -> CompressRequest:
    """What the suite was asked for, for the probes given."""
    settings = suite.choice.settings
    names = set(evidence.scores.policies) if evidence else set()
    known = {**suite.families, **{name: list(members) for name, members in families.items()}}
    weights = weights_of(str(settings.get("metric_weights") or ""), [metric.name for metric in suite.metrics])
    candidates = settings.get("candidates")
    return CompressRequest(
        k=suite.k,
        seed=suite.choice.seed,
        candidates=candidates if isinstance(candidates, int) else 128,
        objective=str(settings.get("objective") or "scores"),
        metric_weights=weights,
        families={name: tuple(members) for name, members in known.items() if names & set(members)},
        exclude=dict(suite.choice.excluded),
        guard=bool(settings.get("guard", True)),
        probe_data=_keeps_probe_data(suite) or not suite.probes,
    )


def _as_it_is(suite: Suite, evidence: Evidence, request: CompressRequest) -> Suite:
    """The suite's choice with probe data of the evidence."""
    return remade(suite, evidence, replace(request, probe_data=True), chosen_numbers(suite), {})


def _keeps_probe_data(suite: Suite) -> bool:
    return any(metric.model or metric.regression for metric in suite.metrics)


def apply(found: Refreshed, out: Path, *, command: Sequence[str] = ("bestrand_drive.refresh",), force: bool) -> Suite:
    """Write the refreshed suite.

    Raises:
        UsageError: Nothing was proposed, or the folder is occupied.
    """
    if found.proposal is None or found.evidence is None:
        raise UsageError(
            "--apply: nothing is proposed without the probes' full results (--probe with --routes, --scores)."
        )
    suite = found.proposal.suite
    write_suite(out, suite, found.evidence.files(suite.chosen), command, force=force)
    return suite
