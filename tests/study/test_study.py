"""Running and resuming: parts are kept, are never written twice, and make the same rows however the work was cut."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pytest

from bestrand_drive.errors import DataRefused, EnvironmentFault
from bestrand_drive.study import cells, study
from bestrand_drive.study.arms import Arm
from bestrand_drive.study.cells import Cell, blocks, measure, part_path, read_part, write_part
from bestrand_drive.study.study import Plan, run_study
from tests.study.worlds import binary_table, driving_problem, table_problem

ARMS = [Arm.of("random"), Arm.of("bestrand")]


def plan(folder: Path, seeds: int = 12) -> Plan:
    return Plan([(table_problem(), ARMS)], [None], [0.1, 0.3], seeds, folder)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(cells, "BLOCK", 5)


def silent(done: int, total: int, what: str) -> None:
    return


def test_rows_do_not_depend_on_workers_or_interruptions(tmp_path, monkeypatch):
    told = []
    rows = run_study(plan(tmp_path / "a"), 1, lambda done, total, what: told.append((done, total)))
    assert told[0] == (0, 12)
    assert told[-1] == (12, 12)
    assert run_study(plan(tmp_path / "b"), 2, silent) == rows
    computed = []

    def failing(cell, block):
        if len(computed) == 4:
            raise KeyboardInterrupt
        computed.append(block)
        return measure(cell, block)

    monkeypatch.setattr(study, "measure", failing)
    with pytest.raises(KeyboardInterrupt):
        run_study(plan(tmp_path / "c"), 1, silent)
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "c").iterdir()}
    assert len(kept) == 4
    monkeypatch.setattr(study, "measure", measure)
    told.clear()
    assert run_study(plan(tmp_path / "c"), 1, lambda done, total, what: told.append((done, total))) == rows
    assert told[0] == (4, 12)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


def test_a_killed_worker_is_said_and_what_was_done_goes_on(tmp_path, monkeypatch):
    rows = run_study(plan(tmp_path / "whole"), 1, silent)

    def deadly(cell, block):
        if cell.arm.label == "bestrand" and cell.keep == 0.3:
            os.kill(os.getpid(), signal.SIGKILL)
        return measure(cell, block)

    monkeypatch.setattr(study, "measure", deadly)
    with pytest.raises(EnvironmentFault, match="worker process of the study was killed"):
        run_study(plan(tmp_path / "cut"), 2, silent)
    monkeypatch.setattr(study, "measure", measure)
    assert run_study(plan(tmp_path / "cut"), 2, silent) == rows


@pytest.mark.parametrize("where", ["in a block", "between blocks"])
def test_what_ends_a_study_ends_its_workers(tmp_path, monkeypatch, where):
    """Not after the blocks that they are at: those of what trains take many minutes."""
    if where == "in a block":

        def measured(cell, block):
            if cell.keep == 0.3:
                raise KeyboardInterrupt
            time.sleep(200)

    else:

        def measured(cell, block):
            return measure(cell, block) if cell.arm.selector == "random" and block.start == 0 else time.sleep(200)

    def interrupted(done, total, what):
        if done:
            raise KeyboardInterrupt

    monkeypatch.setattr(study, "measure", measured)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_study(replace(plan(tmp_path), keeps=(0.1,) if where == "between blocks" else (0.1, 0.3)), 12, interrupted)
    assert time.monotonic() - began < 150


SLOW = """
import os, sys, time
from pathlib import Path
from bestrand_drive.study import cells, study
from tests.study.test_study import plan, silent

def endless(cell, block):
    (Path(sys.argv[1]) / f"{os.getpid()}.worker").touch()
    time.sleep(600)

