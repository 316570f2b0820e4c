"""The node's side: an actor in a process of its own, with one slot. What comes in and goes out is JSON and bytes."""

from __future__ import annotations

import importlib
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.errors import BestrandError
from bestrand_drive.simulation.attempts.models import Frozen, parse_model
from bestrand_drive.simulation.crews.letters import Hello, Offer, Order, Pulse
from bestrand_drive.simulation.crews.workplace import Workplace

HERE = Path("Ray")
"""Where letters come from, for messages."""
_RAYS = "RAY_"
_LOOK_S = 0.5


class Seated(Frozen):
    """What an actor says of its node.

    Attributes:
        hello: Of its one slot; None where nothing can be run.
        fault: Why not.
        remarks: What there is to say.
    """

    hello: Hello | None = None
    fault: str = ""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ground:
    """On what a slot is to stand.

    Attributes:
        offer: The driver's.
        run: The run folder.
        gpus: Ids of the GPUs that were leased, as the node's Ray counts them.
        scratch: On this node.
        inherited: Environment of attempts.
        name: Of the worker, in the names of its servers' logs.
        tell: Takes a sentence for people.
    """

    offer: Offer
    run: Path
    gpus: tuple[str, ...]
    scratch: Path
    inherited: Mapping[str, str]
    name: str
    tell: Callable[[str], None]


Opener = Callable[[Ground], AbstractContextManager[Workplace]]
"""Makes a workplace of one slot; raises a ``BestrandError`` where nothing can be run on this node."""


@dataclass(frozen=True)
class Opening:
    """What every actor is given.

    Attributes:
        opener: Makes its workplace, on its node.
        offer: What is run.
        run: The run folder, which all nodes must see.
    """

    opener: Opener
    offer: Offer
    run: Path


class Seat:
    """The actor. Its process ends with the driver and with its node; what it has started ends with it.

    Args:
        opener: Makes its workplace.
    """

    def __init__(self, opener: Opener) -> None:
        _end_with_node(os.getppid())
        self._opener, self._held = opener, ExitStack()
        self._workplace: Workplace | None = None
        self._moving = threading.Lock()

    def where(self) -> str:
        """The node's name."""
        return socket.gethostname()

    def open(self, offer: str, run: str) -> str:
        """Make ready for what a driver runs; a ``Seated``.

        Args:
            offer: An ``Offer``.
            run: The run folder.
        """
        remarks: list[str] = []
        ground = Ground(
            offer=parse_model(Offer, offer.encode(), HERE),
            run=Path(run),
            gpus=_leased_gpus(),
            scratch=Path(tempfile.gettempdir()),
            inherited=environment_of_node(),
            name=f"{socket.gethostname()}-{os.getpid()}",
            tell=remarks.append,
        )
        try:
            with self._moving:
                self._workplace = self._held.enter_context(self._opener(ground))
        except (BestrandError, OSError) as error:
            return Seated(fault=str(error) or type(error).__name__, remarks=tuple(remarks)).model_dump_json()
        hello = Hello(host=socket.gethostname(), pid=os.getpid(), gpus=self._workplace.gpus)
        return Seated(hello=hello, remarks=tuple(remarks)).model_dump_json()

    def make(self, number: int, order: str) -> tuple[str, bytes | None, bytes | None]:
        """Make an attempt: a ``Told``, the result and the steps."""
        answer = self._open.make(number, parse_model(Order, order.encode(), HERE))
        return answer.told.model_dump_json(), answer.result, answer.metric_info

    def stop(self, number: int, *, now: bool) -> None:
        """See ``Workplace``."""
        self._open.stop(number, now=now)

    def seen(self) -> str:
        """What it does now, as a ``Pulse``."""
        return Pulse(count=0, slots=self._open.seen).model_dump_json()

    def close(self) -> None:
        """End what it keeps between attempts, and leave nothing behind; what opens now is waited for."""
        with self._moving:
            if self._workplace:
                self._workplace.close()
            self._held.close()

    @property
    def _open(self) -> Workplace:
        if self._workplace is None:
            raise BestrandError("an order came to a seat that was not opened")
        return self._workplace


def environment_of_node() -> dict[str, str]:
    """This process's variables without those that Ray added, such as a number of threads or its token.

    Attempts are to find what they would find on this node without Ray: the raylet, our parent, has what ``ray start``
    was given.
    """
    with open(f"/proc/{os.getppid()}/environ", "rb") as stream:
        names = {os.fsdecode(entry.partition(b"=")[0]) for entry in stream.read().split(b"\0")}
    return {name: value for name, value in os.environ.items() if name in names and not name.startswith(_RAYS)}


def _end_with_node(raylet: int) -> None:
    """End this process when its raylet, which has started it, is gone.

    Ray does so, too, but for a killed one only once somebody has waited for it, which in a container may be nobody.
    """

    def watch() -> None:
        while os.getppid() == raylet:
            time.sleep(_LOOK_S)
        os._exit(1)

    threading.Thread(target=watch, name="raylet", daemon=True).start()


def _leased_gpus() -> tuple[str, ...]:
    ray = importlib.import_module("ray")
    return tuple(map(str, ray.get_runtime_context().get_accelerator_ids().get("GPU", ())))
