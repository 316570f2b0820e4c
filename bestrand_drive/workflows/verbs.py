"""What a Python user calls: ``compress`` and ``estimate``; the command takes the same path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bestrand_drive.benchmarks.definitions import MissingRule, definition
from bestrand_drive.compression.stopping.rule import Goal, Kind
from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.choosing.compress import compress_evidence
from bestrand_drive.workflows.choosing.request import CompressRequest
from bestrand_drive.workflows.choosing.suite_folder import check_target, write_suite
from bestrand_drive.workflows.estimating.estimate import SuiteEstimate, estimate_target
from bestrand_drive.workflows.estimating.stopping import stopping
from bestrand_drive.workflows.estimating.targets import read_target
from bestrand_drive.workflows.evidence.driving import ResultSource, driving_evidence, load_benchmark
from bestrand_drive.workflows.evidence.evidence import Evidence
from bestrand_drive.workflows.evidence.tabular import PROBE_CHOICES, TableSource, probed_families, table_evidence

PathLike = str | Path


def compress(  # noqa: PLR0913  one keyword an option, as on the command line
    benchmark: str,
    *,
    routes: PathLike | None = None,
    part: str = "",
    scores: PathLike | ScoreMatrix | None = None,
    items: PathLike | None = None,
    probes: Mapping[str, PathLike] | Sequence[str] = (),
    n_probes: int | None = None,
    probe_choice: str = "even",
    keep: float | None = None,
    k: int | None = None,
    hours: float | None = None,
    seed: int = 0,
    selector: str = "balanced",
    objective: str = "scores",
    candidates: int = 128,
    search: str = "auto",
    pool_factor: float | None = None,
    metric_weights: Mapping[str, float] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    lower_is_better: Sequence[str] = (),
    families: Mapping[str, Sequence[str]] | None = None,
    exclude: Iterable[str] = (),
    disjoint_from: Iterable[PathLike] = (),
    guard: bool = True,
    probe_data: bool = True,
    licences: Mapping[str, str] | None = None,
    metric_info: Mapping[str, PathLike] | None = None,
    allow_evaluator_mismatch: bool = False,
    out: PathLike | None = None,
    force: bool = False,
) -> Suite:
    """Choose a suite.

    Args:
        benchmark: ``bench2drive`` or ``fail2drive`` (give ``routes``, and ``probes`` as name -> result path),
            ``builtin`` (the same; ``routes`` are the shipped ones unless given), or ``scores`` (give ``scores``, and
            ``probes`` as model names or ``n_probes``).
        routes: Route file, or Fail2Drive's folder of route files.
        part: Of ``builtin``'s routes, such as ``demo``; "" for all.
        scores: Score table, wide or long, or a matrix.
        items: Item table (item_id, stratum, group, cost_s).
        probes: Whose scores guide the choice; may be empty.
        n_probes: Take this many models of the table, by ``probe_choice``.
        probe_choice: ``even`` over ability; ``auto``: also at most one a family while others are left; ``random``,
            ``low`` or ``high`` (drawn by ``seed``), or ``first``.
        keep: Share of the items to keep; give exactly one of ``keep``, ``k`` and ``hours``.
        k: Number of items to keep.
        hours: Budget of simulator hours a policy.
        seed: Of every draw.
        selector: ``balanced``, ``bestrand`` or ``random``.
        objective: ``scores``, or ``ranking`` to balance the differences between probes instead of their scores.
        candidates: Random subsets that are judged.
        search: How: ``auto``, ``subsets``, ``classes``, ``windows`` or ``blocks`` (docs/search.md).
        pool_factor: Use probe scores on min(n k, N) drawn items; None takes 4 for ``bestrand``, else all items.
        metric_weights: Metrics to choose by, with a factor each; of a table, the others are left out.
        bounds: Least and greatest possible value of a table's metrics.
        lower_is_better: Metrics of a table of which less is better.
        families: Policies of one lineage; they count as one probe.
        exclude: Item ids never to choose.
        disjoint_from: Suites of the same benchmark whose items are not to be chosen again.
        guard: Whether every ability must keep a route.
        probe_data: Whether per-item probe figures go into the suite.
        licences: Licence of each probe's results; of a score table, under the name "".
        metric_info: Folder of each probe's per-step records, for comfort.
        allow_evaluator_mismatch: Accept result files of another benchmark's evaluator.
        out: Folder to write the suite to; None writes nothing.
        force: Replace a suite that is there.

    Raises:
        BestrandError: See ``bestrand_drive.errors``.
    """
    request = CompressRequest(
        keep=keep,
        k=k,
        hours=hours,
        seed=seed,
        selector=selector,
        objective=objective,
        candidates=candidates,
        search=search,
        pool_factor=pool_factor,
        metric_weights=dict(metric_weights or {}),
        families={name: tuple(members) for name, members in (families or {}).items()},
        guard=guard,
        probe_data=probe_data,
    )
    folder = None if out is None else Path(out)
    check_request(request, folder, force=force)
    if benchmark == "scores":
        if scores is None or routes is not None or isinstance(probes, Mapping):
            raise UsageError("compress('scores') takes scores=, and probes= as a list of model names.")
        if set(licences or ()) - {""}:
            raise UsageError("compress('scores'): a score table has one licence; give licences={'': TEXT}.")
        idle: dict[str, object] = {"part": part, "guard": not guard, "metric_info": metric_info}
        refuse_idle("compress('scores')", idle | {"allow_evaluator_mismatch": allow_evaluator_mismatch})
        source = TableSource(
            scores=scores if isinstance(scores, ScoreMatrix) else Path(scores),
            items=None if items is None else Path(items),
            metrics=tuple(metric_weights or ()),
            probes=tuple(probes),
            n_probes=n_probes,
            bounds=dict(bounds or {}),
            lower_is_better=tuple(lower_is_better),
            probe_choice=probe_choice,
            families=request.families,
            seed=seed,
        )
        evidence = table_evidence(source, (licences or {}).get("", "not stated"))
        request = replace(request, families=probed_families(source, evidence))
    else:
        kind = definition(benchmark)
        absent = routes is None and kind.shipped is None
        if absent or scores is not None or (probes and not isinstance(probes, Mapping)):
            raise UsageError(
                f"compress({benchmark!r}) takes routes=, and probes= as a mapping from name to result path."
            )
        idle = {"items": items, "n_probes": n_probes, "probe_choice": probe_choice != PROBE_CHOICES[0]}
        if benchmark == "fail2drive":
            idle |= {"guard": not guard, "metric_info": metric_info}
        refuse_idle(f"compress({benchmark!r})", idle | {"bounds": bounds, "lower_is_better": lower_is_better})
        named = probes if isinstance(probes, Mapping) else {}
        sources = result_sources(named, licences or {}, metric_info or {})
        known = load_benchmark(benchmark, None if routes is None else Path(routes), part)
        evidence = driving_evidence(known, sources, allow_mismatch=allow_evaluator_mismatch)
    request = with_exclusions(request, evidence, exclude, disjoint_from)
    return choose_and_write(evidence, request, out=folder, force=force, command=["bestrand_drive.compress"])


def refuse_idle(call: str, given: Mapping[str, object]) -> None:
    """Refuse keywords that would be passed over in silence.

    Args:
        call: In words.
        given: Keywords that say nothing there -> what was given.

    Raises:
        UsageError: One of them says something.
    """
    idle = [f"{name}=" for name, value in given.items() if value]
    if idle:
        raise UsageError(f"{call} knows no {', '.join(idle)}: leave it out.")


def check_request(request: CompressRequest, out: Path | None, *, force: bool) -> None:
    """Refuse a wrong request or an occupied folder before anything is read."""
    request.check()
    if out is not None:
        check_target(out, force=force)


def result_sources(
    probes: Mapping[str, PathLike], licences: Mapping[str, str], metric_info: Mapping[str, PathLike]
) -> list[ResultSource]:
    """One source a probe.

    Raises:
        UsageError: A licence or a metric-info folder is given for what is no probe.
    """
    unknown = sorted((set(licences) | set(metric_info)) - set(probes))
    if unknown:
        raise UsageError(f"--licence, --metric-info: {', '.join(unknown)} is not a --probe here.")
    return [
        ResultSource(
            name=name,
            path=Path(path),
            licence=licences.get(name, "not stated"),
            metric_info=Path(metric_info[name]) if name in metric_info else None,
        )
        for name, path in probes.items()
    ]


def with_exclusions(
    request: CompressRequest, evidence: Evidence, exclude: Iterable[str], disjoint_from: Iterable[PathLike]
) -> CompressRequest:
    """The request with the ids that must not be chosen, each with its reason.

    Raises:
        UsageError: A suite to be disjoint from is of another benchmark or of other route files.
    """
    out = dict.fromkeys(exclude, "excluded by the user")
    for folder in disjoint_from:
        other = read_suite(Path(folder))
        if (other.benchmark, other.source_sha256) != (evidence.benchmark, evidence.source_sha256):
            raise UsageError(
                f"--disjoint-from {folder}: that suite is of {other.benchmark} ({other.route_set}), from other route "
                "files or another table; its ids do not mean these items."
            )
        out |= {item: f"chosen in {Path(folder).resolve().name}" for item in other.chosen if item not in out}
    return replace(request, exclude=out)


def choose_and_write(
    evidence: Evidence, request: CompressRequest, *, out: Path | None, force: bool, command: Sequence[str]
) -> Suite:
    """Choose by evidence already read, and write the suite when ``out`` is given."""
    suite = compress_evidence(evidence, request)
    if out is not None:
        write_suite(out, suite, evidence.files(suite.chosen), command, force=force)
    return suite


def estimate(  # noqa: PLR0913  one keyword an option, as on the command line
    suite: PathLike | Suite,
    results: PathLike,
    *,
    policy: str | None = None,
    level: float = 0.95,
    missing: MissingRule = "exclude",
    family: str | None = None,
    metric_info: PathLike | None = None,
    allow_evaluator_mismatch: bool = False,
    until: Mapping[str, float] | None = None,
    until_interval: Kind = "policy",
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
        until: Greatest half width by metric; says after how many whole blocks of the suite's order it was reached.
        until_interval: Whose half width: ``policy`` or ``run``.

    Raises:
        BestrandError: See ``bestrand_drive.errors``.
    """
    goal = Goal(until, until_interval, level) if until is not None else None
    known = suite if isinstance(suite, Suite) else read_suite(Path(suite))
    target = read_target(
        known,
        Path(results),
        name=policy,
        missing=missing,
        metric_info=None if metric_info is None else Path(metric_info),
        allow_mismatch=allow_evaluator_mismatch,
    )
    found = estimate_target(known, target, level=level, missing=missing, family=family)
    return found if goal is None else replace(found, until=stopping(known, target, goal, missing=missing))
