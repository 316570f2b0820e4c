"""Score tables to study: what is read of them, and what is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bestrand_drive.errors import DataRefused
from bestrand_drive.readers.parquet import item_facts
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.tables import read_items
from bestrand_drive.study.problem import score_notes, without_bare_items, without_copies
from bestrand_drive.workflows.evidence.tabular import TableSource, load_table

PROBES = 5


@dataclass(frozen=True)
class TableStudy:
    """A score table to study.

    Attributes:
        scores: Path of a wide or long table.
        metrics: Of a long table; empty for all.
        bounds: Least and greatest possible value by metric, where the values themselves do not show it.
        lower_is_better: Metrics of which less is better.
        items: Path of ``items.csv`` (item_id, stratum), or None.
        models: Path of a table of models (model, family, date), or None.
        families: By name: models of one lineage; others stand alone.
        split: One of ``SPLITS``.
        n_probes: How many probes; at most half of the models are taken.
        probe_choice: One of ``PROBE_CHOICES``, for the random split.
    """

    scores: Path
    metrics: tuple[str, ...] = ()
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    lower_is_better: tuple[str, ...] = ()
    items: Path | None = None
    models: Path | None = None
    families: Mapping[str, Sequence[str]] = field(default_factory=dict)
    split: str = "random"
    n_probes: int = PROBES
    probe_choice: str = "random"


def read_scores(study: TableStudy) -> tuple[ScoreMatrix, list[str]]:
    """The matrix without repeated columns and items without a score, with strata; what was left out, a sentence each.

    An imported table tells strata, bounds and directions itself; strata of ``items`` go before.

    Raises:
        UsageError: An unknown metric is named.
        DataRefused: A table is damaged or leaves its bounds, its categories count alike, or fewer than three different
            models are in it.
    """
    source = TableSource(
        study.scores, metrics=study.metrics, bounds=study.bounds, lower_is_better=study.lower_is_better
    )
    scores, bare = without_bare_items(load_table(source)[0])
    facts = item_facts(study.scores)
    if facts is not None and facts.weights:
        raise DataRefused(
            f"{study.scores}: its categories count alike, whatever their sizes (--macro category); a study measures "
            "errors of the plain mean over items. Import it without --macro to study that mean."
        )
    if facts is not None and facts.strata:
        scores = replace(scores, strata=tuple(facts.strata[item] for item in scores.items))
    if study.items:
        scores = replace(scores, strata=read_items(study.items, scores.items).strata or scores.strata)
    scores, dropped = without_copies(scores)
    if len(scores.policies) < 3:
        twins = f" ({copied(dropped)})" if dropped else ""
        count = f"{len(scores.policies)} different model" + ("" if len(scores.policies) == 1 else "s")
        raise DataRefused(f"{study.scores}: {count}{twins}; a study needs three at least.")
    return scores, [*bare, *score_notes(scores, dropped)]


def copied(dropped: Mapping[str, str], most: int = 3) -> str:
    """Which models repeat which, the first ones by name."""
    told = [f"{copy} repeats {original}" for copy, original in list(dropped.items())[:most]]
    return ", ".join(told) + (f" and {len(dropped) - most} more" if len(dropped) > most else "")
