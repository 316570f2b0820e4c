"""Notes of this user's processes go to a folder of the test's own; a stand-in for CARLA's folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulation.processes.trees import own_runtime_folder
from tests.simulation.servers.stand_in import make_root

__all__ = ["own_runtime_folder"]


@pytest.fixture
def carla_root(tmp_path: Path) -> Path:
    """A folder like CARLA's, whose script starts the stand-in server; its name asks for quoting."""
    return make_root(tmp_path / "carla's root {port}")
