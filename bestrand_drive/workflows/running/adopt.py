"""Adopt: the result files of earlier runs become the attempts of a run folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.benchmarks.definitions import definition
from bestrand_drive.benchmarks.outcomes import OF_RECORDS, Outcome
from bestrand_drive.benchmarks.penalties import check_evaluator
from bestrand_drive.benchmarks.records import FoundRecord, every_record, read_results
from bestrand_drive.benchmarks.run_header import UNKNOWN_SIMULATOR
from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.simulation.attempts.adopt import Adopted, adopt, repeat_numbers
from bestrand_drive.simulation.attempts.identity import PolicyIdentity, identify_policy
from bestrand_drive.simulation.attempts.key import AttemptKey, Simulator
from bestrand_drive.simulation.attempts.plan import counted_attempts
from bestrand_drive.simulation.attempts.route_set import RouteSet, read_route_set
from bestrand_drive.simulation.attempts.run_folder import EvaluatorRef, RoutesRef, RunInfo, driving
from bestrand_drive.simulation.attempts.stamps import utc_stamp
from bestrand_drive.simulation.attempts.store import AttemptStore
from bestrand_drive.simulation.attempts.view import rebuild


@dataclass(frozen=True)
class Declared:
    """What earlier results do not say of themselves.

    Attributes:
        benchmark: Whose evaluator wrote them.
        carla_version: Of the server.
        evaluator_commit: Of the evaluator's checkout.
        simulator: What simulated.
        policy_name: Of the policy.
        policy_id: Its identity; None takes the name.
        routes: Suite folder, route file or folder of route files that they were run on, None when not at hand.
    """

    benchmark: str
    carla_version: str
    evaluator_commit: str
    policy_name: str
    simulator: Simulator = "carla"
    policy_id: str | None = None
    routes: Path | None = None


@dataclass(frozen=True)
class Adoption:
    """What was adopted.

    Attributes:
        policy: Name.
        stored: New attempts by outcome.
        counting: New attempts that count.
        known: Records that were there already.
        copies: Records that repeat another one.
        routes: Routes with a new attempt.
        repeats: Labels of the repeats in the earlier results, in order: the first is repeat 0.
        outside: Ids of routes that are not in the declared route files; None when none were declared.
        damaged: Files of the run folder that were moved into its quarantine.
    """

    policy: str
    stored: dict[Outcome, int]
    counting: int
    known: int
    copies: int
    routes: int
    repeats: tuple[str, ...]
    outside: tuple[str, ...] | None
    damaged: tuple[str, ...]


def adopt_results(
    results: Path, out: Path, declared: Declared, *, allow_mismatch: bool = False, pool_builds: bool = False
) -> Adoption:
    """Turn every record of earlier result files into an attempt, and make the counted ones readable as results.

    Args:
        results: Result file or folder of one policy.
        out: Run folder, made when it is not there.
        declared: What the files do not say.
        allow_mismatch: Accept files of another benchmark's evaluator.
        pool_builds: Let the folder hold attempts of several builds, and let all of them count.

    Raises:
        DataRefused: The files are damaged or foreign, or another evaluator wrote them.
        UsageError: The run folder is another policy's, or driven by another process.
        OSError: The disk is full or not writable; what was there before still is.
    """
    benchmark = definition(declared.benchmark).name
    route_set = read_route_set(declared.routes, benchmark) if declared.routes else None
    _refuse_foreign(results, declared, allow_mismatch=allow_mismatch)
    root, found = every_record(results, benchmark=benchmark)
    policy = identify_policy(declared.policy_name, policy_id=declared.policy_id or declared.policy_name)
    info = _run_info(declared, policy, found, route_set)
    build = _build(declared, policy)
    with driving(out, info, pool_builds=pool_builds) as (layout, _):
        store = AttemptStore(layout, repair=True)
        elements = route_set.routes if route_set else {}
        adopted = adopt(store, found, root, build, elements, pool_builds=pool_builds)
        counted = counted_attempts([], store.attempts, build, pool_builds=pool_builds)
        rebuild(store, counted)
    return _summary(policy.name, found, adopted, counted, route_set, store)


def _refuse_foreign(results: Path, declared: Declared, *, allow_mismatch: bool) -> None:
    """Refuse what no estimate could read later, and results that say of themselves what they were simulated in."""
    read = read_results(results, name=declared.policy_name, benchmark=declared.benchmark)
    if read.simulator not in (UNKNOWN_SIMULATOR, declared.simulator):
        raise UsageError(
            f"{results}: simulated in {read.simulator}, declared as {declared.simulator}; give --simulator as it was."
        )
    mismatch = check_evaluator(read, declared.benchmark)
    if mismatch and not allow_mismatch:
        raise DataRefused(mismatch)


def _run_info(
    declared: Declared, policy: PolicyIdentity, found: Sequence[FoundRecord], route_set: RouteSet | None
) -> RunInfo:
    return RunInfo(
        benchmark=declared.benchmark,
        simulator=declared.simulator,
        policy=policy,
        evaluator=EvaluatorRef(adapter=None, root=None, commit=declared.evaluator_commit),
        routes=RoutesRef(
            path=str(declared.routes) if declared.routes else None,
            sha256=route_set.sha256 if route_set else None,
            ids=tuple(dict.fromkeys(one.record.route_id for one in found)),
        ),
        repeats=len(repeat_numbers(one.record for one in found)),
        created=utc_stamp(),
    )


def _build(declared: Declared, policy: PolicyIdentity) -> AttemptKey:
    """A key that holds what is declared; its route and repeat are placeholders."""
    return AttemptKey(
        benchmark=declared.benchmark,
        route_id="0",
        town=None,
        route_sha256=None,
        policy=policy.digest,
        seed=None,
        repeat=0,
        simulator=declared.simulator,
        carla_version=declared.carla_version,
        evaluator_commit=declared.evaluator_commit,
        adapter=None,
    )


def _summary(
    policy: str,
    found: Sequence[FoundRecord],
    adopted: Adopted,
    counted: Sequence[object],
    route_set: RouteSet | None,
    store: AttemptStore,
) -> Adoption:
    routes = dict.fromkeys(one.record.route_id for one in found)
    return Adoption(
        policy=policy,
        stored={kind: sum(attempt.outcome is kind for attempt in adopted.stored) for kind in OF_RECORDS},
        counting=sum(attempt in counted for attempt in adopted.stored),
        known=adopted.known,
        copies=adopted.copies,
        routes=len({attempt.key.route_id for attempt in adopted.stored}),
        repeats=tuple(repeat_numbers(one.record for one in found)),
        outside=None if route_set is None else tuple(route for route in routes if route not in route_set.routes),
        damaged=tuple(damage.why for damage in store.damage),
    )
