"""Refresh: whether a suite's probes still explain new policies, and the fewest exchanges that mend its balance."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np
import torch

from bestrand_drive.compression.exchanges import Ground, fewest_exchanges
from bestrand_drive.compression.explained import LEAST_TARGETS, Explained, explained
from bestrand_drive.compression.selectors.balanced import Balanced
from bestrand_drive.compression.selectors.base import ChoiceSettings, Selection
from bestrand_drive.compression.strata import stratum_codes
from bestrand_drive.compression.theory import covariance_matrix
from bestrand_drive.errors import NothingSelected, UsageError
from bestrand_drive.suite import Predecessor, Suite
from bestrand_drive.workflows.choosing.choose import Chosen, choose, driven_items, eligible_items, family_numbers
from bestrand_drive.workflows.choosing.compress import assembled
from bestrand_drive.workflows.choosing.request import CompressRequest, mean_costs
from bestrand_drive.workflows.choosing.suite_folder import write_suite
from bestrand_drive.workflows.estimating.knowledge import chosen_numbers
from bestrand_drive.workflows.evidence.evidence import Evidence
from bestrand_drive.workflows.living.expectation import expectation
from bestrand_drive.workflows.living.refresh_evidence import RefreshEvidence, RefreshSource, refresh_evidence

ENOUGH = 0.1
"""Share of a random subset's imbalance below which balance is as good as perfect: the left-over v_m is below .01."""
_WEIGHT = re.compile(r"(\S.*?)=(\S+)(?= |$)")
"""One of the metric weights in a suite's settings; names may hold spaces."""
FRESH = 5
"""Seeds whose fresh suites tell what imbalance to expect; the median counts."""


@dataclass(frozen=True)
class Proposal:
    """Exchanges.

    Attributes:
        removed: Ids that leave.
        added: Ids that join.
        imbalance: Of the suite as it is, by the probes given.
        fresh: Of a fresh suite of that size.
        level: What was aimed at: ``fresh``, but never less than ``ENOUGH`` of a random subset's.
        after: After the exchanges.
        random: Root mean square of random subsets.
        reached: Whether ``level`` is reached.
        proven: Whether no fewer exchanges do.
        unjudged: Ids of the suite on which no probe given has a score; they stay.
        suite: The suite after the exchanges.
    """

    removed: tuple[str, ...]
    added: tuple[str, ...]
    imbalance: float
    fresh: float
    level: float
    after: float
    random: float
    reached: bool
    proven: bool
    unjudged: tuple[str, ...]
    suite: Suite


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
        proposal=None if read.evidence is None else _proposal(suite, read.evidence, request),
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
    weights = _WEIGHT.findall(str(settings.get("metric_weights") or ""))
    candidates = settings.get("candidates")
    return CompressRequest(
        k=suite.k,
        seed=suite.choice.seed,
        candidates=candidates if isinstance(candidates, int) else 128,
        objective=str(settings.get("objective") or "scores"),
        metric_weights={name: float(weight) for name, weight in weights},
        families={name: tuple(members) for name, members in known.items() if names & set(members)},
        exclude=dict(suite.choice.excluded),
        guard=bool(settings.get("guard", True)),
        probe_data=_keeps_probe_data(suite) or not suite.probes,
    )


def _as_it_is(suite: Suite, evidence: Evidence, request: CompressRequest) -> Suite:
    """The suite's choice with probe data of the evidence."""
    return _with(suite, evidence, replace(request, probe_data=True), chosen_numbers(suite), {})


def _keeps_probe_data(suite: Suite) -> bool:
    return any(metric.model or metric.regression for metric in suite.metrics)


