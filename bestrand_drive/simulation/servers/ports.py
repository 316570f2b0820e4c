"""Ports for servers: blocks that drivers lease from one another, and that are free when they are leased.

A lease is a bound socket on the last port of its block. So the kernel keeps it, for whoever shares these ports: other
users, and jobs with folders of their own, too. It ends with its owner, whatever ended that.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from bestrand_drive.errors import EnvironmentFault

FIRST, PORTS = 20_000, 10_000
"""First port, and how many there are, in the range from which blocks are leased."""
HIGHEST = 65_535
STRIDE = 10
"""Between blocks; an evaluator that finds a port taken tries the next ones, which shall be nobody's."""
_TRAFFIC_MANAGER = 5
_GUARD = STRIDE - 1
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
    def guard(self) -> int:
        """What its lease is bound to; nobody listens there."""
        return self.rpc + _GUARD

    @property
    def all(self) -> tuple[int, ...]:
        """All on which somebody listens."""
        return self.rpc, self.streaming, self.secondary, self.traffic_manager


class PortLease:
    """A block that is ours until ``release``, or until this process ends.

    Attributes:
        ports: The block.
    """

    def __init__(self, ports: PortBlock, guard: socket.socket) -> None:
        """Hold it.

        Args:
            ports: The block.
            guard: Bound to its guard port.
        """
        self.ports = ports
        self._guard = guard

    def release(self) -> None:
        """Give it back; once is enough, for the block may be leased again, by this process too."""
        self._guard.close()

    def __enter__(self) -> PortLease:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()


def lease_ports(first: int = FIRST, last: int = FIRST + PORTS - 1) -> PortLease:
    """Lease the lowest block that no living process has leased and whose ports are all free.

    Args:
        first: Lowest port.
        last: Highest port. What the kernel gives to clients by itself (the ephemeral range) is left out, unless the
            whole range lies in it.

    Raises:
        EnvironmentFault: There is none.
    """
    for block in blocks(first, last, ephemeral_first()):
        guard = _guard(block)
        if guard is None:
            continue
        if all(is_free(port) for port in block.all):
            return PortLease(block, guard)
        guard.close()
    raise EnvironmentFault(
        f"no block of free ports between {first} and {last}: each needs {_words()}. "
        "Give another range with --port-base, or end what listens there."
    )


def _guard(block: PortBlock) -> socket.socket | None:
    """A socket on the guard port, on which nobody listens and which no child inherits; None when it is taken."""
    guard = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        guard.bind((_HOSTS[0], block.guard))
    except OSError:
        guard.close()
        return None
    return guard


def blocks(first: int, last: int, ephemeral: int) -> Iterator[PortBlock]:
    """All blocks of a range, below the ephemeral ports if there is any; those of all ranges are the same ones."""
    wanted = [PortBlock(rpc) for rpc in range(-(-first // STRIDE) * STRIDE, last + 1, STRIDE)]
    wanted = [block for block in wanted if block.guard <= min(last, HIGHEST)]
    below = [block for block in wanted if block.guard < ephemeral]
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


def _words() -> str:
    offsets = ", ".join(f"p+{port}" if port else "p" for port in PortBlock(0).all)
    return f"{offsets} on loopback and on all addresses, and p+{PortBlock(0).guard}"
