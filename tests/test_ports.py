"""Ports for servers of tests."""

import itertools
import os
import socket
import subprocess
import sys
from collections import deque
from pathlib import Path

import pytest

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.servers.ports import FIRST, lease_ports
from scripts import free_ports as module
from tests.ports import free_ports

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = """
import itertools, sys
sys.path.insert(0, 'scripts')
import free_ports as module
module._steps = itertools.count(7)
print(*[module.free_ports(5) for _ in range(50)], flush=True)
sys.stdin.read()
"""


def test_they_are_free_with_their_successors_and_not_told_twice():
    told = [free_ports(9) for _ in range(20)]
    assert len(set(told)) == 20
    for port in range(told[0], told[0] + 9):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", port))


def begin_at(patch: pytest.MonkeyPatch, port: int) -> None:
    """Look at a certain ten first."""
    patch.setattr(module, "_steps", itertools.count((port - module._FIRST) // module._STRIDE))


@pytest.mark.parametrize("taken", range(5))
def test_taken_ones_are_passed_over(monkeypatch, taken):
    first = free_ports(5)
    os.close(module._leases.pop())
    with socket.socket() as other:
        other.bind(("127.0.0.1", first + taken))
        begin_at(monkeypatch, first)
        assert free_ports(5) != first
    begin_at(monkeypatch, first)
    assert free_ports(5) == first, "only for that"


def test_two_processes_that_begin_at_the_same_place_are_told_different_ones_though_none_is_in_use(tmp_path):
    """Also where each has a folder for temporary files; until the first ends: what it was told is the second's then."""

    def told(folder: str, *, stays: bool) -> tuple[set[str], subprocess.Popen[str]]:
        (tmp_path / folder).mkdir()
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM], cwd=ROOT, stdin=subprocess.PIPE if stays else subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp_path / folder)},
        )  # fmt: skip
        assert process.stdout is not None
        return set(process.stdout.readline().split()), process

    ours, first = told("one", stays=True)
    with first:
        theirs, second = told("two", stays=False)
        with second:
            assert len(ours) == len(theirs) == 50
            assert not ours & theirs
        first.kill()
    again, third = told("three", stays=False)
    with third:
        assert ours & again


def test_a_process_keeps_the_newest_leases_only(monkeypatch):
    """Else a long test session would run out of descriptors, and others out of ports."""
    monkeypatch.setattr(module, "_leases", deque())
    monkeypatch.setattr(module, "_HELD", 2)
    told = [free_ports(1) for _ in range(2)]
    opened = len(os.listdir("/proc/self/fd"))
    told += [free_ports(1) for _ in range(2)]
    assert len(os.listdir("/proc/self/fd")) == opened
    for port in told[2:]:
        with pytest.raises(EnvironmentFault):
            lease_ports(port, port + module._STRIDE - 1)
    for guard in module._leases:
        os.close(guard)


def test_they_lie_below_those_of_runs(monkeypatch):
    """Tests and runs do not take each other's; where somebody's runs are there, either sees the other's leases."""
    assert module._LAST <= FIRST
    first = free_ports(1)
    with pytest.raises(EnvironmentFault):
        lease_ports(first, first + module._STRIDE - 1)
    with lease_ports(module._FIRST, module._LAST) as lease:
        begin_at(monkeypatch, lease.ports.rpc)
        assert free_ports(1) != lease.ports.rpc
