"""Ports for servers: blocks that this user's drivers lease from one another, and that are free when they are leased.

A lease is a file in the user's runtime folder, written under a lock; it ends with its owner, whatever ended that.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.processes.identity import ProcessId, identify, is_running
from bestrand_drive.simulation.processes.runtime_folder import private_folder, runtime_folder

FIRST, PORTS = 20_000, 10_000
"""First port, and how many there are, in the range from which blocks are leased."""
HIGHEST = 65_535
STRIDE = 10
"""Between blocks; an evaluator that finds a port taken tries the next ones, which shall be nobody's."""
_TRAFFIC_MANAGER = 5
_EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")
_HOSTS = ("127.0.0.1", "0.0.0.0")  # noqa: S104  tried, not served


@dataclass(frozen=True)
class PortBlock:
    """The ports of one server and its evaluator.

    Attributes:
        rpc: Remote calls.
    """

    rpc: int

    @property
    def streaming(self) -> int:
        """Sensor streams, CARLA's rule."""
        return self.rpc + 1

    @property
    def secondary(self) -> int:
        """Secondary servers, CARLA's rule."""
        return self.rpc + 2

    @property
    def traffic_manager(self) -> int:
        """The traffic manager, which the evaluator's process serves."""
        return self.rpc + _TRAFFIC_MANAGER

    @property
    def all(self) -> tuple[int, ...]:
        """All of them."""
        return self.rpc, self.streaming, self.secondary, self.traffic_manager


class PortLease:
    """A block that is ours until ``release``, or until this process ends.

    Attributes:
        ports: The block.
    """

    def __init__(self, ports: PortBlock, folder: Path) -> None:
        self.ports = ports
        self._folder = folder
        self._held = True

    def release(self) -> None:
        """Give it back; once, for the block may be leased again, by this process too."""
        if not self._held:
            return
        self._held = False
        with contextlib.suppress(FileNotFoundError), _locked(self._folder):  # a runtime folder can go at a log-out
            path = _path(self._folder, self.ports)
            if _owner(path) == identify(os.getpid()):
                path.unlink()

    def __enter__(self) -> PortLease:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()


def lease_ports(first: int = FIRST, last: int = FIRST + PORTS - 1, *, folder: Path | None = None) -> PortLease:
    """Lease the lowest block that no living process of this user has leased and whose ports are all free.

    Args:
        first: Lowest port.
        last: Highest port. What the kernel gives to clients by itself (the ephemeral range) is left out, unless the
            whole range lies in it.
        folder: Of the leases; the user's own by default.

    Raises:
        EnvironmentFault: There is none.
    """
    folder = folder or private_folder(runtime_folder() / "ports")
    with _locked(folder):
        for block in blocks(first, last, ephemeral_first()):
            path = _path(folder, block)
            owner = _owner(path)
            if (owner is None or not is_running(owner)) and all(is_free(port) for port in block.all):
                path.write_text(json.dumps(identify(os.getpid())))
                return PortLease(block, folder)
    raise EnvironmentFault(
        f"no block of free ports between {first} and {last}: each needs {_words()}. "
        "Give another range with --port-base, or end what listens there."
    )


def blocks(first: int, last: int, ephemeral: int) -> Iterator[PortBlock]:
    """All blocks of a range, below the ephemeral ports if there is any."""
    wanted = [PortBlock(rpc) for rpc in range(first, last + 1, STRIDE)]
    wanted = [block for block in wanted if block.traffic_manager <= min(last, HIGHEST)]
    below = [block for block in wanted if block.traffic_manager < ephemeral]
    yield from below or wanted


def ephemeral_first() -> int:
    """The lowest port that the kernel gives to clients; Linux's default where it does not say."""
    try:
        return int(_EPHEMERAL.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return 32_768


def is_free(port: int) -> bool:
    """Whether a server could listen on a port now; one that waits after a connection (TIME_WAIT) is not free."""
    for host in _HOSTS:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            try:
                probe.bind((host, port))
            except OSError:
                return False
    return True


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; the kernel frees it when its holder ends."""
    handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _path(folder: Path, block: PortBlock) -> Path:
    return folder / f"{block.rpc}.json"


def _owner(path: Path) -> ProcessId | None:
    """Who leased a block last; None when nobody did, or when a killed process left half a line."""
    try:
        pid, start = json.loads(path.read_bytes())
        return ProcessId(int(pid), str(start))
    except (OSError, ValueError, TypeError):
        return None


def _words() -> str:
    offsets = ", ".join(f"p+{port}" if port else "p" for port in PortBlock(0).all)
    return f"{offsets} on loopback and on all addresses"
