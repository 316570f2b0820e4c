"""F11: a driver that is killed while it stores attempts loses at most the attempt it was storing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import bestrand_drive
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.plan import Action, plan
from bestrand_drive.simulation.attempts.store import AttemptStore
from tests.simulation.attempts.made import key

ROUNDS, ROUNDS_A_FOLDER = 200, 5

WRITER = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.store import AttemptStore
from tests.simulation.attempts.made import failed, key
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.fsync = lambda descriptor: None  # a killed process does not lose what it wrote; this way every stage is hit
while line := sys.stdin.readline():
    root, route = line.split()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        store, of = AttemptStore(Layout(Path(root)), repair=True), key(route)
        for number in range(1, 1000):
            store.put(failed(number, of), b"%d" % number + b" " * 60_000)
        os._exit(0)
"""


def test_a_driver_killed_at_any_moment(tmp_path):
    """200 rounds: a server forks one writer a round (no import time in the way), which is killed by its id."""
    root = str(Path(bestrand_drive.__file__).resolve().parent.parent)
    rng = np.random.default_rng(0)
    left_behind, stored = 0, 0
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for number in range(ROUNDS):
            folder, route = tmp_path / str(number // ROUNDS_A_FOLDER), 1 + number % ROUNDS_A_FOLDER
            (folder / "attempts").mkdir(parents=True, exist_ok=True)
            before = AttemptStore(Layout(folder), repair=False).attempts
            server.stdin.write(f"{folder} {route}\n")
            server.stdin.flush()
            writer = int(server.stdout.readline())
            time.sleep(float(rng.random()) * 0.03)
            os.kill(writer, signal.SIGKILL)
            _gone(writer)
            stored += _check(folder, before, route)
            left_behind += _leftovers(folder)
        server.stdin.close()
        assert server.wait(timeout=10) == 0
    assert stored > ROUNDS // 4, "the writers hardly got to write"
    assert left_behind > 0, "no writer was killed in the middle"


def _check(folder: Path, before: tuple[object, ...], route: int) -> int:
    """Everything from before is there, new attempts are whole and without a gap; how many are new."""
    found = AttemptStore(Layout(folder), repair=False)
    assert found.damage == ()
    assert set(map(repr, before)) <= set(map(repr, found.attempts))
    mine = [attempt for attempt in found.attempts if attempt.key.route_id == str(route)]
    assert [attempt.number for attempt in mine] == list(range(1, len(mine) + 1))
    assert len(found.attempts) == len(before) + len(mine)
    for attempt in mine:
        assert int(found.result(attempt)) == attempt.number
    (cell,) = plan([key(route)], found.attempts, max_attempts=10_000)
    assert (cell.action, cell.number) == (Action.RUN, len(mine) + 1)
    return len(mine)


def _leftovers(folder: Path) -> int:
    """Temporaries, and results without a record."""
    names = list(folder.glob("attempts/*/*"))
    orphans = [
        path
        for path in names
        if path.name.endswith(".result.json") and not path.with_name(path.name.replace(".result", "")).exists()
    ]
    return len(orphans) + sum(path.name.endswith(".partial") for path in names)


def _gone(pid: int) -> None:
    """Wait until a killed process no longer exists (its parent reaps it)."""
    for _ in range(5000):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.001)
    raise AssertionError(f"process {pid} is still there")