def _with(
    suite: Suite,
    evidence: Evidence,
    request: CompressRequest,
    numbers: np.ndarray,
    diagnostics: Mapping[str, float | int | str],
) -> Suite:
    """A suite of some items with the evidence's probe data, otherwise as the old one."""
    scores = evidence.scores
    indices = torch.as_tensor(np.sort(numbers))
    size = torch.ones(len(indices)).double() if scores.weights is None else scores.weights[indices]
    known = {name: members for name, members in request.families.items() if set(members) & set(scores.policies)}
    request = replace(request, families=known, selector=suite.choice.selector)
    copies = scores.copies()
    chosen = Chosen(
        scores=scores,
        pool=driven_items(scores).nonzero()[:, 0],
        selection=Selection(indices, size / size.sum(), diagnostics),
        families=family_numbers(scores, request.families, copies),
        copies=copies,
    )
    made = assembled(evidence, request, chosen, request.exclude, mean_costs(scores))
    kept = {"families": {**suite.families, **made.families}, "imported": suite.imported, "contents": suite.contents}
    return made.model_copy(update=kept).sealed()


def _proposal(suite: Suite, evidence: Evidence, request: CompressRequest) -> Proposal:
    """The fewest exchanges that bring the imbalance under a fresh suite's."""
    scores = evidence.scores
    pool = eligible_items(scores, request.exclude)
    place = {int(number): row for row, number in enumerate(pool.tolist())}
    numbers = chosen_numbers(suite)
    judged = [number for number in numbers.tolist() if number in place]
    if not judged:
        raise UsageError("None of the suite's items has a score of the probes given; exchanges cannot be judged.")
    settings = ChoiceSettings(
        metric_weights=request.metric_weights,
        families=family_numbers(scores, request.families, scores.copies()),
        guard_domains=request.guard,
        objective=request.objective,
    )
    space = Balanced(settings).space(scores, pool)
    if not space.features.shape[1]:
        raise UsageError("The probes given do not vary on any metric that takes part in choosing.")
    ground = Ground(
        features=space.features.numpy(),
        weights=np.ones(len(pool)) if space.weights is None else space.weights.numpy(),
        strata=stratum_codes([scores.strata[i] if scores.strata else "" for i in pool.tolist()]).codes.numpy(),
        guards=space.guards.numpy(),
    )
    subset = np.array([place[number] for number in judged])
    fresh, spread = _fresh(evidence, request, len(judged))
    level = max(fresh, ENOUGH * spread)
    found = fewest_exchanges(ground, subset, level)
    ids = np.array(pool.tolist())
    removed = {int(ids[out]) for out, _ in found.pairs}
    added = {int(ids[into]) for _, into in found.pairs}
    after = np.array(sorted((set(numbers.tolist()) - removed) | added))
    told: dict[str, float | int | str] = {
        "exchanges": len(found.pairs),
        "imbalance": found.distance,
        "mean_square_imbalance": spread**2,
    }
    made = _with(suite, evidence, request, after, told)
    names = scores.items
    before = Predecessor(
        digest=suite.choice_digest(),
        kept=[item for item in made.chosen if item in set(suite.chosen)],
        removed=[names[number] for number in sorted(removed)],
        added=[names[number] for number in sorted(added)],
    )
    return Proposal(
        removed=tuple(before.removed),
        added=tuple(before.added),
        imbalance=ground.distance(subset),
        fresh=fresh,
        level=level,
        after=found.distance,
        random=spread,
        reached=found.reached,
        proven=found.proven,
        unjudged=tuple(names[number] for number in numbers.tolist() if number not in place),
        suite=made.model_copy(update={"predecessor": before}).sealed(),
    )


def _fresh(evidence: Evidence, request: CompressRequest, k: int) -> tuple[float, float]:
    """Imbalance of a fresh suite (median of a few seeds), and the root mean square of random subsets."""
    distances, squares = [], []
    for seed in range(FRESH):
        try:
            chosen = choose(evidence.scores, replace(request, k=k, seed=request.seed + seed), k, request.exclude)
        except NothingSelected as error:
            raise NothingSelected(f"No fresh suite of {k} items can be drawn to compare with. {error}") from error
        told = chosen.selection.diagnostics
        distances.append(float(told["imbalance"]))
        squares.append(float(told["mean_square_imbalance"]))
    return median(distances), float(np.sqrt(np.mean(squares)))


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
