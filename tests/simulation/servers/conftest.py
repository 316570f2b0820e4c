"""Notes of processes go to a folder of the test's own; ports that no other test has; a stand-in for CARLA's folder."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from bestrand_drive.simulation.servers.ports import PortLease, blocks, is_free, lease_ports
from tests.simulation.processes.trees import own_runtime_folder
from tests.simulation.servers.stand_in import make_root

__all__ = ["own_runtime_folder"]

BLOCKS = 5


@pytest.fixture
def carla_root(tmp_path: Path) -> Path:
    """A folder like CARLA's, whose script starts the stand-in server; its name asks for quoting."""
    return make_root(tmp_path / "carla's root {port}")


@pytest.fixture
def base() -> Iterator[int]:
    """First port of ``BLOCKS`` free blocks; tests that run at the same time have others."""
    for first in range(21_000, 30_000, 10 * BLOCKS):
        found = tuple(blocks(first, first + 10 * BLOCKS - 1, 70_000))
        with socket.socket() as ours:
            try:
                ours.bind(("127.0.0.1", found[-1].guard - 1))
            except OSError:
                continue
            if all(is_free(port) for block in found for port in (*block.all, block.guard)):
                yield first
                return
    pytest.fail("no free ports on this machine")


@pytest.fixture
def lease(base: int) -> Callable[[], PortLease]:
    """Leases one of these blocks, the lowest that is free."""
    return partial(lease_ports, base, base + 10 * BLOCKS - 1)
