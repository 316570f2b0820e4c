"""Descent, compared with psutil's and on tables that are made up."""

from __future__ import annotations

import os
import subprocess

import numpy as np
import psutil
import pytest

from bestrand_drive.simulation.processes.identity import ProcessId, Running
from bestrand_drive.simulation.processes.tree import below, command_line, descendants, lineage
from tests.simulation.processes.trees import until


def made(pid: int, parent: int) -> Running:
    return Running(ProcessId(pid, "b:1"), parent)


def test_a_tree_is_what_psutil_sees(tmp_path):
    with subprocess.Popen(["sh", "-c", "sleep 600 & sh -c 'sleep 600 & wait' & wait"], start_new_session=True) as root:
        try:
            below_root = psutil.Process(root.pid)
            until(lambda: len(below_root.children(recursive=True)) == 3, "three descendants")
            ours = descendants([root.pid])
            assert {one.process.pid for one in ours} == {one.pid for one in below_root.children(recursive=True)}
            assert {os.getpid(), os.getppid()} < lineage(root.pid)
            assert lineage(root.pid) == {root.pid, *(one.pid for one in below_root.parents())}
            assert command_line(root.pid).startswith("sh -c sleep 600 & sh -c")
        finally:
            os.killpg(root.pid, 9)
    assert command_line(root.pid) == ""


@pytest.mark.parametrize("seed", range(20))
def test_descent_is_reachability(seed):
    """On a random forest, in any order: the same as walking up from each process."""
    rng = np.random.default_rng(seed)
    parents = {pid: int(rng.integers(0, pid)) for pid in range(1, 40)}
    roots = {int(pid) for pid in rng.integers(1, 40, size=3)}
    order = rng.permutation(list(parents))
    found = [one.process.pid for one in below(roots, [made(int(pid), parents[int(pid)]) for pid in order])]

    def descends(pid: int) -> bool:
        while pid := parents.get(pid, 0):
            if pid in roots:
                return True
        return False

    assert sorted(found) == sorted(pid for pid in parents if descends(pid) and pid not in roots)
    assert all(parents[pid] in roots or found.index(parents[pid]) < place for place, pid in enumerate(found))


def test_a_circle_ends():
    assert [one.process.pid for one in below([1], [made(2, 1), made(1, 2)])] == [2]
