"""Loaded by the evaluator's Python at its start, because this folder is first on PYTHONPATH; no file of it is edited.

- The sleep with which an evaluator waits for the server it started (``time.sleep`` of 20 s or more, called from
  ``leaderboard_evaluator*.py``) ends as soon as the server answers; never later than asked.
- Every ``carla.Client`` gets eight worker threads where its caller names none: with as many as a small machine has
  cores, a batch that ticks waits for ever once two Python sensors listen (the binding holds the GIL meanwhile).
- The calls of the main thread that step or load a world write where they are into the small file
  ``$BESTRAND_HEARTBEAT``; the format is read by ``bestrand_drive.simulation.heartbeat``. Only the process that loads
  ``carla`` first writes.
- SIGUSR1 prints the stacks of all threads to standard error.

Runs under Python 3.7 to 3.12 with the standard library alone. Whatever fails in here is said once on standard error,
and the evaluator goes on as if this file were not there. Another ``sitecustomize`` on the path is run too.
"""

from __future__ import annotations

import faulthandler
import functools
import importlib.abc
import importlib.machinery
import importlib.util
import mmap
import os
import signal
import socket
import struct
import sys
import threading
import time
import zlib
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

LONG_S = 20.0
WORKERS = 8
FORMAT = "<4sHHIQQQd32s"
"""Magic, version, state, pid, changes, ticks, frame, monotonic time of the last change, town; then a CRC-32."""
MAGIC, VERSION = b"BSHB", 1
START, LOAD, TICK, BETWEEN = range(4)
LOADS = ("load_world", "load_world_if_different", "reload_world", "generate_opendrive_world")
VERSION_CALL = b"\x94\x00\x01\xa7version\x91\x91\xc2"
"""MessagePack of ``[0, 1, "version", [[false]]]``, CARLA's simplest remote call."""
_sleep = time.sleep
_noted: list[str] = []


def quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose failure is noted once, and gives None."""

    @functools.wraps(function)
    def guarded(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except Exception as error:  # nothing in here may end the evaluator
            if not _noted:
                _noted.append(repr(error))
                print(f"bestrand hooks: {function.__name__}: {error!r}; going on without", file=sys.stderr)
            return None

    return guarded


def sleep(seconds: float) -> None:
    """Like ``time.sleep``, but the wait for a server ends once it answers."""
    port = awaited_port(seconds, sys._getframe(1))
    if port is None:
        return _sleep(seconds)
    end = time.monotonic() + seconds
    while time.monotonic() < end and not answers(port):
        _sleep(max(0.0, min(0.2, end - time.monotonic())))
    return None


@quiet
def awaited_port(seconds: float, caller: FrameType) -> int | None:
    """The port that the caller waits for, if it is an evaluator's start of a server."""
    name = os.path.basename(caller.f_code.co_filename)
    if seconds < LONG_S or not name.startswith("leaderboard_evaluator"):
        return None
    port = getattr(caller.f_locals.get("args"), "port", None)
    return None if port is None else int(port)


def answers(port: int) -> bool:
    """Whether a server answers a call; listening is not enough."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as peer:
            peer.sendall(VERSION_CALL)
            return peer.recv(1) == b"\x94"
    except OSError:
        return False


class Heart:
    """Writes where the evaluator is; the file is mapped, so that a write is a copy of 80 bytes.

    Told by one thread alone, whose calls nest: each restores the state it found.
    """

    def __init__(self, path: str) -> None:
        self._body = struct.Struct(FORMAT)
        size = self._body.size + 4
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            os.write(handle, bytes(size))  # a hole would be filled when it is written: a full disk ends us then
            self._map: mmap.mmap | None = mmap.mmap(handle, size)
        finally:
            os.close(handle)
        self.state, self.changes, self.ticks, self.frame, self.town = START, 0, 0, 0, b""
        os.register_at_fork(after_in_child=self.stop)
        self.write()

    def stop(self) -> None:
        """A child that goes on with our memory is not the evaluator."""
        self._map = None

    def write(self) -> None:
        """Put all down."""
        if self._map is None:
            return
        self.changes += 1
        now = time.monotonic()
        counts = (self.changes, self.ticks, self.frame)
        body = self._body.pack(MAGIC, VERSION, self.state, os.getpid(), *counts, now, self.town)
        self._map[:] = body + struct.pack("<I", zlib.crc32(body))

    @quiet
    def enter(self, state: int, arguments: tuple[Any, ...], named: dict[str, Any]) -> int:
        """A call begins; the state before."""
        before, self.state = self.state, state
        if state == LOAD:
            name = named.get("map_name", arguments[0] if arguments else "")
            known = isinstance(name, str) and len(name) < 200  # an OpenDRIVE text is no name
            self.town = name.split("/")[-1].encode("utf-8", "replace")[:32] if known else b""
        self.write()
        return before

    @quiet
    def leave(self, before: int, answer: Any = None) -> None:
        """A call ended; ``answer`` is that of one that ticked: a frame, a snapshot that has one, or a batch's."""
        self.state = before if before in (LOAD, TICK) else BETWEEN
        if answer is not None:
            frame = answer if isinstance(answer, int) else getattr(answer, "frame", self.frame + 1)
            self.ticks += frame != self.frame
            self.frame = frame
        self.write()


