"""The rooms of the headless server import each other in one direction only."""

from pathlib import Path

import pytest

from bestrand_drive import headless
from tests.test_public_api import imported, modules

HERE = Path(headless.__file__).parent
NEVER = {
    "wire": {"world", "maps", "blueprints", "sensors", "rpc", "server"},
    "world": {"wire", "sensors", "rpc", "server"},
    "maps": {"wire", "world.world", "sensors", "rpc", "server"},
    "blueprints": {"wire", "world.world", "sensors", "rpc", "server"},
    "sensors": {"rpc", "server", "outbox", "maps"},
    "rpc": {"server", "outbox"},
}
"""Room -> what it must know nothing of."""


@pytest.mark.parametrize("room", NEVER)
def test_inner_arrows(room):
    seen = 0
    for _, path, tree in modules():
        if path.is_relative_to(HERE / room):
            seen += 1
            names = {name.removeprefix("bestrand_drive.headless.") for name in imported(tree)}
            wrong = {name for name in names for never in NEVER[room] if f"{name}.".startswith(f"{never}.")}
            assert not wrong, path
    assert seen > 2
