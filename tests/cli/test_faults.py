"""Faults while a suite is written: a full disk, an interrupt, a kill. What was there stays; nothing half is left."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

import bestrand_drive
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.workflows.choosing import suite_folder

HOMES = {"mkstemp": tempfile, "_exchange": suite_folder}
STEPS = ("mkdir", "mkstemp", "write", "fsync", "replace", "rename", "_exchange")
"""The calls by which a suite comes to its place; of os where no other home is named."""


class Stop(Protocol):
    def __call__(self) -> None: ...


def full() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def interrupt() -> None:
    raise KeyboardInterrupt


def break_at(patch: pytest.MonkeyPatch, number: int, stop: Stop, *, after: bool = False) -> list[str]:
    """Let the numbered call of all the steps stop, before or after it took place; the list fills with the calls."""
    calls: list[str] = []

    def wrap(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            calls.append(name)
            hit = len(calls) - 1 == number
            if hit and not after:
                stop()
            try:
                return real(*arguments, **named)
            finally:
                if hit and after:
                    stop()

        return call

    for name in STEPS:
        home = HOMES.get(name, os)
        patch.setattr(home, name, wrap(name, getattr(home, name)))
    return calls


@pytest.fixture
def arguments(toy_table, tmp_path) -> Callable[..., list[str]]:
    """Command line of a small compress into ``place/suite``; a second size tells old from new."""
    (tmp_path / "place").mkdir()

    def make(k: int, *more: str) -> list[str]:
        source = ["--scores", str(toy_table.scores), "--n-probes", "2", "--k", str(k)]
        return ["compress", "scores", *source, "--out", str(tmp_path / "place" / "suite"), *more]

    return make


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def check_whole(folder: Path) -> int:
    """The suite there is complete; its k."""
    suite = read_suite(folder)
    assert (folder / "items.txt").read_text().split() == suite.chosen
    json.loads((folder / "provenance.json").read_text())
    assert set(content(folder)) == {"suite.json", "provenance.json", "items.txt"}
    return suite.k


def count_steps(bestrand: Any, command: list[str]) -> int:
    """How many calls a run without a fault makes."""
    with pytest.MonkeyPatch.context() as patch:
        calls = break_at(patch, -1, full)
        assert bestrand(*command).code == 0
    return len(calls)


@pytest.fixture
def fresh_place(bestrand, arguments, tmp_path) -> Callable[[bool], Path]:
    """Empty the place, and put the old suite there when asked for."""

    def make(old: bool) -> Path:
        place = tmp_path / "place"
        shutil.rmtree(place)
        place.mkdir()
        if old:
            assert bestrand(*arguments(7)).code == 0
        return place

    return make


@pytest.mark.parametrize("old", [False, True], ids=["nothing there", "old suite there"])
def test_a_full_disk_at_every_step(bestrand, arguments, fresh_place, old):
    place = fresh_place(old)
    more = ["--force"] if old else []
    steps = count_steps(bestrand, arguments(9, *more))
    assert steps > 15
    place = fresh_place(old)
    before = content(place)
    for number in range(steps):
        with pytest.MonkeyPatch.context() as patch:
            calls = break_at(patch, number, full)
            ran = bestrand(*arguments(9, *more))
        step = f"call {number} of {steps}: {calls[number]}"
        if ran.code == 0:  # a folder that is there already, a folder that cannot be synced: no reason to fail
            assert calls[number] in ("mkdir", "fsync"), step
            assert check_whole(place / "suite") == 9, step
            place = fresh_place(old)
            before = content(place)
            continue
        assert ran.code == 7, step
        assert "No space left on device" in ran.err
        assert content(place) == before, step
        assert [path.name for path in place.iterdir()] == (["suite"] if old else []), step


def test_a_full_disk_names_the_place(bestrand, arguments, tmp_path, monkeypatch):
    """A write error carries no file name of its own; the user has several disks."""
    break_at(monkeypatch, 2, full)
    ran = bestrand(*arguments(9))
    assert ran.code == 7
    assert str(tmp_path / "place") in ran.err


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("old", [False, True], ids=["nothing there", "old suite there"])
def test_an_interrupt_at_every_step(bestrand, arguments, fresh_place, old, after):
    place = fresh_place(old)
    more = ["--force"] if old else []
    steps = count_steps(bestrand, arguments(9, *more))
    place = fresh_place(old)
    faults = []
    for number in range(steps):
        with pytest.MonkeyPatch.context() as patch:
            calls = break_at(patch, number, interrupt, after=after)
            ran = bestrand(*arguments(9, *more))
        assert ran.code == 130, calls[number]
        left = [path.name for path in place.iterdir()]
        last = after and number == steps - 1
        if left != (["suite"] if old or last else []):
            faults.append(f"call {number} of {steps}, {calls[number]}: {left} is left")
            place = fresh_place(old)
        elif left:
            assert check_whole(place / "suite") == (9 if last else 7)
    assert faults == []


def test_where_folders_cannot_be_exchanged_the_old_suite_moves_aside(bestrand, arguments, fresh_place, monkeypatch):
    """Two renames then; when the second fails, the old suite goes back."""
    place = fresh_place(True)
    before = content(place)
    monkeypatch.setattr(suite_folder, "_exchange", lambda *_: False)
    with pytest.MonkeyPatch.context() as patch:
        real, calls = os.rename, []

        def second_fails(*paths: Any) -> None:
            calls.append(paths)
            if len(calls) == 2:
                full()
            real(*paths)

        patch.setattr(os, "rename", second_fails)
        ran = bestrand(*arguments(9, "--force"))
    assert ran.code == 7
    assert len(calls) == 3
    assert content(place) == before
    assert bestrand(*arguments(9, "--force")).code == 0
    assert check_whole(place / "suite") == 9
    assert [path.name for path in place.iterdir()] == ["suite"]


def test_an_interrupt_says_so(bestrand, arguments, monkeypatch):
    break_at(monkeypatch, 3, interrupt)
    ran = bestrand(*arguments(9))
    assert ran.code == 130
    assert "interrupted" in ran.err


def test_an_interrupt_while_reading(bestrand, bench, bench_suite, monkeypatch):
    from bestrand_drive.benchmarks import records

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(records, "read_documents", stop)
    ran = bestrand("estimate", bench_suite, "--results", bench.results("Dan"))
    assert ran.code == 130
    assert ran.out == ""


SERVER = """
import json, os, signal, sys
sys.path.insert(0, sys.argv[1])
from tests.cli.test_faults import break_at
import pytest, torch
from bestrand_drive.cli.app import run
torch.set_num_threads(1)
sys.stdout, report = open(os.devnull, "w"), sys.stdout
run(json.loads(sys.stdin.readline()))
print("ready", file=report, flush=True)
for line in sys.stdin:
    order = json.loads(line)
    child = os.fork()
    if child == 0:
        if order["step"] is not None:
            die = lambda: os.kill(os.getpid(), signal.SIGKILL)
            break_at(pytest.MonkeyPatch(), order["step"], die, after=order["after"])
        os._exit(run(order["arguments"]))
    print(child, file=report, flush=True)
    print(os.waitpid(child, 0)[1], file=report, flush=True)
