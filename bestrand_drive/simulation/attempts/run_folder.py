"""The run folder as a whole: what it is a run of (``run.json``), made or met again, with one driver at a time."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, Field

from bestrand_drive.benchmarks.run_header import (
    RUN_SCHEMA,
    advice_without_run_file,
    refuse_other_schema,
    told_what_helps,
)
from bestrand_drive.benchmarks.strict_json import load_json
from bestrand_drive.errors import DataRefused, EnvironmentFault, UsageError
from bestrand_drive.files import PARTIAL, dump_json, read_bytes, write_atomic
from bestrand_drive.simulation.attempts.identity import PolicyIdentity
from bestrand_drive.simulation.attempts.key import Repeat
from bestrand_drive.simulation.attempts.layout import LOCK_FILE, Layout
from bestrand_drive.simulation.attempts.lock import DriverLock, driver_lock
from bestrand_drive.simulation.attempts.models import Frozen, parse_model
from bestrand_drive.simulation.attempts.record import Stamp
from bestrand_drive.simulation.attempts.store import AttemptStore
from bestrand_drive.simulation.processes.marks import run_mark
from bestrand_drive.simulation.processes.reaping import living_owner, reap_run

_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT}
"""The last one: what ``/proc`` says to who makes a folder there."""


class EvaluatorRef(Frozen):
    """Which evaluator runs: the way it is run, its checkout and commit at the first start."""

    adapter: str | None
    root: str | None
    commit: str


class RoutesRef(Frozen):
    """Which routes were asked for: path and hash of the last start's, ids of all starts in order."""

    path: str | None
    sha256: str | None
    ids: tuple[str, ...]


class RunInfo(Frozen):
    """``run.json``.

    Attributes:
        schema_name: Version of the folder's format.
        benchmark: ``bench2drive``, ``fail2drive`` or ``builtin``.
        simulator: What simulates; ``mixed`` after runs in both were pooled.
        policy: Who is evaluated.
        evaluator: By what.
        routes: On what.
        repeats: How often at most.
        created: UTC.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    schema_name: Literal["bestrand-run/1"] = Field(RUN_SCHEMA, alias="schema")
    benchmark: str
    simulator: Literal["carla", "headless", "mixed"]
    policy: PolicyIdentity
    evaluator: EvaluatorRef
    routes: RoutesRef
    repeats: Repeat
    created: Stamp

    def to_json(self) -> bytes:
        """The file's bytes."""
        return dump_json(self.model_dump(mode="json", by_alias=True))


def read_run(folder: Path) -> RunInfo:
    """What a run folder is a run of.

    Raises:
        DataRefused: ``run.json`` is absent, damaged or of a later version.
    """
    path = Layout(folder).run_file
    with told_what_helps(folder):
        raw = load_json(path)
        if not (isinstance(raw, dict) and isinstance(raw.get("schema"), str)):
            raise DataRefused(f"{path}: it does not name its format. The file was edited or damaged.")
    refuse_other_schema(raw["schema"], path)
    with told_what_helps(folder):
        return parse_model(RunInfo, read_bytes(path), path)


def check_run(folder: Path, info: RunInfo, *, pool_builds: bool = False) -> Layout:
    """Refuse what ``driving`` would refuse, but for another driver, and change nothing.

    Raises:
        UsageError: See ``driving``.
        DataRefused: See ``driving``.
    """
    layout = Layout(folder)
    check_place(layout)
    if layout.run_file.exists():
        refuse_another(folder, read_run(folder), info, pool_builds=pool_builds)
    return layout


@contextmanager
def driving(
    folder: Path, info: RunInfo, *, pool_builds: bool = False, tell: Callable[[str], None] = lambda _: None
) -> Iterator[tuple[Layout, DriverLock]]:
    """Drive a run folder: made when it is not there, met again when it is of the same run, ours until the block ends.

    What a killed driver left running is ended, and then its scratch is removed; its servers can be asked for no more.

    Args:
        folder: The folder above its parent must exist.
        info: What is run now.
        pool_builds: Let a folder hold runs in different simulators.
        tell: Told of each process that was ended.

    Raises:
        UsageError: It is another run's folder, holds other files, or another process drives it.
        DataRefused: Its ``run.json`` is damaged or of a later version.
        OSError: The disk is full.
        EnvironmentFault: It may not be written, or a process that a killed driver left does not end.
    """
    layout = Layout(folder)
    check_place(layout)
    with ExitStack() as held:
        with _writable(folder):
            folder.mkdir(parents=True, exist_ok=True)
            lock = held.enter_context(driver_lock(layout.lock))
            refuse_owned(folder)
            _write_info(layout, info, pool_builds=pool_builds)
            for place in layout.folders:
                place.mkdir(exist_ok=True)
            for path in (layout.servers, *folder.glob(f".*.json.*{PARTIAL}")):  # half written when it was killed
                path.unlink(missing_ok=True)
        for ended in reap_run(run_mark(folder)):
            tell(f"ended what an earlier start left behind: {ended[:160]}")
        _sweep(layout.work)
        yield layout, lock


