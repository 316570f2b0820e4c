"""F11: a driver that is killed while it stores attempts loses at most the attempt it was storing."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.plan import Action, plan
from bestrand_drive.simulation.attempts.store import AttemptStore
from tests.faults.killing import writers
from tests.simulation.attempts.made import key

ROUNDS, ROUNDS_A_FOLDER = 200, 5

IMPORTS = """
from pathlib import Path
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.store import AttemptStore
from tests.simulation.attempts.made import failed, key
"""
WRITES = """
root, route = line.split()
store, of = AttemptStore(Layout(Path(root)), repair=True), key(route)
for number in range(1, 1_000_000):
    store.put(failed(number, of), b"%d" % number + b" " * 60_000)
"""


def test_a_driver_killed_at_any_moment(tmp_path):
    rng = np.random.default_rng(0)
    left_behind, stored = 0, 0
    with writers(IMPORTS, WRITES) as killed:
        for number in range(ROUNDS):
            folder, route = tmp_path / str(number // ROUNDS_A_FOLDER), 1 + number % ROUNDS_A_FOLDER
            (folder / "attempts").mkdir(parents=True, exist_ok=True)
            before = AttemptStore(Layout(folder), repair=False).attempts
            killed(f"{folder} {route}", float(rng.uniform(0.0001, 0.02)))
            stored += _check(folder, before, route)
            left_behind += _leftovers(folder)
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
