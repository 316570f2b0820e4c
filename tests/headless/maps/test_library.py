"""Finding towns by CARLA's names and keeping the loaded ones."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from bestrand_drive.errors import DataRefused
from bestrand_drive.headless.maps import library
from bestrand_drive.headless.maps.library import MapLibrary
from tests.headless.world.mini import MINI_XODR


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "Town01.xodr").write_text(MINI_XODR)
    (tmp_path / "Copy.xodr").write_text(MINI_XODR)
    (tmp_path / "Broken.xodr").write_text("<nothing")
    (tmp_path / "Latin.xodr").write_bytes(b"\xff\xfe\xfa")
    return tmp_path


@pytest.mark.parametrize("name", ["Town01", "Carla/Maps/Town01", "/Game/Carla/Maps/Town01", "Town01_Opt"])
def test_every_name_of_a_town_finds_one_and_the_same_map(folder: Path, name: str) -> None:
    library = MapLibrary(folder)
    assert library.load(name) is library.load("Town01")


def test_names_are_sorted_over_all_folders_and_the_first_that_has_a_town_gives_it(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    for name in ("Town01", "Apart"):
        (other / f"{name}.xodr").write_text(MINI_XODR)
    maps = MapLibrary([folder, other])
    assert maps.names() == ["Apart", "Broken", "Copy", "Latin", "Town01"]
    assert [maps.find(name) for name in ("Town01", "Apart")] == [folder / "Town01.xodr", other / "Apart.xodr"]
    assert MapLibrary([other, folder]).find("Town01") == other / "Town01.xodr"


def test_changed_text_is_loaded_anew(folder: Path) -> None:
    library = MapLibrary(folder)
    before = library.load("Town01")
    (folder / "Town01.xodr").write_text(MINI_XODR.replace('max="30"', 'max="40"'))
    assert library.load("Town01") is not before


@pytest.mark.parametrize(
    ("name", "says"), [("Town99", "Copy"), ("", "No town"), ("Broken", "cannot be read"), ("Latin", "UTF-8")]
)
def test_what_cannot_be_loaded_is_refused_with_a_reason(folder: Path, name: str, says: str) -> None:
    with pytest.raises(DataRefused, match=says):
        MapLibrary(folder).load(name)


def test_the_maps_used_last_are_kept_and_no_more_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def make(name: str, text: str, _look: object) -> object:
        made.append(name)
        return SimpleNamespace(xodr=text)

    monkeypatch.setattr(library, "RoadMap", make)
    monkeypatch.setattr(library, "KEPT_MAPS", 3)
    maps = MapLibrary([])
    first = maps.from_text("a", "")
    for name in "bc":
        maps.from_text(name, "")
    assert maps.from_text("a", "") is first
    maps.from_text("d", "")  # b is the one that was not used for longest
    assert maps.from_text("a", "") is first
    assert made == ["a", "b", "c", "d"]
    for name in "cdb":
        maps.from_text(name, "")
    assert made == ["a", "b", "c", "d", "b"]


def test_a_name_cannot_leave_the_folders(folder: Path) -> None:
    (folder / "inner").mkdir()
    assert MapLibrary(folder / "inner").find("../Town01") is None
