"""What a newer table or newer logs say of a suite's benchmark, read in the way that the suite's table was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.readers.items import Key, content_key
from bestrand_drive.readers.parquet import item_facts
from bestrand_drive.readers.spec import ImportSpec
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec
from bestrand_drive.scores.tables import read_table
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.estimating.targets import TABLE, suite_specs
from bestrand_drive.workflows.importing.target_logs import check_rule, is_log, long_frame, read_logs_like, suite_spec

Versions = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Now:
    """A benchmark as it is seen now.

    Attributes:
        scores: Of all models there.
        keys: Task and the tool's own id of each item of ``scores``.
        contents: ``content_key`` by item, for those whose content is known.
        strata: Item -> category; empty where none is told.
        versions: What wrote the logs -> versions; empty where unknown.
        notes: What was counted in reading, as sentences.
    """

    scores: ScoreMatrix
    keys: tuple[Key, ...]
    contents: Mapping[Key, str]
    strata: Mapping[Key, str]
    versions: Versions
    notes: tuple[str, ...]


def read_now(suite: Suite, path: Path) -> Now:
    """Read a table or logs.

    Raises:
        UsageError: The suite is of routes.
        DataRefused: What is read is damaged, or was imported by another rule than the suite's table.
    """
    if suite.benchmark != TABLE:
        raise UsageError(
            f"This suite is of {suite.benchmark}: whether routes are the same is what `bestrand share` and "
            "`bestrand materialize --routes` tell. check is of tables."
        )
    return _of_logs(suite, path) if is_log(suite, path) else _of_table(suite, path)


def _of_logs(suite: Suite, path: Path) -> Now:
    cells, spec = read_logs_like(suite, path, known=False)
    keys = {name: spec.native(name) for name in cells.ids}
    contents = {keys[name]: content_key(text) for name, text in zip(cells.ids, cells.contents, strict=True) if text}
    categories = zip(cells.ids, cells.categories or [], strict=False)
    scores = _matrix(suite, path, ScoreMatrix.from_frame(long_frame(cells), specs=_specs(suite), source=str(path)))
    own = tuple(keys[name] for name in scores.items)
    return Now(scores, own, contents, {keys[name]: text for name, text in categories}, spec.versions, cells.said)


def _of_table(suite: Suite, path: Path) -> Now:
    facts = item_facts(path)
    frame = read_table(path)
    scores = ScoreMatrix.from_frame(frame, metric=suite.metrics[0].name, specs=_specs(suite), source=str(path))
    scores = _matrix(suite, path, scores)
    if facts is None:
        mine = None if suite.imported is None else suite_spec(suite)
        return Now(scores, tuple(_key(mine, name) for name in scores.items), {}, {}, {}, ())
    check_rule(suite, facts.spec, path)
    keys = {name: facts.spec.native(name) for name in scores.items}
    contents = {keys[name]: content_key(text) for name, text in facts.contents.items()}
    strata = {keys[name]: text for name, text in facts.strata.items()}
    return Now(scores, tuple(keys.values()), contents, strata, facts.spec.versions, ())


def _specs(suite: Suite) -> dict[str, MetricSpec]:
    return {spec.name: spec for spec in suite_specs(suite)}


def _matrix(suite: Suite, path: Path, scores: ScoreMatrix) -> ScoreMatrix:
    """The suite's metrics only."""
    shared = [metric.name for metric in suite.metrics if metric.name in scores.metric_names]
    if not shared:
        raise DataRefused(
            f"{path}: none of the suite's metrics ({', '.join(metric.name for metric in suite.metrics)}) is in it; it "
            f"has {', '.join(scores.metric_names)}."
        )
    return scores.with_metrics(shared)


def _key(spec: ImportSpec | None, name: str) -> Key:
    try:
        return ("", name) if spec is None else spec.native(name)
    except UsageError:
        return "", name  # of a task that the suite does not have: a new item
