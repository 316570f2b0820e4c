"""What a Python user calls: ``compress`` and ``estimate``, the same paths that the command takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.suite import Suite, read_suite
from bestrand_drive.workflows.compress import compress_evidence
from bestrand_drive.workflows.driving import ResultSource, driving_evidence, load_benchmark
from bestrand_drive.workflows.estimate import MissingRule, SuiteEstimate, estimate_target
from bestrand_drive.workflows.evidence import Evidence
from bestrand_drive.workflows.request import CompressRequest
from bestrand_drive.workflows.suite_folder import check_target, write_suite
from bestrand_drive.workflows.tabular import TableSource, table_evidence
from bestrand_drive.workflows.targets import read_target

BenchmarkName = Literal["bench2drive", "fail2drive", "scores"]
PathLike = str | Path


def compress(
    benchmark: BenchmarkName,
    *,
    routes: PathLike | None = None,
    scores: PathLike | ScoreMatrix | None = None,
    items: PathLike | None = None,
    probes: Mapping[str, PathLike] | Sequence[str] = (),
    out: PathLike | None = None,
    force: bool = False,
    **options: Any,  # noqa: ANN401  fields of CompressRequest and of the readers, which check them
) -> Suite:
    """Choose a suite.

    Args:
        benchmark: ``bench2drive`` and ``fail2drive`` take ``routes`` and ``probes`` (name -> result path); ``scores``
            takes ``scores``, ``items`` and ``probes`` (model names) or ``n_probes``.
        routes: Route file, or Fail2Drive's folder of route files.
        scores: Score table, wide or long, or a matrix.
        items: Item table (item_id, stratum, group, cost_s).
        probes: See ``benchmark``.
        out: Folder to write the suite to; None writes nothing.
        force: Replace a suite that is there.
        **options: Exactly one of ``keep``, ``k`` and ``hours``; the other fields of ``CompressRequest`` (``seed``,
            ``selector``, ``candidates``, ``pool_factor``, ``metric_weights``, ``families``, ``exclude``, ``guard``,
            ``probe_data``); for driving ``allow_evaluator_mismatch``; for tables ``n_probes`` and ``metrics``.

    Raises:
        BestrandError: See ``bestrand_drive.errors``.
    """
    reader_options = {name: options.pop(name) for name in _READER_OPTIONS if name in options}
    request = CompressRequest(**options)
    request.check()
    folder = None if out is None else Path(out)
    if folder is not None:
        check_target(folder, force=force)
    if benchmark == "scores":
        evidence = _table_evidence(scores, items, probes, **reader_options)
    else:
        evidence = _driving_evidence(benchmark, routes, probes, **reader_options)
    return choose_and_write(evidence, request, out=folder, force=force, command=["bestrand_drive.compress"])


_READER_OPTIONS = ("allow_evaluator_mismatch", "n_probes", "metrics")


def _table_evidence(
    scores: PathLike | ScoreMatrix | None,
    items: PathLike | None,
    probes: Mapping[str, PathLike] | Sequence[str],
    *,
    n_probes: int | None = None,
    metrics: Sequence[str] = (),
) -> Evidence:
    if scores is None or isinstance(probes, Mapping):
        raise UsageError("compress('scores') needs scores=, and probes as a list of model names.")
    source = TableSource(
        scores=scores if isinstance(scores, ScoreMatrix) else Path(scores),
        items=None if items is None else Path(items),
        metrics=tuple(metrics),
        probes=tuple(probes),
        n_probes=n_probes,
    )
    return table_evidence(source)


def _driving_evidence(
    benchmark: str,
    routes: PathLike | None,
    probes: Mapping[str, PathLike] | Sequence[str],
    *,
    allow_evaluator_mismatch: bool = False,
) -> Evidence:
    if routes is None or not (isinstance(probes, Mapping) or not probes):
        raise UsageError(f"compress({benchmark!r}) needs routes=, and probes as a mapping from name to result path.")
    named = probes if isinstance(probes, Mapping) else {}
    sources = [ResultSource(name, Path(path)) for name, path in named.items()]
    return driving_evidence(load_benchmark(benchmark, Path(routes)), sources, allow_mismatch=allow_evaluator_mismatch)


def choose_and_write(
    evidence: Evidence, request: CompressRequest, *, out: Path | None, force: bool, command: Sequence[str]
) -> Suite:
    """Choose by evidence already read, and write the suite when ``out`` is given."""
    suite = compress_evidence(evidence, request)
    if out is not None:
        write_suite(out, suite, evidence.files(suite.chosen), command, force=force)
    return suite


def estimate(
    suite: PathLike | Suite,
    results: PathLike,
    *,
    policy: str | None = None,
    level: float = 0.95,
    missing: MissingRule = "exclude",
    family: str | None = None,
    metric_info: PathLike | None = None,
    allow_evaluator_mismatch: bool = False,
) -> SuiteEstimate:
    """Estimate a policy's full scores from its results on a suite.

    Args:
        suite: Suite folder, its ``suite.json``, or a suite.
        results: Result file or folder; for a ``scores`` suite a table.
        policy: Its name; None takes the file's.
        level: Of the intervals.
        missing: ``exclude`` estimates from the measured items, ``zero`` scores missing ones at their worst.
        family: The policy's family, to be warned when a probe belongs to it.
        metric_info: Folder of per-step records for comfort.
        allow_evaluator_mismatch: Accept result files of another benchmark's evaluator.

    Raises:
        BestrandError: See ``bestrand_drive.errors``.
    """
    known = suite if isinstance(suite, Suite) else read_suite(Path(suite))
    target = read_target(
        known,
        Path(results),
        name=policy,
        metric_info=None if metric_info is None else Path(metric_info),
        allow_mismatch=allow_evaluator_mismatch,
    )
    return estimate_target(known, target, level=level, missing=missing, family=family)
