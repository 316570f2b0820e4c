"""The rooms of the headless server import each other as listed here, and in no circle."""

from functools import cache
from graphlib import TopologicalSorter

import pytest

from tests.test_public_api import inner_arrows

ARROWS = {
    "actor": set(),
    "records": set(),
    "signal_types": set(),
    "town_names": set(),
    "lifetime": set(),
    "version_table": set(),
    "versions": {"version_table"},
    "roads": {"signal_types"},
    "wire": {"actor", "records", "versions"},
    "blueprints": {"actor"},
    "maps": {"actor", "signal_types", "town_names"},
    "world": {"actor", "records", "signal_types", "town_names", "blueprints", "maps"},
    "sensors": {"actor", "versions", "wire", "world"},
    "rpc": {"actor", "town_names", "version_table", "versions", "wire", "blueprints", "world", "sensors"},
    "faults": {"town_names", "versions", "blueprints", "maps", "world"},
    "options": {"faults"},
    "outbox": {"wire"},
    "server": {"versions", "wire", "world", "rpc", "outbox"},
    "serving": {"blueprints", "faults", "lifetime", "maps", "options", "sensors", "server", "versions", "wire"},
    "carla_flags": {"options"},
    "launch": {"carla_flags", "faults", "options", "serving"},
    "installation": {"launch", "maps", "options", "versions"},
    "__main__": {"lifetime", "launch"},
    "__init__": set(),
}
"""Room, or module that lies in none -> what else of the server it imports; nothing more, and nothing less."""


@cache
def found() -> dict[str, set[str]]:
    """Room -> what of the server its modules import, wherever the statement stands."""
    return inner_arrows("headless")


def test_every_room_is_listed() -> None:
    assert found().keys() == ARROWS.keys()


@pytest.mark.parametrize("room", ARROWS)
def test_a_room_imports_what_is_listed(room: str) -> None:
    assert found()[room] == ARROWS[room]


def test_there_is_no_circle() -> None:
    TopologicalSorter(ARROWS).prepare()  # raises where there is one