cells.BLOCK, study.measure = 5, endless
study.run_study(plan(Path(sys.argv[1]) / "parts"), 2, silent)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_the_process_that_started_them(tmp_path, number):
    root = Path(__file__).resolve().parents[2]
    driver = subprocess.Popen([sys.executable, "-c", SLOW, str(tmp_path)], cwd=root)
    try:
        workers: list[psutil.Process] = []
        assert holds(lambda: len(list(tmp_path.glob("*.worker"))) == 2), "two workers are at work"
        workers += [psutil.Process(int(path.stem)) for path in tmp_path.glob("*.worker")]
        driver.send_signal(number)
        driver.wait(60)
        assert holds(lambda: not any(at_work(worker) for worker in workers)), "no worker is left behind"
    finally:
        driver.kill()
        driver.wait(60)
        for worker in filter(at_work, workers):
            worker.kill()


def holds(check) -> bool:
    """Within five minutes: a starved machine takes more than one to start a driver and its workers."""
    until = time.monotonic() + 300
    while not check() and time.monotonic() < until:
        time.sleep(0.05)
    return bool(check())


def at_work(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_more_seeds_keep_the_whole_blocks(tmp_path):
    run_study(plan(tmp_path, 10), 1, silent)
    before = set(tmp_path.iterdir())
    run_study(plan(tmp_path, 12), 1, silent)
    assert before < set(tmp_path.iterdir())
    assert len(set(tmp_path.iterdir()) - before) == 4


def test_other_settings_have_other_parts(tmp_path):
    cell = Cell(table_problem(), ARMS[1], None, 12, 0.1)
    others = [
        replace(cell, k=13),
        replace(cell, estimator="expc"),
        replace(cell, arm=replace(ARMS[1], candidates=32)),
        replace(cell, arm=replace(ARMS[1], distance="l1")),
        replace(cell, problem=table_problem(probes=4)),
        replace(cell, problem=table_problem(binary_table(seed=1))),
    ]
    paths = {part_path(tmp_path, one, range(5)) for one in (cell, *others)}
    assert len(paths) == 7
    assert part_path(tmp_path, replace(cell, problem=table_problem()), range(5)) == part_path(tmp_path, cell, range(5))


def test_a_damaged_part_is_named_before_anything_is_computed(tmp_path):
    run_study(plan(tmp_path), 1, silent)
    path, other, *_ = sorted(tmp_path.iterdir())
    content, first = path.read_bytes(), read_part(path)
    other.unlink()
    small = replace(first, error=first.error[:, :2], covered=first.covered[:, :2], width=first.width[:, :2])
    write_part(tmp_path / "small", small)
    for damaged in (content[:100], b"", (tmp_path / "small").read_bytes()):
        path.write_bytes(damaged)
        with pytest.raises(DataRefused, match=f"{path.name}: a damaged part"):
            run_study(plan(tmp_path), 1, silent)
        assert not other.exists()


def test_seeds_of_a_part_are_those_measured_alone(tmp_path):
    run_study(plan(tmp_path), 1, silent)
    cell = next(iter(plan(tmp_path).groups()))[1]
    third = list(blocks(12))[2]
    part = read_part(part_path(tmp_path, cell, third))
    alone = measure(cell, [11])
    np.testing.assert_array_equal(part.error[1], alone.error[0])
    np.testing.assert_array_equal(part.covered[1], alone.covered[0])


def test_driving_rows(tmp_path):
    problem = driving_problem()
    arms = [Arm.of(name) for name in ("random", "stratified", "bestrand", "balanced")]
    rows = run_study(Plan([(problem, arms)], [None], [0.25], 10, tmp_path), 1, silent)
    assert [row["metric"] for row in rows[:4]] == ["ds", "sr", "speed", "hm"]
    assert {row["estimator"] for row in rows} == {"mean", "stratified", "default"}
    assert all(row["targets"] == 5 for row in rows)
    assert all(row["coverage95"] is not None for row in rows if row["selector"] == "balanced")
    costs = {row["selector"]: row["cost"] for row in rows}
    assert costs["random"] == costs["stratified"] == 0
    assert costs["balanced"] == 4, "five policies, one family of them left out"
