"""The crew whose slots are actors, wherever the cluster has what they lease; nodes that join later give more."""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable
from pathlib import Path

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.crews.far_slot import FarSlot
from bestrand_drive.simulation.crews.letters import Hello
from bestrand_drive.simulation.crews.on_ray.cluster import Cluster, Foreign, Lease
from bestrand_drive.simulation.crews.on_ray.seat import Opening, Seat
from bestrand_drive.simulation.crews.on_ray.tenant import Tenant
from bestrand_drive.simulation.slots.cell import Halt

LOOK_S = 0.2
"""Between two looks at all actors."""
JOIN_S = 30.0
"""That somebody may still come where all that came could run nothing: an actor imports this package first."""
AGAIN_S = 5.0
"""After an actor that ended, before another one is asked for; doubled for each in a row that could not even begin."""
_MOST_DOUBLED = 6
CLOSE_S = 30.0
"""That actors have to end what they keep; it is killed then, which ends it, too."""
_THREADS = 4
"""Of an actor: an attempt is made while it is asked what it does, told to stop, and closed."""
_ENV = {"RAY_kill_child_processes_on_worker_exit": "0", "RAY_worker_niceness": "0"}
"""Ray would kill an ending actor's supervisors, and only them: what they hold together would live on without them. And
it would make servers and evaluators nice (15), so that scores would depend on what else the node does."""


class RayCrew:
    """As many actors as are wanted, each with one slot; see ``Crew``.

    Args:
        cluster: That was joined.
        lease: What each leases.
        servers: That are wanted; those for which no node has room wait for one.
        opening: What each is given.
        halt: Whether to stop.
        logs: Of the run folder.
        tell: Told who comes and goes; from the deciding thread.
    """

    def __init__(
        self,
        cluster: Cluster,
        lease: Lease,
        servers: int,
        opening: Opening,
        *,
        halt: Halt,
        logs: Path,
        tell: Callable[[str], None],
    ) -> None:
        self._cluster, self._lease, self._servers, self._opener = cluster, lease, servers, opening.opener
        self._halt, self._logs, self._tell = halt, logs, tell
        self._opening = (cluster.ray.put(opening.offer.model_dump_json()), str(opening.run))
        self._orders, self._numbers = itertools.count(1), itertools.count()
        self._tenants: list[Tenant] = []
        self._slots: dict[Tenant, FarSlot] = {}
        self._noted: set[Tenant] = set()
        self._said: set[str] = set()
        self._unborn = 0
        self._remarks: list[str] = []
        self._fault = ""
        self._again_s, self._nobody_since_s = 0.0, time.monotonic()
        self._error: Exception | None = None
        self._over = threading.Event()
        self._keeper = threading.Thread(target=self._work, name="ray", daemon=True)
        self._keeper.start()

    def slots(self) -> list[FarSlot]:
        """See ``Crew``.

        Raises:
            EnvironmentFault: Nothing can be run wherever there was room.
            Exception: Of Ray's: the cluster is gone.
        """
        if self._error:
            raise self._error
        while self._remarks:
            self._tell(self._remarks.pop(0))
        for tenant in list(self._tenants):
            self._note(tenant)
        self._judge()
        return list(self._slots.values())

    def close(self) -> None:
        """See ``Crew``: what actors keep is ended in peace, then they are. Again, it does nothing."""
        self._over.set()
        self._keeper.join()
        closing = [tenant.close() for tenant in self._tenants if tenant.host and not tenant.gone]
        until_s = time.monotonic() + CLOSE_S
        while closing and time.monotonic() < until_s and not self._halt.forced:
            _, closing = self._cluster.ray.wait(closing, num_returns=len(closing), timeout=LOOK_S)
        for tenant in self._tenants:
            tenant.end("it is over")

    def _note(self, tenant: Tenant) -> None:
        """One that is ready has a slot; one that is gone, or where nothing can be run, has none."""
        if tenant.able and tenant.hello:
            if tenant not in self._slots:
                self._slots[tenant], self._unborn, self._fault = self._slot(tenant, tenant.hello), 0, ""
        elif (tenant.gone or tenant.why) and tenant not in self._noted:
            self._noted.add(tenant)
            self._slots.pop(tenant, None)
            if tenant.why or tenant.hello is None:
                self._fault = tenant.why or tenant.gone
            self._say_once(f"server on {tenant.host or 'some node'}: {tenant.why or tenant.gone}")
        if tenant.gone:
            self._again_s = time.monotonic() + AGAIN_S * 2.0 ** min(self._unborn, _MOST_DOUBLED)
            self._unborn += tenant.hello is None
            self._tenants.remove(tenant)  # last: another one is asked for in its place then, from the other thread

    def _say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._tell(text)

    def _slot(self, tenant: Tenant, hello: Hello) -> FarSlot:
        (gpu,) = hello.gpus
        self._tell(f"server on {hello.host}{f' (GPU {gpu})' if gpu else ''}: joins")
        return FarSlot(next(self._numbers), hello.host, gpu, 0, tenant, self._halt, self._logs)

    def _judge(self) -> None:
        """Where everybody who came lately could run nothing, and nobody is on the way, it is no use to wait."""
        now_s = time.monotonic()
        if self._slots or any(tenant.opens for tenant in self._tenants):
            self._nobody_since_s = now_s
        elif self._fault and now_s - self._nobody_since_s > JOIN_S:
            raise EnvironmentFault(f"no node of the cluster can run anything: {self._fault}")

    def _work(self) -> None:
        """Look at every actor, and ask for those that are lacking, until it is over."""
        failing_s = math.inf
        while not self._over.wait(LOOK_S):
            try:
                for tenant in list(self._tenants):
                    tenant.look()
                self._ask()
                failing_s = math.inf
            except Exception as error:  # raised by the deciding thread, which ends all in peace
                self._error = self._error or error
                failing_s = min(failing_s, time.monotonic())
                if time.monotonic() - failing_s > CLOSE_S:  # else what is under way would be waited for for ever
                    for tenant in list(self._tenants):
                        tenant.give_back()

    def _ask(self) -> None:
        """One that can run nothing stays, and holds the place where that is so; it does not count."""
        lacking = self._servers - sum(not tenant.why for tenant in list(self._tenants))
        if lacking > 0 and time.monotonic() >= self._again_s and not self._halt.asked:
            self._tenants += [self._tenant() for _ in range(lacking)]

    def _tenant(self) -> Tenant:
        return Tenant(self._cluster.ray, self._actor(), self._opening, self._orders, self._remarks.append)

    def _actor(self) -> Foreign:
        """Made at most once, and what it is asked, too: the driver decides what is tried again."""
        lease = self._lease
        options = self._cluster.ray.remote(Seat).options(
            num_cpus=lease.cpu,
            num_gpus=lease.gpu,
            resources={lease.resource: 1.0} if lease.resource else {},
            max_restarts=0,
            max_task_retries=0,
            max_concurrency=_THREADS,
            scheduling_strategy="SPREAD",
            runtime_env={"env_vars": _ENV},
        )
        return options.remote(self._opener)
