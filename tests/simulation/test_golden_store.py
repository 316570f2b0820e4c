"""F18: a run folder as the first version wrote it is read, planned and written alike by every later one."""

from __future__ import annotations

import shutil
from pathlib import Path

from bestrand_drive.benchmarks.records import read_results
from bestrand_drive.simulation.attempts.layout import LOCK_FILE, Layout
from bestrand_drive.simulation.attempts.plan import Action, plan
from bestrand_drive.simulation.attempts.run_folder import driving, read_run
from bestrand_drive.simulation.attempts.store import AttemptStore
from tests.simulation.attempts.made import KEY, key, tree
from tests.simulation.golden.make import INFO, PUT, write

GOLDEN = Path(__file__).resolve().parent / "golden" / "store_v1"


def test_it_is_read_whole():
    store = AttemptStore(Layout(GOLDEN), repair=False)
    assert store.damage == ()
    assert read_run(GOLDEN) == INFO
    assert len(store.attempts) == len(PUT)
    stored = {(one.key.digest, one.number): one for one in store.attempts}
    for attempt, content in PUT:
        found = stored[attempt.key.digest, attempt.number]
        named = {"result_file": found.result_file, "result_sha256": found.result_sha256}
        assert found == attempt.model_copy(update=named)
        assert (store.result(found) if found.result_file else None) == content


def test_it_is_planned_as_then():
    wanted = [KEY, key(1711, 1, seed=1), key(1712), key(1713), key(1714)]
    cells = plan(wanted, AttemptStore(Layout(GOLDEN), repair=False).attempts)
    assert [(cell.action, cell.number) for cell in cells] == [
        (Action.DONE, 3),
        (Action.DONE, 1),
        (Action.DONE, 1),
        (Action.DONE, 2),
        (Action.RUN, 1),
    ]


def test_its_results_are_read():
    read = read_results(GOLDEN, name="mine", benchmark="bench2drive")
    assert read.simulator == "carla"
    assert {(record.route_id, record.repeat): record.driving_score for record in read.records} == {
        ("1711", "0"): 100,
        ("1711", "1"): 40,
        ("1712", "0"): 5,
        ("1713", "0"): 100,
    }


def test_it_is_written_byte_for_byte_alike(tmp_path):
    write(tmp_path / "run")
    assert {name: content for name, content in tree(tmp_path / "run").items() if name != LOCK_FILE} == tree(GOLDEN)


def test_driving_it_again_changes_nothing(tmp_path):
    shutil.copytree(GOLDEN, tmp_path / "run")
    for _ in range(2):
        with driving(tmp_path / "run", INFO) as (layout, _):
            assert AttemptStore(layout, repair=True).damage == ()
        assert {name: content for name, content in tree(tmp_path / "run").items() if name != LOCK_FILE} == tree(GOLDEN)
