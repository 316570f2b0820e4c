"""``plan`` as a Python user calls it; the command takes the same path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bestrand_drive.benchmarks.definitions import DEFINITIONS, definition
from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.estimating.targets import TABLE
from bestrand_drive.workflows.evidence.driving import ResultSource, driving_evidence, load_benchmark
from bestrand_drive.workflows.evidence.evidence import Evidence
from bestrand_drive.workflows.evidence.tabular import TableSource, probed_families, table_evidence
from bestrand_drive.workflows.planning.plan import SuitePlan
from bestrand_drive.workflows.planning.plan_request import Claim, PlanRequest, goal_of
from bestrand_drive.workflows.planning.planning import plan_evidence, plan_suite
from bestrand_drive.workflows.verbs import refuse_idle

PathLike = str | Path
Wanted = float | Mapping[str, float] | None


def plan(  # noqa: PLR0913  one keyword an option, as on the command line
    what: PathLike | Suite,
    *,
    routes: PathLike | None = None,
    scores: PathLike | ScoreMatrix | None = None,
    items: PathLike | None = None,
    probes: Mapping[str, PathLike] | Sequence[str] = (),
    n_probes: int | None = None,
    p95: Wanted = None,
    error: Wanted = None,
    detect: Wanted = None,
    keep: float | None = None,
    k: int | None = None,
    hours: float | None = None,
    targets: int = 1,
    claim: Claim | None = None,
    selector: str = "balanced",
    families: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
) -> SuitePlan:
    """The smallest suite that reaches a goal, or what to expect of a size (docs/planner.md).

    Args:
        what: ``bench2drive``, ``fail2drive``, ``builtin`` or ``scores``, with what ``compress`` takes; or a suite, its
            folder or its ``suite.json``, which alone is enough.
        routes: As in ``compress``, like scores, items, probes and n_probes.
        scores: Score table or matrix.
        items: Item table.
        probes: Whose scores tell how large errors are.
        n_probes: Take this many models of the table.
        p95: Goal: error that 95 of 100 suites stay under, one number for all metrics, or one for each of those named.
        error: Goal: mean absolute error.
        detect: Goal: difference between two policies that is found at 95 % in 80 of 100 suites.
        keep: Size, in place of a goal: share of the items.
        k: Size: number of items.
        hours: Size: budget of simulator hours a policy.
        targets: Policies to be estimated; errors are means over them.
        claim: About this ``run`` or the ``policy``; None for the policy where run noise is known.
        selector: ``balanced``, ``stratified``, ``bestrand`` or ``random``; a suite has its own.
        families: Policies of one lineage.
        seed: Of draws over which variances are averaged.

    Returns:
        The plan; its ``k`` is None where no size reaches the goal, and the metrics say why.

    Raises:
        BestrandError: See ``bestrand_drive.errors``.
    """
    goal, wanted = goal_of({"p95": _by_metric(p95), "error": _by_metric(error), "detect": _by_metric(detect)})
    request = PlanRequest(
        goal=goal,
        wanted=wanted,
        keep=keep,
        k=k,
        hours=hours,
        targets=targets,
        claim=claim,
        metrics=tuple(name for name in wanted if name),
        selector=selector,
        families={name: tuple(members) for name, members in (families or {}).items()},
        seed=seed,
    )
    if not isinstance(what, Suite) and is_suite(Path(what)):
        what = read_suite(Path(what))
    if isinstance(what, Suite):
        if routes is not None or scores is not None or probes or n_probes is not None:
            raise UsageError("plan(suite) takes the suite alone: it holds what is known of its probes.")
        refuse_idle("plan(suite)", {"items": items})
        return plan_suite(what, request)
    _check_benchmark(what)
    request.check()
    if str(what) == TABLE:
        source = _table(routes, scores, items, probes, n_probes, request.families)
        evidence = table_evidence(source)
        return plan_evidence(evidence, replace(request, families=probed_families(source, evidence)))
    refuse_idle(f"plan({str(what)!r})", {"scores": scores is not None})
    return plan_evidence(_driven(str(what), routes, items, probes, n_probes), request)


def is_suite(place: Path) -> bool:
    """Whether a place is a suite folder, or its ``suite.json``."""
    return (place / "suite.json").exists() or (place.name == "suite.json" and place.is_file())


def _check_benchmark(what: PathLike) -> None:
    known = [TABLE, *DEFINITIONS]
    if str(what) not in known:
        raise UsageError(f"plan: {what} is no suite folder (no suite.json is there) and none of {', '.join(known)}.")


def _by_metric(wanted: Wanted) -> Mapping[str, float] | None:
    """A goal by metric; one number is for all."""
    return wanted if wanted is None or isinstance(wanted, Mapping) else {"": float(wanted)}


def _table(
    routes: PathLike | None,
    scores: PathLike | ScoreMatrix | None,
    items: PathLike | None,
    probes: Mapping[str, PathLike] | Sequence[str],
    n_probes: int | None,
    families: Mapping[str, tuple[str, ...]],
) -> TableSource:
    if scores is None or routes is not None or isinstance(probes, Mapping):
        raise UsageError("plan('scores') takes scores=, and probes= as a list of model names.")
    table = scores if isinstance(scores, ScoreMatrix) else Path(scores)
    held = None if items is None else Path(items)
    return TableSource(table, held, probes=tuple(probes), n_probes=n_probes, families=families)


def _driven(
    benchmark: str,
    routes: PathLike | None,
    items: PathLike | None,
    probes: Mapping[str, PathLike] | Sequence[str],
    n_probes: int | None,
) -> Evidence:
    if (routes is None and definition(benchmark).shipped is None) or not isinstance(probes, Mapping):
        raise UsageError(f"plan({benchmark!r}) takes routes=, and probes= as a mapping from name to result path.")
    refuse_idle(f"plan({benchmark!r})", {"items": items, "n_probes": n_probes})
    known = load_benchmark(benchmark, None if routes is None else Path(routes))
    return driving_evidence(known, [ResultSource(name, Path(path)) for name, path in probes.items()])
