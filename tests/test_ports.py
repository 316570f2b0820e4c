"""Ports for servers of tests."""

import socket
import subprocess
import sys
from pathlib import Path

from scripts import free_ports as module
from tests.ports import free_ports

ROOT = Path(__file__).resolve().parent.parent
TELL = "import sys; sys.path.insert(0, 'scripts'); import free_ports as module, itertools\n"


def test_they_are_free_with_their_successors_and_not_told_twice():
    told = [free_ports(10) for _ in range(20)]
    assert len(set(told)) == 20
    for port in range(told[0], told[0] + 10):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", port))


def test_taken_ones_are_passed_over():
    first = free_ports(1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", first + 10))
        assert free_ports(1) not in {first, first + 10}


def test_two_processes_that_begin_at_the_same_place_are_told_different_ones_though_none_is_in_use():
    """Until the first ends: what it was told is the second's then."""
    program = f"{TELL}module._steps = itertools.count(7)\nprint(*[module.free_ports(5) for _ in range(50)], flush=True)"
    wait = f"{program}\nsys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", wait], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout is not None
        ours = set(first.stdout.readline().split())
        second = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
        assert len(ours) == 50
        assert not ours & set(second.stdout.split())
        first.kill()
    third = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ours & set(third.stdout.split())


def test_they_lie_below_those_of_runs():
    """Runs lease theirs in another way, so that the two must not meet."""
    assert module._LAST <= 20_000