"""


class Server:
    """Runs the command in forked children, so that no round waits for imports."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self._orders, self._reports = process.stdin, process.stdout

    def run(self, arguments: list[str], *, step: int | None = None, after: bool = False, kill_s: float = -1) -> int:
        """Run once and return the signal that ended it, 0 for none; ``kill_s`` kills the child from outside."""
        self._orders.write(json.dumps({"arguments": arguments, "step": step, "after": after}) + "\n")
        self._orders.flush()
        child = int(self._reports.readline())
        if kill_s >= 0:
            time.sleep(kill_s)
            with contextlib.suppress(ProcessLookupError):  # it may be done already
                os.kill(child, signal.SIGKILL)
        status = int(self._reports.readline())
        return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


@pytest.fixture(scope="module")
def server(toy_table, tmp_path_factory) -> Iterator[Server]:
    root = str(Path(bestrand_drive.__file__).resolve().parent.parent)
    warm = ["compress", "scores", "--scores", str(toy_table.scores), "--n-probes", "2", "--k", "5"]
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([*warm, "--out", str(tmp_path_factory.mktemp("warm") / "suite")]) + "\n")
        process.stdin.flush()
        assert process.stdout.readline() == "ready\n"
        yield Server(process)
        process.stdin.close()
        assert process.wait(timeout=20) == 0


def test_a_kill_at_every_step_and_at_moments_between(server, arguments, tmp_path):
    """The folder is absent or whole; with an old suite there it is the old or the new one, whole."""
    place = tmp_path / "place"
    folder = place / "suite"
    for step in range(100):
        if server.run(arguments(9), step=step, after=True) == 0:
            break
        assert not folder.exists() or check_whole(folder) == 9, step
        shutil.rmtree(folder, ignore_errors=True)
    assert step > 8
    assert check_whole(folder) == 9
    shutil.rmtree(place)
    place.mkdir()
    begin_s = time.monotonic()
    assert server.run(arguments(9)) == 0
    whole_s = time.monotonic() - begin_s
    shutil.rmtree(folder)
    killed = 0
    for moment in range(15):
        killed += server.run(arguments(9), kill_s=moment / 15 * whole_s) == signal.SIGKILL
        assert not folder.exists() or check_whole(folder) == 9
        shutil.rmtree(folder, ignore_errors=True)
    assert killed > 3, "the kills came too late to test anything"
    assert server.run(arguments(9)) == 0, "what a kill leaves must not be in the way"
    assert check_whole(folder) == 9


def test_a_kill_leaves_the_old_suite_or_the_new_one(server, arguments, tmp_path):
    folder = tmp_path / "place" / "suite"
    assert server.run(arguments(7)) == 0
    lost = []
    for after in (False, True):
        for step in range(100):
            ended = server.run(arguments(9, "--force"), step=step, after=after)
            whole = folder.exists() and check_whole(folder)
            if not whole:
                lost.append(("after" if after else "before", step))
            if whole != 7:
                assert server.run(arguments(7, "--force")) == 0, "what a kill leaves must not be in the way"
            if ended == 0:
                break
    assert lost == [], "killed at these steps of a replacement, no suite stood in its place"
