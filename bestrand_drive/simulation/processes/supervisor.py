"""The supervisor: a small program that runs one command and ends its whole tree, also when its driver is killed.

It is the subreaper of the tree, so that nothing can leave it: neither ``setsid`` nor a double fork. It ends the tree
when it is told to, when the command ends by itself, when its driver ends (the pipe closes, or the kernel tells), and
on SIGTERM (a second one forces). ``python -m bestrand_drive.simulation.processes.supervisor`` reads its order from the
standard input and writes events to the standard output (``messages``).
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from bestrand_drive.simulation.processes.census import Census
from bestrand_drive.simulation.processes.ending import TreeEnder
from bestrand_drive.simulation.processes.identity import identify
from bestrand_drive.simulation.processes.kernel import become_subreaper, signal_when_parent_ends
from bestrand_drive.simulation.processes.messages import Event, Order, event_line, read_order
from bestrand_drive.simulation.processes.output import Output
from bestrand_drive.simulation.processes.records import StopCommand
from bestrand_drive.simulation.processes.stopper import Stopper

_CONTROL, _EVENTS = 0, 1
_CHUNK = 1 << 16
_IDLE_S, _ENDING_S = 1.0, 0.02
"""Longest sleeps: the driver's life is checked at each waking, and a dying tree changes without a word."""


class Supervisor:
    """One command and everything below it."""

    def __init__(self, order: Order) -> None:
        """Take an order.

        Raises:
            OSError: The log cannot be made.
        """
        self._order = order
        self._output = Output(Path(order.log), order.log_limit_bytes)
        stop = StopCommand(order.stop_argv, order.folder) if order.stop_argv else None
        self._census = Census(Path(order.record), order.sample_s, stop)
        self._ender = TreeEnder(os.getpid())
        self._command = 0
        self._stopper = Stopper(order.stop_limit_s if order.stop_argv else 0.0)
        self._selector = selectors.DefaultSelector()
        self._terminations = 0
        self._requests = b""
        self._said_stuck = False

    def run(self) -> None:
        """Run the command until nothing of it is left."""
        become_subreaper()
        self._listen()
        if not self._start():
            return
        while not self._over():
            for key, _ in self._selector.select(_ENDING_S if self._ender.asked else _IDLE_S):
                key.data()
            self._collect()
            self._census.look(time.monotonic())
        self._output.finish()
        self._census.close()
        _tell(Event.ENDED)

    def _listen(self) -> None:
        """Signals wake the loop; requests, output and the driver's end are met in it."""
        wake, told = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.set_wakeup_fd(told, warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGUSR1, signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        signal_when_parent_ends(signal.SIGUSR1)
        os.set_blocking(_CONTROL, False)
        self._selector.register(wake, selectors.EVENT_READ, lambda: os.read(wake, _CHUNK))
        self._selector.register(_CONTROL, selectors.EVENT_READ, self._on_request)
        self._selector.register(self._output.reader, selectors.EVENT_READ, self._output.take)

    def _start(self) -> bool:
        """Start the command; False when it cannot be."""
        try:
            self._census.begin()
            self._command = self._spawn(self._order.argv)
        except OSError as error:
            self._census.close()
            _tell(Event.FAILED, why=f"{error.filename or self._order.argv[0]}: {error.strerror}")
            return False
        known = identify(self._command)
        _tell(Event.STARTED, pid=self._command, start=known.start if known else "")
        self._census.look(time.monotonic())
        return True

    def _spawn(self, argv: Sequence[str]) -> int:
        """A child in a session of its own (a terminal's Ctrl-C is the driver's business); its id."""
        child = subprocess.Popen(  # noqa: S603  an argument list, no shell
            argv,
            cwd=self._order.folder,
            env=dict(self._order.environment),
            stdin=subprocess.DEVNULL,
            stdout=self._output.writer,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        child.returncode = 0  # it is waited for below, with all others
        return child.pid

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        if number in (signal.SIGTERM, signal.SIGINT):
            self._terminations += 1
            self._end(self._order.grace_s if self._terminations == 1 else 0.0)

    def _on_request(self) -> None:
        content = os.read(_CONTROL, _CHUNK)
        if not content:
            self._selector.unregister(_CONTROL)
            self._begin_end()
        *lines, self._requests = (self._requests + content).split(b"\n")
        for line in lines:
            self._end(json.loads(line)["grace_s"])

    def _collect(self) -> None:
        """Take in what has ended; the command's own end, and the driver's, end the tree."""
        while ended := _waited():
            pid, code = ended
            self._stopper.heard(pid)
            if pid == self._command:
                self._command = 0  # ids are used again
                _tell(Event.EXITED, code=code)
                if code in self._order.unstarted:
                    self._stopper.limit_s = 0.0
                self._begin_end()
        if os.getppid() != self._order.driver:
            self._begin_end()

    def _begin_end(self) -> None:
        """End the tree for a reason that does not make an ending that goes on more urgent."""
        if not self._ender.asked:
            self._end(self._order.grace_s)

    def _end(self, grace_s: float) -> None:
        """End the tree; the first time its own stop command gets its time, a later request can cut it short."""
        self._stopper.grace_s = grace_s
        self._ender.ask(grace_s if self._ender.asked else grace_s + self._stopper.limit_s, time.monotonic())

    def _over(self) -> bool:
        """Step on with the ending; whether nothing is left."""
        if not self._ender.asked:
            return False
        now = time.monotonic()
        if self._stopper.limit_s and not self._ender.forced(now):
            if self._wait_for_stopper(now):
                return False
            self._stopper.limit_s = 0.0
            self._ender.ask(self._stopper.grace_s, now)
        left = self._ender.step(now)
        if left and self._ender.stuck(now) and not self._said_stuck:
            self._said_stuck = True
            _tell(Event.STUCK, pids=[one.process.pid for one in left])
        return not left and not _has_children()

    def _wait_for_stopper(self, now: float) -> bool:
        """Whether the stop command still has its time."""
        if self._stopper.pid is None:
            try:
                self._stopper.began(self._spawn(self._order.stop_argv), now)
            except OSError as error:
                self._output.log.write(f"[stop command: {error.filename}: {error.strerror}]\n".encode())
                return False
        return self._stopper.works(now)


def _waited() -> tuple[int, int] | None:
    """Id and exit code (negative: the signal) of one child that has ended."""
    try:
        pid, status = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None
    return (pid, os.waitstatus_to_exitcode(status)) if pid else None


def _has_children() -> bool:
    """Whether there is a child that runs or was not waited for."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _tell(event: Event, **fields: Any) -> None:  # noqa: ANN401  fields of JSON
    with contextlib.suppress(OSError):  # nobody may listen any more
        os.write(_EVENTS, event_line(event, **fields))


def _read_line() -> bytes:
    line = b""
    while not line.endswith(b"\n") and (content := os.read(_CONTROL, _CHUNK)):
        line += content
    return line


def main() -> None:
    """Read the order, obey it, and leave nothing behind."""
    line = _read_line()
    if not line:
        return  # the driver ended before it said anything
    try:
        Supervisor(read_order(line)).run()
    except BaseException as error:
        ender = TreeEnder(os.getpid())
        ender.ask(0.0, time.monotonic())
        while ender.step(time.monotonic()) and not ender.stuck(time.monotonic()):
            _waited()
            time.sleep(_ENDING_S)
        at = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
        _tell(Event.FAILED, why=at)


if __name__ == "__main__":
    main()
