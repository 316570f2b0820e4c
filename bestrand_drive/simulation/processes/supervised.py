"""The driver's side of a supervised command: start it, look at it, end it with everything below it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.processes.channel import Channel
from bestrand_drive.simulation.processes.identity import ProcessId
from bestrand_drive.simulation.processes.kernel import require_linux
from bestrand_drive.simulation.processes.marks import DRIVER, RUN, START, driver_mark, new_mark
from bestrand_drive.simulation.processes.messages import Event, Order, stop_line
from bestrand_drive.simulation.processes.reaping import STOP_COMMAND_S, reap_start
from bestrand_drive.simulation.processes.records import record_path
from bestrand_drive.simulation.processes.tree import descendants

_START_LIMIT_S = 60.0
_LOST_S = 20.0
"""Seconds over the grace after which a supervisor that does not report is given up."""
_LOOK_S = 0.1


@dataclass(frozen=True)
class Launch:
    """What to start.

    Attributes:
        argv: The command.
        environment: All of its environment; marks are added.
        folder: Its working folder.
        log: File of its output, both streams; written anew.
        log_limit_bytes: Size that the log never passes.
        stop_argv: Run first when the tree is to end (a container's own stop command), () for nothing.
        unstarted: Exit codes by which the command itself says that it has started nothing; then ``stop_argv`` would end
            what is somebody else's.
        grace_s: Seconds between SIGTERM and SIGKILL when the command or the driver ends by itself.
        sample_s: Seconds between looks at the tree.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path
    log: Path
    log_limit_bytes: int = 16 << 20
    stop_argv: tuple[str, ...] = ()
    unstarted: tuple[int, ...] = ()
    grace_s: float = 5.0
    sample_s: float = 5.0


@dataclass(frozen=True)
class Ended:
    """How a supervised tree ended.

    Attributes:
        code: Of the command itself; negative for a signal, None when nobody saw it.
        supervised: Whether its supervisor saw it to the end; else the driver ended the tree in its place.
    """

    code: int | None
    supervised: bool = True


class Supervised:
    """A command that runs under its own supervisor.

    Attributes:
        command: The command's process.
        mark: Of this start, in the environment of everything below it.
        log: File of its output.
        code: Exit code of the command itself, as soon as ``poll`` has heard of it.
        stuck: Processes that outlive SIGKILL, as far as heard.
    """

    def __init__(self, launch: Launch, run: str) -> None:
        """Start a command.

        Args:
            launch: What to start.
            run: Mark of the run folder.

        Raises:
            EnvironmentFault: It cannot be started, or this is not Linux.
        """
        require_linux()
        self.mark = new_mark()
        self.log = launch.log
        self.code: int | None = None
        self.stuck: tuple[int, ...] = ()
        self._run = run
        self._stops = bool(launch.stop_argv)
        self._ended: Ended | None = None
        self._started: ProcessId | None = None
        marks = {RUN: run, START: self.mark, DRIVER: driver_mark()}
        order = _order(launch, marks)
        self._channel = Channel(marks)
        self._channel.send(order.line())
        self.command = self._wait_for_start()

    def poll(self) -> Ended | None:
        """How it ended, with everything below it; None while something of it runs."""
        if self._ended is None:
            self._listen(0.0)
        return self._ended

    def wait(self, limit_s: float) -> Ended | None:
        """As ``poll``, after waiting for the end for so many seconds at most."""
        until = time.monotonic() + limit_s
        while self._ended is None and (left := until - time.monotonic()) > 0:
            self._listen(left)
        return self.poll()

    def end(self, grace_s: float) -> None:
        """Ask for the end: SIGTERM now, SIGKILL after the grace. Asking again can make it sooner."""
        if self._ended is None:
            self._channel.send(stop_line(grace_s))

    def stop(self, grace_s: float = 5.0, hurry: Callable[[], bool] = lambda: False) -> Ended:
        """End it and wait until nothing is left.

        Args:
            grace_s: Seconds between SIGTERM and SIGKILL.
            hurry: Asked again and again; once true, the grace is over.

        Raises:
            EnvironmentFault: Something does not end even so.
        """
        self.end(grace_s)
        until = time.monotonic() + grace_s + (STOP_COMMAND_S if self._stops else 0.0) + _LOST_S
        while (ended := self.wait(_LOOK_S)) is None:
            if hurry() and grace_s > 0:
                grace_s = 0.0
                self.end(0.0)
            if time.monotonic() > until:
                return self._give_up()
        return ended

    def pids(self) -> tuple[int, ...]:
        """Ids of everything in the tree now, without the supervisor."""
        if self.poll() is not None:
            return ()
        return tuple(one.process.pid for one in descendants([self._channel.pid]))

    def __enter__(self) -> Supervised:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop(0.0 if kind else 5.0)

    def _wait_for_start(self) -> ProcessId:
        """The command's process; where that is never told, nothing of it is left."""
        until = time.monotonic() + _START_LIMIT_S
        try:
            while self._started is None and self._ended is None and (left := until - time.monotonic()) > 0:
                self._listen(left)
            if self._started is None:
                raise EnvironmentFault("the supervisor of a command did not start it; is this machine overloaded?")
        except BaseException:
            self._lose_supervisor()
            raise
        return self._started

    def _listen(self, limit_s: float) -> None:
        events = self._channel.receive(limit_s)
        if events is None:
            self._lose_supervisor()
        for event in events or ():
            self._take(event)

    def _take(self, event: dict[str, Any]) -> None:
        kind = Event(event.pop("event"))
        if kind is Event.STARTED:
            self._started = ProcessId(**event)
        elif kind is Event.EXITED:
            self.code = event["code"]
        elif kind is Event.STUCK:
            self.stuck = tuple(event["pids"])
        elif kind is Event.FAILED and self._started is None:
            raise EnvironmentFault(f"cannot be started: {event['why']}.")
        elif kind is Event.ENDED:
            self._ended = Ended(self.code)
            self._channel.close()

    def _lose_supervisor(self) -> None:
        """The supervisor was killed, or is to be: end the tree in its place, by its marks."""
        self._channel.close()
        reap_start(self._run, self.mark)
        self._ended = Ended(self.code, supervised=False)

    def _give_up(self) -> Ended:
        """The supervisor does not come to an end."""
        if self.stuck:
            pids = ", ".join(map(str, self.stuck))
            raise EnvironmentFault(
                f"processes {pids} do not end on SIGKILL; they are stuck in the kernel (a GPU driver?). "
                "Restart the machine if they stay."
            )
        self._lose_supervisor()
        return self.poll() or Ended(self.code, supervised=False)


def _order(launch: Launch, marks: Mapping[str, str]) -> Order:
    """What the supervisor is told; paths are made absolute, it lives elsewhere."""
    return Order(
        argv=launch.argv,
        environment={**launch.environment, **marks},
        folder=os.path.abspath(launch.folder),
        log=os.path.abspath(launch.log),
        log_limit_bytes=launch.log_limit_bytes,
        record=str(record_path(marks[RUN], marks[START])),
        driver=os.getpid(),
        stop_argv=launch.stop_argv,
        stop_limit_s=STOP_COMMAND_S,
        unstarted=launch.unstarted,
        grace_s=launch.grace_s,
        sample_s=launch.sample_s,
    )
