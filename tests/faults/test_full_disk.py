"""F10: the disk is full at any call of any kind: what was there stays, and the same call works later."""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bestrand_drive.errors import DataRefused
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.plan import counted_attempts
from bestrand_drive.simulation.attempts.run_folder import driving, read_run
from bestrand_drive.simulation.attempts.store import AttemptStore
from bestrand_drive.simulation.attempts.view import rebuild
from tests.simulation.attempts.made import KEY, empty_store, failed, key, result, scored, tree
from tests.simulation.attempts.test_run_folder import INFO

CALLS = ("open", "write", "pwrite", "fsync", "fchmod", "link", "replace", "mkdir")


class Disk:
    """Counts the system's calls of each kind, and lets one of them find the disk full."""

    def __init__(self, patch: pytest.MonkeyPatch, full_at: tuple[str, int] | None = None) -> None:
        self.calls: Counter[str] = Counter()
        self.hit = False
        for name in CALLS:
            patch.setattr(os, name, self._wrapped(name, getattr(os, name), full_at))

    def _wrapped(self, name: str, real: Callable[..., Any], full_at: tuple[str, int] | None) -> Callable[..., Any]:
        def call(*given: Any, **more: Any) -> Any:
            if name == "open" and not _writes(given):
                return real(*given, **more)
            self.calls[name] += 1
            if (name, self.calls[name]) == full_at:
                self.hit = True
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(*given, **more)

        return call


def _writes(given: tuple[Any, ...]) -> bool:
    return len(given) > 1 and bool(given[1] & (os.O_WRONLY | os.O_RDWR))


def counted_calls(action: Callable[[], object]) -> list[tuple[str, int]]:
    """Every call that an undisturbed action makes, as (kind, index)."""
    with pytest.MonkeyPatch.context() as patch:
        disk = Disk(patch)
        action()
    return [(name, index) for name in CALLS for index in range(1, disk.calls[name] + 1)]


def disturbed(action: Callable[[], object], full_at: tuple[str, int]) -> bool:
    """Run an action with a full disk at one call; False when it said so."""
    with pytest.MonkeyPatch.context() as patch:
        disk = Disk(patch, full_at)
        raised = None
        try:
            action()
        except OSError as error:
            raised = error.errno
    assert disk.hit, f"{full_at} was not reached"
    assert raised in (None, errno.ENOSPC)
    return raised is None


def prepared(root: Path) -> AttemptStore:
    store = empty_store(root)
    store.put(failed(1), result(status="Failed - Simulation crashed"))
    store.put(scored(1, key(1712)), result(1712))
    return store


def test_an_attempt_that_cannot_be_stored(tmp_path):
    counted = prepared(tmp_path / "count")
    steps = counted_calls(lambda: counted.put(scored(2), result()))
    assert {"write", "fsync", "link"} <= {name for name, _ in steps}
    for number, (name, index) in enumerate(steps):
        root = tmp_path / str(number)
        store = prepared(root)
        before = tree(root)
        done = disturbed(lambda store=store: store.put(scored(2), result()), (name, index))
        after = AttemptStore(Layout(root), repair=False)
        assert before.items() <= tree(root).items(), (name, index)
        assert after.damage == ()
        assert len(after.attempts) == 2 + done, (name, index)
        assert not [path for path in tree(root) if path.endswith(".partial")]
        assert store.put(scored(2), result()) == AttemptStore(Layout(root), repair=True).attempts[1]


def test_results_that_cannot_be_placed(tmp_path):
    def build(root: Path) -> None:
        store = AttemptStore(Layout(root), repair=True)
        rebuild(store, counted_attempts([], store.attempts, KEY))

    def made(root: Path) -> Path:
        prepared(root)
        build(root)
        store = empty_store(root)
        store.put(scored(2), result())
        (root / "results" / "0" / "RouteScenario_9.json").write_bytes(b"{}")
        return root

    made(tmp_path / "count")
    steps = counted_calls(lambda: build(tmp_path / "count"))
    assert "replace" in {name for name, _ in steps}
    for number, step in enumerate(steps):
        root = made(tmp_path / str(number))
        before = tree(root)
        disturbed(lambda root=root: build(root), step)
        kept = {name: content for name, content in before.items() if not name.endswith("_9.json")}
        assert kept.items() <= tree(root).items(), step
        build(root)
        assert tree(root) == tree(tmp_path / "count"), step


def test_a_start_on_a_full_disk(tmp_path):
    """The first start, and one that has to write down more routes."""
    more = INFO.model_copy(update={"routes": INFO.routes.model_copy(update={"ids": ("1", "2", "3")})})

    def start(root: Path, info: Any) -> None:
        with driving(root, info):
            pass

    steps = counted_calls(lambda: start(tmp_path / "count", INFO))
    assert {"write", "pwrite", "mkdir", "replace"} <= {name for name, _ in steps}
    for number, step in enumerate(steps):
        root = tmp_path / f"first{number}"
        disturbed(lambda root=root: start(root, INFO), step)
        start(root, INFO)
        assert read_run(root) == INFO
    for number, step in enumerate(counted_calls(lambda: start(tmp_path / "count", more))):
        root = tmp_path / f"next{number}"
        start(root, INFO)
        disturbed(lambda root=root: start(root, more), step)
        assert read_run(root) in (INFO, more)
        start(root, more)
        assert read_run(root) == more


def test_file_systems_without_hard_links_still_put_once(tmp_path, monkeypatch):
    def no_links(*_: Any, **__: Any) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", no_links)
    store = prepared(tmp_path)
    before = tree(tmp_path)
    with pytest.raises(DataRefused, match="nothing is overwritten"):
        store.put(scored(1), result())
    assert tree(tmp_path) == before
    assert AttemptStore(Layout(tmp_path), repair=True).attempts == store.attempts