def watch(heart: Heart, owner: Any, name: str, state: int, concerns: Callable[..., bool]) -> None:
    """Have a method of CARLA tell the heart when it begins and ends."""
    original = getattr(owner, name, None)
    if original is None:
        return

    @functools.wraps(original)
    def watched(self: Any, *arguments: Any, **named: Any) -> Any:
        if not drives() or not concerns(*arguments, **named):
            return original(self, *arguments, **named)
        before = heart.enter(state, arguments, named)
        answer = None
        try:
            answer = original(self, *arguments, **named)
        finally:
            heart.leave(before, answer if state == TICK else None)
        return answer

    setattr(owner, name, watched)


def drives() -> bool:
    """Whether the main thread calls, in which evaluators drive.

    Another one builds scenarios meanwhile and waits there for the main one's ticks, as long as an agent takes.
    """
    return threading.get_ident() == threading.main_thread().ident


def always(*_: Any, **__: Any) -> bool:
    """For calls that always load or tick."""
    return True


def asked_to_tick(*arguments: Any, **named: Any) -> bool:
    """For a batch: the commands, and whether to tick (an argument of several names in CARLA's versions)."""
    return any(arguments[1:]) or any(value for name, value in named.items() if name != "commands")


@quiet
def more_threads(carla: ModuleType) -> None:
    """Give a client ``WORKERS`` threads where its caller names none."""
    original = carla.Client.__init__

    @functools.wraps(original)
    def start(self: Any, *arguments: Any, **named: Any) -> Any:
        if len(arguments) >= 3 or "worker_threads" in named:
            return original(self, *arguments, **named)
        try:
            return original(self, *arguments, worker_threads=WORKERS, **named)
        except TypeError:  # another CARLA, without this argument
            return original(self, *arguments, **named)

    carla.Client.__init__ = start


@quiet
def heartbeat(carla: ModuleType) -> None:
    """Have CARLA's calls write to the file that the environment names; children of this process do not."""
    path = os.environ.pop("BESTRAND_HEARTBEAT", "")
    if not path:
        return
    heart = Heart(path)
    for name in LOADS:
        watch(heart, carla.Client, name, LOAD, always)
    watch(heart, carla.Client, "apply_batch_sync", TICK, asked_to_tick)
    watch(heart, carla.World, "tick", TICK, always)
    watch(heart, carla.World, "wait_for_tick", TICK, always)


class Changing(importlib.abc.Loader):
    """Loads ``carla`` as its own loader would, then changes it; Python 3.7 loads eggs by another method."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Any:
        """As its own loader."""
        create = getattr(self._loader, "create_module", None)
        return create(spec) if create else None

    def exec_module(self, module: ModuleType) -> None:
        """As its own loader, and the changes."""
        if hasattr(self._loader, "exec_module"):
            self._loader.exec_module(module)
        else:
            self._loader.load_module(module.__name__)
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        more_threads(module)
        heartbeat(module)


class Finder(importlib.abc.MetaPathFinder):
    """Finds ``carla`` where the other finders find it."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        """Their specification, with our loader around theirs."""
        return self._changed(name, path, target) if name == "carla" else None

    @quiet
    def _changed(self, name: str, path: Any, target: Any) -> Any:
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find and finder is not self else None
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = Changing(spec.loader)
                return spec
        return None


@quiet
def shadowed() -> None:
    """Run the ``sitecustomize`` that Python would have loaded without us."""
    here = os.path.dirname(os.path.realpath(__file__))
    rest = [folder for folder in sys.path if os.path.realpath(folder or os.curdir) != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


@quiet
def stacks_on_signal() -> None:
    """SIGUSR1 shows where every thread is."""
    faulthandler.register(signal.SIGUSR1, all_threads=True)


if __name__ == "sitecustomize" and not hasattr(sys, "_bestrand_hooks"):
    setattr(sys, "_bestrand_hooks", True)  # noqa: B010  the shadowed one may in turn look for us
    shadowed()
    time.sleep = sleep  # type: ignore[assignment]  # its type also allows SupportsIndex, which nobody passes
    sys.meta_path.insert(0, Finder())
    stacks_on_signal()
