"""The default: proportional stratification, then the best of m candidates on standardised probe features.

With strata every candidate already holds each stratum's share, and the probes choose among candidates. Without strata
the best random subset is improved by exchanges. Without probes it is one stratified draw, without both a random one.

Source: ``docs/method.md``, ``docs/design/judging.md``. Construction cost: all probes on the pool, which is all N items.
Own estimator: the default of ``bestrand estimate``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from torch import Generator, Tensor

from bestrand_drive.compression.features import differences, standardised_features
from bestrand_drive.compression.profiles import profiles
from bestrand_drive.compression.search import Found, SearchSpace, guard_rows, improve_by_swaps, search
from bestrand_drive.compression.selectors.base import ChoiceSettings, Selection, check_size, selection, way_taken
from bestrand_drive.compression.strata import stratum_codes
from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix


@dataclass(frozen=True)
class Balanced:
    """Stratified best-of-m with the members of each family of probes averaged."""

    settings: ChoiceSettings = field(default_factory=ChoiceSettings)
    name: str = "balanced"
    needs_history: bool = False

    def select(self, scores: ScoreMatrix, k: int, *, pool: Tensor, generator: Generator) -> Selection:
        """Judge (stratified) random subsets of the pool; diagnostics say which way was open.

        Raises:
            UsageError: A ranking is asked for, and no two families of probes differ.
        """
        check_size(k, pool)
        space = self.space(scores, pool)
        candidates = self.settings.candidates if space.features.shape[1] else 1
        strata = None
        if scores.strata is not None:
            strata = stratum_codes([scores.strata[i] for i in pool.tolist()]).codes
        found = search(
            strata,
            k,
            space,
            candidates,
            generator,
            way=self.settings.search,
            memory_mib=self.settings.memory_mib,
            device=self.settings.device,
        )
        swapped = scores.strata is None and space.weights is None and candidates > 1
        if swapped:
            found = improve_by_swaps(found, space, generator)
        told = _diagnostics(found, scores, space, swapped) | way_taken(found, self.settings)
        return replace(selection(pool, found.subset, scores, told), estimator="default")

    def space(self, scores: ScoreMatrix, pool: Tensor) -> SearchSpace:
        """What candidates of a pool (long Tensor[pool item]) are judged by."""
        families = self.settings.family_columns(scores)
        weights = [self.settings.weight(scores, metric) for metric in range(len(scores.metrics))]
        numbers = pool.numpy()
        columns = [profiles(scores.masked(metric), families, numbers) for metric in range(len(scores.metrics))]
        if self.settings.objective == "ranking":
            columns = [differences(block) for block in columns]
        features = standardised_features(columns, weights)
        if self.settings.objective == "ranking" and not features.shape[1]:
            raise UsageError("--objective ranking needs two probes of different families whose scores differ.")
        return SearchSpace(
            features=features,
            valid=None,
            weights=None if scores.weights is None else scores.weights[pool],
            guards=guard_rows(list(scores.domains.values()) if self.settings.guard_domains else [], pool),
        )


def _diagnostics(found: Found, scores: ScoreMatrix, space: SearchSpace, swapped: bool) -> dict[str, float | int | str]:
    sampling = "simple random" if scores.strata is None else "proportional, systematic within strata"
    if not space.features.shape[1]:
        return {"sampling": sampling, "probes": "none: nothing to balance on", "rejected": found.rejected}
    return {
        "sampling": sampling + (", then exchanges" if swapped else ""),
        "imbalance": found.distance,
        "mean_square_imbalance": found.mean_square,
        "judged": found.judged,
        "rejected": found.rejected,
    }
