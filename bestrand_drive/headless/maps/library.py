"""Finds towns by name among folders of OpenDRIVE files and keeps the loaded ones."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bestrand_drive.errors import DataRefused
from bestrand_drive.files import read_bytes, sha256_bytes
from bestrand_drive.headless.maps.proof import Look
from bestrand_drive.headless.maps.road_map import RoadMap
from bestrand_drive.headless.town_names import spellings

LONGEST_NAME = 120
"""Characters of a town's name; file systems take no more than twice that."""
KEPT_MAPS = 12
"""Maps kept loaded, the most recently used ones; clients may generate any number."""
KEPT_CHARACTERS = 1 << 28
"""Of their texts together, but for the last map's."""


class MapLibrary:
    """Towns in folders, by the name of their file.

    A loaded town is kept under the hash of its text: an evaluator reloads the same town before every route.
    """

    def __init__(self, folders: Path | Iterable[Path], look: Look = lambda: None) -> None:
        """Nothing is loaded yet.

        Args:
            folders: Of the towns' files.
            look: See ``proof.Look``.
        """
        self._look = look
        self._folders = [folders] if isinstance(folders, Path) else list(folders)
        self._loaded: dict[str, RoadMap] = {}

    def names(self) -> list[str]:
        """Names of all towns, sorted."""
        return sorted({path.stem for folder in self._folders for path in folder.glob("*.xodr")})

    def find(self, name: str) -> Path | None:
        """File of a town called ``Town01``, ``Carla/Maps/Town01`` or ``Town01_Opt`` (the same roads)."""
        stems = spellings(name)
        if len(stems[0]) > LONGEST_NAME:
            return None
        for stem in stems:
            for folder in self._folders:
                path = folder / f"{stem}.xodr"
                if stem and path.is_file():
                    return path
        return None

    def load(self, name: str) -> RoadMap:
        """Load a town.

        Raises:
            DataRefused: No such town, or its file cannot be read.
        """
        path = self.find(name)
        if path is None:
            raise DataRefused(f"No town {name[:LONGEST_NAME]!r}; there are {', '.join(self.names()) or 'none'}.")
        try:
            text = read_bytes(path).decode("utf-8")
        except UnicodeDecodeError as error:
            raise DataRefused(f"{path}: not UTF-8 text.") from error
        try:
            return self.from_text(path.stem, text)
        except DataRefused as error:
            raise DataRefused(f"{path}: {error}") from error

    def from_text(self, name: str, xodr: str) -> RoadMap:
        """Load OpenDRIVE text, or find it among the loaded ones.

        Raises:
            DataRefused: It cannot be read.
        """
        key = sha256_bytes(f"{name}\n{xodr}".encode("utf-8", "surrogatepass"))  # what is no text is refused below
        known = self._loaded.pop(key, None) or RoadMap(name, xodr, self._look)
        self._loaded[key] = known  # last in the dict: most recently used
        while len(self._loaded) > KEPT_MAPS or (len(self._loaded) > 1 and self._size() > KEPT_CHARACTERS):
            del self._loaded[next(iter(self._loaded))]
        return known

    def _size(self) -> int:
        """Characters of all texts that are kept."""
        return sum(len(road_map.xodr) for road_map in self._loaded.values())
