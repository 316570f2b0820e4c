"""Loading an agent's file, and making sure that it does not take for ever."""

from __future__ import annotations

import contextlib
import importlib
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from bestrand_drive.evaluator.agent_api.installing import install


class AgentTooSlow(RuntimeError):
    """The agent did not answer in time."""


def load_agent(path: Path) -> type[Any]:
    """The agent's class, from its file; its folder becomes importable, as under the leaderboard.

    Raises:
        Exception: Whatever the file raises.
    """
    install()
    sys.path.insert(0, str(path.resolve().parent))
    module = importlib.import_module(path.stem)
    agent: type[Any] = getattr(module, module.get_entry_point())
    return agent


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise ``AgentTooSlow`` in the block once it takes longer; only in the main thread."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def _ring(_number: int, _frame: FrameType | None) -> None:
    raise AgentTooSlow("the agent took too long")


def arm() -> None:
    """Once a process, before ``within``."""
    signal.signal(signal.SIGALRM, _ring)
