"""Joining a Ray cluster, or starting one on this machine; the only place that imports ``ray`` at the driver."""

from __future__ import annotations

import importlib
import os
import re
import secrets
import signal
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bestrand_drive.errors import EnvironmentFault, UsageError

Foreign = Any
"""Of Ray, which types nothing that is remote."""
LEAST = (2, 52)
"""Of Ray: before it a page in a browser could run code on a node (CVE-2025-62593), and there were no tokens."""
LOCAL, AUTO = "local", "auto"
_STORE_BYTES = 200 << 20
"""Of a Ray that we start: what goes through it are results of a few hundred kilobytes."""
_REACH_S = 10.0
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]*")


@dataclass(frozen=True)
class Lease:
    """What one server leases of its node.

    Attributes:
        gpu: Share of one GPU; 0 for none.
        cpu: CPUs; 0 for none.
        resource: Name of a resource of the cluster's own, of which it leases one; "" for none.
    """

    gpu: float = 0.0
    cpu: float = 0.0
    resource: str = ""

    @property
    def needs(self) -> Mapping[str, float]:
        """Resource -> amount, as Ray names them."""
        needed = {"GPU": self.gpu, "CPU": self.cpu, self.resource: 1.0 if self.resource else 0.0}
        return {name: amount for name, amount in needed.items() if amount}

    def __str__(self) -> str:
        return ", ".join(f"{name} {amount:g}" for name, amount in self.needs.items())


def lease_of(resource: str, servers_per_gpu: int, *, headless: bool) -> Lease:
    """What a server leases: one of a resource that was named, else a CPU (headless) or its share of a GPU.

    Raises:
        UsageError: The name cannot be a resource's.
    """
    if resource in ("CPU", "GPU") or (resource and not _NAME.fullmatch(resource)):
        raise UsageError(f"--ray-resource {resource}: give the name of a resource of your cluster's own.")
    if resource:
        return Lease(resource=resource)
    return Lease(cpu=1.0) if headless else Lease(gpu=1.0 / servers_per_gpu)


@dataclass(frozen=True)
class Cluster:
    """A cluster that was joined.

    Attributes:
        ray: The module.
        address: Of its head.
    """

    ray: Foreign
    address: str

    def nodes(self) -> list[dict[str, float]]:
        """What each living node has in all."""
        return [node["Resources"] for node in self.ray.nodes() if node["Alive"]]

    def room(self, lease: Lease) -> int:
        """Servers that the nodes that are there now could hold, were nothing else leased."""
        return sum(_room(node, lease) for node in self.nodes())

    def __str__(self) -> str:
        count = len(self.nodes())
        return f"Ray at {self.address}: {count} node{'' if count == 1 else 's'}"


def _room(node: Mapping[str, float], lease: Lease) -> int:
    gpus = int(node.get("GPU", 0.0)) * round(1.0 / lease.gpu) if lease.gpu else None
    rest = [int(node.get(name, 0.0) / amount) for name, amount in lease.needs.items() if name != "GPU"]
    return min([*rest, *([] if gpus is None else [gpus])])


def ray_module() -> Foreign:
    """Ray, if it is there and new enough.

    Raises:
        EnvironmentFault: Saying what to install.
    """
    advice = "pip install '.[ray]' in the checkout of this package, here and on all nodes, the same version everywhere"
    try:
        ray = importlib.import_module("ray")
    except ImportError as error:
        raise EnvironmentFault(f"--engine ray: ray cannot be imported ({error}): {advice}.") from error
    found = tuple(int(part) for part in re.findall(r"\d+", ray.__version__)[:2])
    if found < LEAST:
        least = ".".join(map(str, LEAST))
        raise EnvironmentFault(f"--engine ray: ray is {ray.__version__}; it must be {least} or newer: {advice}.")
    return ray


@contextmanager
def joined(address: str, lease: Lease, servers: int) -> Iterator[Cluster]:
    """Be a driver of a cluster while the block runs. How it authenticates is left as it is.

    Args:
        address: ``HOST:PORT`` of its head; ``auto`` for $RAY_ADDRESS or the one that this machine is of; ``local`` to
            start one here, for this block.
        lease: What one server leases.
        servers: That are wanted.

    Raises:
        UsageError: The address is one of Ray's client.
        EnvironmentFault: There is no such cluster, it lets nobody in, or has another version of Ray or Python.
    """
    address = (os.environ.get("RAY_ADDRESS") or AUTO) if address == AUTO else address
    if "://" in address:
        raise UsageError(f"--ray-address {address}: give HOST:PORT of the head, and run on a node of the cluster.")
    if address == LOCAL:  # before Ray is imported, which reads it
        os.environ.setdefault("RAY_AUTH_MODE", "token")
        if "RAY_AUTH_TOKEN_PATH" not in os.environ:
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    ray = ray_module()
    own = _of_its_own(lease, servers) if address == LOCAL else {}
    try:
        _reach(address)
        with _signals_kept():
            context = ray.init(
                address=address,
                include_dashboard=False,
                log_to_driver=False,
                configure_logging=False,
                **own,
            )
    except (ConnectionError, RuntimeError, ValueError, OSError, ray.exceptions.RayError) as error:
        raise EnvironmentFault(_refused(address, error)) from error
    try:
        yield Cluster(ray, context.address_info["gcs_address"])
    finally:
        ray.shutdown()


def _reach(address: str) -> None:
    """Ray itself tries for minutes, and then ends the process.

    Raises:
        OSError: Nobody listens there.
    """
    host, _, port = address.rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), _REACH_S).close()


def _of_its_own(lease: Lease, servers: int) -> dict[str, Any]:
    """For a Ray that we start."""
    named = {"resources": {lease.resource: float(servers)}} if lease.resource else {}
    return {"object_store_memory": _STORE_BYTES, **named}


def _refused(address: str, error: Exception) -> str:
    text = (error.strerror if isinstance(error, OSError) else "") or str(error)
    first = next((line.strip() for line in text.splitlines() if line.strip()), type(error).__name__)
    return (
        f"--ray-address {address}: {first.rstrip('.')}. Run on a node of a cluster (`ray start --head` on one, `ray "
        "start --address=HEAD:6379` on the others; RAY_AUTH_MODE and its token as there), or say --ray-address local."
    )


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Ray takes SIGTERM for itself; it is the caller's."""
    mine = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if mine:
            signal.signal(signal.SIGTERM, before)
