"""Loaded by Python at its start when this folder is on PYTHONPATH: two changes around an evaluator, none inside it.

- A sleep of 20 s or more, with which an evaluator waits for Unreal, ends as soon as $CARLA_PORT takes connections.
- Every ``carla.Client`` gets eight worker threads: with as many as a small machine has cores, a batch that ticks waits
  for ever once two sensors listen.

SIGUSR1 writes the stacks of all threads to standard error. Runs under Python 3.7 and later.
"""

from __future__ import annotations

import faulthandler
import functools
import importlib.abc
import importlib.machinery
import os
import signal
import socket
import sys
import time
from types import ModuleType
from typing import Any

LONG_S = 20.0
WORKERS = 8
_sleep = time.sleep


def sleep(seconds: float) -> None:
    """Like ``time.sleep``, but a long one ends once the server answers."""
    port = os.environ.get("CARLA_PORT")
    if seconds < LONG_S or not port:
        return _sleep(seconds)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", int(port)), timeout=1).close()
        except OSError:
            _sleep(0.1)
        else:
            return None
    return None


class ClientThreads(importlib.abc.MetaPathFinder):
    """Finds ``carla`` as Python would, and changes the default of one argument once it is loaded."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """The module's own specification, with a loader that calls ``more_threads`` at its end."""
        if name != "carla":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec and spec.loader:
            execute = spec.loader.exec_module

            def executed(module: ModuleType) -> None:
                execute(module)
                more_threads(module)

            spec.loader.exec_module = executed  # type: ignore[method-assign]
        return spec


def more_threads(carla: ModuleType) -> None:
    """Give the client of this module ``WORKERS`` threads where its caller names none."""
    original = carla.Client.__init__

    @functools.wraps(original)
    def start(self: Any, host: str = "127.0.0.1", port: int = 2000, worker_threads: int = WORKERS) -> None:
        original(self, host, port, worker_threads)

    carla.Client.__init__ = start


time.sleep = sleep  # type: ignore[assignment]
sys.meta_path.insert(0, ClientThreads())
faulthandler.register(signal.SIGUSR1, all_threads=True)
