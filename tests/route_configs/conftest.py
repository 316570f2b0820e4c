"""The towns and routes that come with the package, as carla and ElementTree read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from bestrand_drive.files import shipped_folder

TOWNS = ("BestrandCity", "BestrandHighway")


@pytest.fixture(scope="session")
def folder() -> Path:
    """Where towns and routes lie."""
    return shipped_folder("route_configs") / "builtin"


@pytest.fixture(scope="session")
def texts(folder: Path) -> dict[str, str]:
    """OpenDRIVE text by town."""
    return {name: (folder / "towns" / f"{name}.xodr").read_text() for name in TOWNS}


@pytest.fixture(scope="session")
def maps(texts: dict[str, str]) -> dict[str, Any]:
    """``carla.Map`` by town."""
    carla = pytest.importorskip("carla")
    return {name: carla.Map(name, text) for name, text in texts.items()}


@pytest.fixture(scope="session")
def routes(folder: Path) -> list[Element]:
    """All routes."""
    return ElementTree.parse(folder / "routes.xml").getroot().findall("route")
