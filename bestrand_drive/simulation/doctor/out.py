"""The run folder: whether the run may go on in it, and how far it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from bestrand_drive.simulation.attempts.identity import identify_policy
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.lock import refuse_driven
from bestrand_drive.simulation.attempts.run_folder import (
    EvaluatorRef,
    RoutesRef,
    RunInfo,
    check_place,
    read_run,
    refuse_another,
    refuse_owned,
)
from bestrand_drive.simulation.attempts.stamps import utc_stamp
from bestrand_drive.simulation.attempts.store import AttemptStore
from bestrand_drive.simulation.doctor.case import Case
from bestrand_drive.simulation.doctor.finding import Finding, NotLooked, ok, warning
from bestrand_drive.simulation.servers.root import find_simulator


def check_folder(case: Case) -> Iterator[Finding]:
    """Whether it is there or can be made, nobody drives it, and what it holds."""
    if case.out is None:
        raise NotLooked("no --out given")
    layout = Layout(case.out)
    check_place(layout)
    with suppress(NotLooked):
        case.evaluator[0].refuse_split(case.out.absolute())
    if not layout.run_file.exists():
        yield ok("run folder", f"{case.out} is to begin")
        return
    refuse_driven(layout.lock)
    refuse_owned(case.out)
    info, store = read_run(case.out), AttemptStore(layout, repair=False)
    counting = len({one.key.cell for one in store.attempts if one.counts})
    said = f"{case.out}: {info.policy.name} on {info.benchmark}, {len(store.attempts)} attempts"
    yield ok("run folder", f"{said}, results for {counting} of {len(info.routes.ids)} routes x {info.repeats} repeats")
    if store.damage:
        advice = "the next start moves them into the quarantine, and runs those routes again"
        yield warning("run folder", f"{len(store.damage)} damaged files: {store.damage[0].why}", advice)


def check_same_run(case: Case) -> Iterator[Finding]:
    """Whether benchmark, policy, evaluator and simulator are those of the folder."""
    if case.out is None or not Layout(case.out).run_file.exists():
        raise NotLooked("no run has begun")
    refuse_another(case.out, read_run(case.out), _wanted(case), pool_builds=case.pool_builds)
    yield ok("same run", "benchmark, policy, evaluator and simulator are the folder's")


def _wanted(case: Case) -> RunInfo:
    """What the run would write of itself, as far as another one is refused by it."""
    adapter, checkout = case.evaluator
    agent = case.policy
    name = case.policy_name or (case.out.absolute().name if case.out else agent.path.stem)
    return RunInfo(
        benchmark=adapter.benchmark,
        simulator="headless" if case.brings_server else find_simulator(case.carla_root, case.simulated_in),
        policy=identify_policy(
            name, agent=agent.path, agent_config=agent.config, policy_id=case.policy_id, shared=agent.shared
        ),
        evaluator=EvaluatorRef(adapter=adapter.id, root=str(checkout.root), commit=checkout.commit),
        routes=RoutesRef(path=None, sha256=None, ids=()),
        repeats=1,
        created=utc_stamp(),
    )
