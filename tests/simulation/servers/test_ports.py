"""F4 and the rest of port leases: free, ours alone, and given back by whatever ends their owner."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys

import pytest

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.servers import ports as module
from bestrand_drive.simulation.servers.ports import PortBlock, blocks, ephemeral_first, is_free, lease_ports
from tests.simulation.processes.trees import LIMIT_S, python

DRIVER = """
import sys
from bestrand_drive.simulation.servers.ports import lease_ports
first, last, count = map(int, sys.argv[1:])
print("ready", flush=True)
sys.stdin.readline()
leases = [lease_ports(first, last) for _ in range(count)]
print(*(lease.ports.rpc for lease in leases), flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def listening():
    """Make a socket listen."""
    opened = []

    def listen(port: int, host: str = "127.0.0.1", family: int = socket.AF_INET) -> None:
        taken = socket.socket(family)
        taken.bind((host, port))
        taken.listen()
        opened.append(taken)

    yield listen
    for one in opened:
        one.close()


def test_a_block_is_what_carla_uses():
    block = PortBlock(20_000)
    assert block.all == (20_000, 20_001, 20_002, 20_005)
    assert (block.streaming, block.secondary, block.traffic_manager, block.guard) == (20_001, 20_002, 20_005, 20_009)


@pytest.mark.parametrize("offset", [0, 1, 2, 5])
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "127.0.0.2"])
def test_a_block_with_a_taken_port_is_skipped(listening, base, offset, host):
    listening(base + offset, host)
    with lease_ports(base, base + 49) as lease:
        assert lease.ports.rpc == base + 10


def test_who_listens_on_both_families_counts(listening, base):
    listening(base + 2, "::", socket.AF_INET6)
    assert not is_free(base + 2)


def test_a_block_whose_guard_is_another_programs_port_is_skipped(listening, base):
    listening(base + 9)
    with lease_ports(base, base + 49) as lease:
        assert lease.ports.rpc == base + 10


def test_blocks_of_drivers_with_other_first_ports_are_the_same_ones(base):
    """Two blocks that lay across each other would have different guards and a port in common."""
    with lease_ports(base, base + 49), lease_ports(base + 3, base + 49) as other:
        assert other.ports.rpc == base + 10
    with lease_ports(base + 3, base + 49) as one:
        assert one.ports.rpc == base + 10


def test_ports_beside_a_block_do_not_matter(listening, base):
    listening(base + 7)
    with lease_ports(base, base + 49) as lease:
        assert lease.ports.rpc == base


def test_leases_of_one_process_differ_and_come_back(base):
    leases = [lease_ports(base, base + 49) for _ in range(5)]
    assert [lease.ports.rpc for lease in leases] == list(range(base, base + 50, 10))
    with pytest.raises(EnvironmentFault, match=rf"between {base} and {base + 49}: each needs p, .* and p\+9\."):
        lease_ports(base, base + 49)
    leases[2].release()
    with lease_ports(base, base + 49) as again:
        assert again.ports == leases[2].ports
        leases[2].release()  # once is enough: the block is another lease's now
        with pytest.raises(EnvironmentFault):
            lease_ports(base, base + 49)
    for lease in leases:
        lease.release()


def test_two_drivers_that_race_never_share_a_block(tmp_path):
    """Of two users, or in two jobs with temporary folders of their own: there is no file that both would see."""
    (tmp_path / "other").mkdir(mode=0o700)
    with (
        python(DRIVER, 30_000, 32_699, 40, folder=tmp_path) as one,  # three test sessions have room at once
        python(DRIVER, 30_000, 32_699, 40, folder=tmp_path / "other") as two,
    ):
        for driver in (one, two):
            assert driver.stdout.readline() == "ready\n"
        for driver in (one, two):
            driver.stdin.write("go\n")
            driver.stdin.flush()
        found = [int(port) for driver in (one, two) for port in driver.stdout.readline().split()]
    assert len(found) == len(set(found)) == 80


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_driver_that_was_ended_holds_nothing(tmp_path, base, number):
    with python(DRIVER, base, base + 9, 1, folder=tmp_path) as driver:
        assert driver.stdout.readline() == "ready\n"
        driver.stdin.write("go\n")
        driver.stdin.flush()
        assert driver.stdout.readline() == f"{base}\n"
        with pytest.raises(EnvironmentFault):
            lease_ports(base, base + 9)
        driver.send_signal(number)
        driver.wait(LIMIT_S)
        lease_ports(base, base + 9).release()


def test_children_of_a_driver_do_not_hold_its_ports(base):
    """A server that outlives a killed driver holds the ports that it listens on, and no others."""
    argv = [sys.executable, "-c", "print(flush=True); input()"]
    with lease_ports(base, base + 9):
        child = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False)
        child.stdout.read(1)
    try:
        lease_ports(base, base + 9).release()
    finally:
        child.communicate(b"\n")


def test_the_kernels_own_ports_are_left_out():
    assert [block.rpc for block in blocks(20_000, 20_039, 20_030)] == [20_000, 20_010, 20_020]
    assert [block.rpc for block in blocks(20_000, 20_039, 20_029)] == [20_000, 20_010]
    assert len(list(blocks(20_000, 29_999, 32_768))) == 1000
    assert [block.rpc for block in blocks(40_000, 40_019, 32_768)] == [40_000, 40_010], "asked for, all of it"
    assert [block.rpc for block in blocks(65_520, 70_000, 32_768)] == [65_520], "there are no higher ports"


def test_the_kernels_range_is_read(tmp_path, monkeypatch):
    for content, first in (("1024\t60999\n", 1024), ("", 32_768), ("x y", 32_768)):
        (tmp_path / "range").write_text(content)
        monkeypatch.setattr(module, "_EPHEMERAL", tmp_path / "range")
        assert ephemeral_first() == first
    monkeypatch.setattr(module, "_EPHEMERAL", tmp_path / "absent")
    assert ephemeral_first() == 32_768
