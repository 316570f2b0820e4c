"""The rooms of ``simulation`` import each other as listed here, and in no circle."""

from functools import cache
from graphlib import TopologicalSorter

import pytest

from tests.test_public_api import inner_arrows

ARROWS = {
    "__init__": set(),
    "heartbeat": set(),
    "stacks": set(),
    "hooks": set(),
    "processes": set(),
    "attempts": {"processes"},
    "adapters": {"heartbeat", "hooks"},
    "servers": {"attempts", "processes"},
    "watchdog": {"attempts", "heartbeat"},
    "slots": {"adapters", "attempts", "heartbeat", "processes", "servers", "stacks", "watchdog"},
    "crews": {"attempts", "processes", "slots"},
    "scheduling": set(),
    "engines": {"attempts", "crews", "scheduling", "slots"},
    "doctor": {"adapters", "attempts", "crews", "processes", "servers"},
}
"""Room, or module that lies in none -> what else of the room it imports; nothing more, and nothing less.

What runs in the evaluator's Python (hooks) shares no module with the driver: it may be another version of Python.
"""


@cache
def found() -> dict[str, set[str]]:
    """Room -> what of ``simulation`` its modules import, wherever the statement stands."""
    return inner_arrows("simulation")


def test_every_room_is_listed() -> None:
    assert found().keys() == ARROWS.keys()


@pytest.mark.parametrize("room", ARROWS)
def test_a_room_imports_what_is_listed(room: str) -> None:
    assert found()[room] == ARROWS[room]


def test_there_is_no_circle() -> None:
    TopologicalSorter(ARROWS).prepare()  # raises where there is one