@contextmanager
def _writable(folder: Path) -> Iterator[None]:
    """Say of the run folder, not of some file in it, that it may not be written."""
    try:
        yield
    except OSError as error:
        if error.errno not in _READ_ONLY:
            raise
        raise EnvironmentFault(
            f"--out {folder}: cannot be written ({error.strerror}). Give a folder in which this user "
            "may write; `--explain` only reads."
        ) from error


def check_place(layout: Layout) -> None:
    """Refuse a place that cannot be, or must not become, a run folder.

    Raises:
        UsageError: The place is taken, or two folders above it are not there (one is made: ``runs/`` of ``runs/mine``).
        DataRefused: It holds attempts without a description.
    """
    folder = layout.root
    if not folder.exists():
        if not folder.parent.is_dir() and (folder.parent.exists() or not folder.parent.parent.is_dir()):
            raise UsageError(f"--out {folder}: the folder {folder.parent} does not exist; make it first.")
        return
    if not folder.is_dir():
        raise UsageError(f"--out {folder}: a file of that name is there; choose another folder.")
    if layout.run_file.exists():
        return
    if layout.attempts.exists() and any(layout.attempts.iterdir()):
        raise DataRefused(f"{folder}: it holds attempts, but its run.json is gone. {advice_without_run_file(folder)}")
    own = {
        LOCK_FILE,
        layout.request.name,
        layout.dry_run.name,
        layout.servers.name,
        layout.crew.name,
        *(place.name for place in layout.folders),
    }
    foreign = sorted(path.name for path in folder.iterdir() if path.name not in own and not path.name.startswith("."))
    if foreign:
        raise UsageError(f"--out {folder}: holds other files ({', '.join(foreign[:4])}); choose another folder.")


def _write_info(layout: Layout, info: RunInfo, *, pool_builds: bool) -> None:
    if layout.run_file.exists():
        old = read_run(layout.root)
        refuse_another(layout.root, old, info, pool_builds=pool_builds)
        info = _joined(old, info)
        if info == old:
            return
    write_atomic(layout.run_file, info.to_json())


def refuse_owned(folder: Path) -> None:
    """Refuse when a driver on this host lives whose evaluators or servers run: its ``driver.lock`` was removed.

    Raises:
        UsageError: Naming it.
    """
    owner = living_owner(run_mark(folder))
    if owner is not None:
        raise UsageError(
            f"{folder}: driven by process {owner.pid}, though its {LOCK_FILE} is gone. Wait for it or end it, "
            "or choose another --out."
        )


def refuse_another(folder: Path, old: RunInfo, new: RunInfo, *, pool_builds: bool = False) -> None:
    """Refuse what would make a run folder that of two policies or benchmarks.

    A policy that has no result yet may be mended: another agent, configuration or checkpoint under its name. What was
    attempted before stays under the identity that it had.

    Raises:
        UsageError: Naming what differs.
    """
    advice = "choose another --out"
    owner, asker = (f"{run.policy.name} ({run.policy.digest[:19]})" for run in (old, new))
    faults = [
        (old.benchmark != new.benchmark, f"a run of {old.benchmark}, not of {new.benchmark}; {advice}"),
        (
            old.policy.digest != new.policy.digest and (old.policy.name != new.policy.name or _has_result(folder)),
            f"a run of policy {owner}, not of {asker}: agent, configuration or checkpoint is another; {advice}",
        ),
        (
            None not in (old.evaluator.adapter, new.evaluator.adapter)
            and old.evaluator.adapter != new.evaluator.adapter,
            f"run with {old.evaluator.adapter}, not with {new.evaluator.adapter}; {advice}",
        ),
        (
            not pool_builds and old.simulator != new.simulator,
            f"simulated in {old.simulator}, not in {new.simulator}; {advice}, or pool them with --pool-builds",
        ),
    ]
    for wrong, message in faults:
        if wrong:
            raise UsageError(f"{folder}: this is {message}.")


def _has_result(folder: Path) -> bool:
    """Whether an attempt counts, or may have counted before its record was damaged."""
    store = AttemptStore(Layout(folder), repair=False)
    return bool(store.damage) or any(attempt.of_policy for attempt in store.attempts)


def _joined(old: RunInfo, new: RunInfo) -> RunInfo:
    """The folder's description after another start: routes and repeats add up, a mended policy takes its place."""
    ids = tuple(dict.fromkeys(old.routes.ids + new.routes.ids))
    return old.model_copy(
        update={
            "policy": old.policy if old.policy.digest == new.policy.digest else new.policy,
            "simulator": old.simulator if old.simulator == new.simulator else "mixed",
            "evaluator": old.evaluator if old.evaluator.adapter else new.evaluator,
            "routes": new.routes.model_copy(update={"ids": ids}),
            "repeats": max(old.repeats, new.repeats),
        }
    )


def _sweep(work: Path) -> None:
    """Remove what killed attempts left in the scratch folder."""
    for path in work.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
