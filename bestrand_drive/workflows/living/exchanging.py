"""The fewest exchanges of items that mend the balance of a suite, by the probes that are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
import torch
from torch import Tensor

from bestrand_drive.compression.exchanges import Exchanges, Ground, fewest_exchanges
from bestrand_drive.compression.selectors.balanced import Balanced
from bestrand_drive.compression.selectors.base import ChoiceSettings, Selection
from bestrand_drive.compression.strata import stratum_codes
from bestrand_drive.errors import NothingSelected, UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.suite.schema import Predecessor, Suite
from bestrand_drive.workflows.choosing.choose import Chosen, choose, driven_items, eligible_items, family_numbers
from bestrand_drive.workflows.choosing.compress import assembled
from bestrand_drive.workflows.choosing.request import CompressRequest, mean_costs
from bestrand_drive.workflows.estimating.knowledge import chosen_numbers
from bestrand_drive.workflows.evidence.evidence import Evidence

ENOUGH = 0.1
"""Share of a random subset's imbalance below which balance is as good as perfect: the left-over v_m is below .01."""
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


def proposal(suite: Suite, evidence: Evidence, request: CompressRequest) -> Proposal:
    """The fewest exchanges that bring the imbalance under a fresh suite's."""
    scores, numbers = evidence.scores, chosen_numbers(suite)
    pool = eligible_items(scores, request.exclude)
    place = {int(number): row for row, number in enumerate(pool.tolist())}
    subset = np.array([place[number] for number in numbers.tolist() if number in place], dtype=np.int64)
    if not len(subset):
        raise UsageError("None of the suite's items has a score of the probes given; exchanges cannot be judged.")
    ground = _ground(scores, pool, request)
    fresh, spread = _fresh(evidence, request, len(subset))
    level = max(fresh, ENOUGH * spread)
    found = fewest_exchanges(ground, subset, level)
    made, before = _exchanged(suite, evidence, request, pool.numpy(), found, spread)
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
        unjudged=tuple(scores.items[number] for number in numbers.tolist() if number not in place),
        suite=made,
    )


def _ground(scores: ScoreMatrix, pool: Tensor, request: CompressRequest) -> Ground:
    """What subsets of the pool are judged by.

    Raises:
        UsageError: Nothing varies.
    """
    settings = ChoiceSettings(
        metric_weights=request.metric_weights,
        families=family_numbers(scores, request.families, scores.copies()),
        guard_domains=request.guard,
        objective=request.objective,
    )
    space = Balanced(settings).space(scores, pool)
    if not space.features.shape[1]:
        raise UsageError("The probes given do not vary on any metric that takes part in choosing.")
    return Ground(
        features=space.features.numpy(),
        weights=np.ones(len(pool)) if space.weights is None else space.weights.numpy(),
        strata=stratum_codes([scores.strata[i] if scores.strata else "" for i in pool.tolist()]).codes.numpy(),
        guards=space.guards.numpy(),
    )


def _exchanged(
    suite: Suite, evidence: Evidence, request: CompressRequest, pool: np.ndarray, found: Exchanges, spread: float
) -> tuple[Suite, Predecessor]:
    """The suite after exchanges of items of the pool, and what it says of its predecessor."""
    removed = {int(pool[out]) for out, _ in found.pairs}
    added = {int(pool[into]) for _, into in found.pairs}
    after = np.array(sorted((set(chosen_numbers(suite).tolist()) - removed) | added))
    told: dict[str, float | int | str] = {
        "exchanges": len(found.pairs),
        "imbalance": found.distance,
        "mean_square_imbalance": spread**2,
    }
    made, names = remade(suite, evidence, request, after, told), evidence.scores.items
    before = Predecessor(
        digest=suite.choice_digest(),
        kept=[item for item in made.chosen if item in set(suite.chosen)],
        removed=[names[number] for number in sorted(removed)],
        added=[names[number] for number in sorted(added)],
    )
    return made.model_copy(update={"predecessor": before}).sealed(), before


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


def remade(
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
