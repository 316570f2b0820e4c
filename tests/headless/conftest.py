"""Towns that are quickly loaded, for servers as processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.headless.processes import ROAD


@pytest.fixture
def maps(tmp_path: Path) -> Path:
    """A folder with two towns of one road."""
    folder = tmp_path / "towns with a space"
    folder.mkdir()
    for name in ("Town01", "Town02"):
        (folder / f"{name}.xodr").write_text(ROAD)
    return folder
