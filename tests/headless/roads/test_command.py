"""``bestrand headless map-from-routes`` from route files to towns."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Ran

Command = Callable[..., "Ran"]


def element(
    route_id: int, x: float = 0.0, town: str = "Town12", kind: str = "PedestrianCrossing", extra: str = ""
) -> str:
    """One <route> of 60 places, straight to the east."""
    places = "".join(f'<position x="{x + 2 * index}" y="5.0" z="1.0"/>' for index in range(60))
    trigger = f'<trigger_point x="{x + 20}" y="5.0" z="1.0" yaw="0.0"/>{extra}'
    scenario = f'<scenario name="{kind}_1" type="{kind}">{trigger}</scenario>'
    return (
        f'<route id="{route_id}" town="{town}"><waypoints>{places}</waypoints><scenarios>{scenario}</scenarios></route>'
    )


def written(path: Path, *elements: str) -> Path:
    """A route file."""
    path.write_text(f"<routes>{''.join(elements)}</routes>")
    return path


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_same_routes_give_the_same_files(bestrand: Command, tmp_path: Path) -> None:
    routes = written(tmp_path / "r.xml", element(1), element(2, 3000), element(3, town="Town13"))
    for name in ("a", "b"):
        assert bestrand("headless", "map-from-routes", routes, "--out", tmp_path / name).code == 0
    found = contents(tmp_path / "a")
    assert list(found) == ["Town12.xodr", "Town13.xodr"]
    assert found == contents(tmp_path / "b")


def test_routes_that_come_near_each_other_get_a_folder_each(bestrand: Command, tmp_path: Path) -> None:
    routes = written(tmp_path / "r.xml", element(1), element(2, 50), element(3, town="Town13"))
    ran = bestrand("headless", "map-from-routes", routes, "--out", tmp_path / "maps")
    assert ran.code == 0
    assert list(contents(tmp_path / "maps")) == ["1/Town12.xodr", "2/Town12.xodr", "Town13.xodr"]
    assert "3 routes in 3 files" in ran.out
    assert "made up" in ran.out


def test_a_folder_of_route_files_is_taken_as_one(bestrand: Command, tmp_path: Path) -> None:
    folder = tmp_path / "split"
    folder.mkdir()
    written(folder / "b.xml", element(2, 3000))
    written(folder / "a.xml", element(1))
    assert bestrand("headless", "map-from-routes", folder, "--out", tmp_path / "maps").code == 0
    assert list(contents(tmp_path / "maps")) == ["Town12.xodr"]


def test_a_type_that_is_not_known_is_named_and_gets_a_street(bestrand: Command, tmp_path: Path) -> None:
    routes = written(tmp_path / "r.xml", element(1, kind="MeteorStrike"))
    ran = bestrand("headless", "map-from-routes", routes, "--out", tmp_path / "maps")
    assert ran.code == 0
    assert "MeteorStrike" in ran.out
    assert b"<road " in contents(tmp_path / "maps")["Town12.xodr"]


FAR = element(1).replace('x="4.0"', 'x="1e12"')
FAR_TRIGGER = element(1).replace('point x="20.0"', 'point x="9e4"')
TURNED = element(1).replace('yaw="0.0"', 'yaw="1e300"')
HALTS = re.sub(r'(<position x=)"[^"]*"', r'\1"4.0"', element(1))
FLOW = '<start_actor_flow x="1e8" y="1" z="1"/>'
PLACE = '<start_actor_flow x="east" y="1" z="1"/>'
BAD = {
    "doctype": ("<!DOCTYPE routes><routes/>", 4, "DOCTYPE"),
    "town": (f"<routes>{element(1, town='../../etc/Town12')}</routes>", 4, "town"),
    "town of dots": (f"<routes>{element(1, town='..')}</routes>", 4, "town"),
    "no trigger": (f"<routes>{element(1).replace('trigger_point', 'elsewhere')}</routes>", 4, "trigger_point"),
    "no yaw": (f"<routes>{element(1).replace(' yaw=', ' why=')}</routes>", 4, "yaw"),
    "a place without numbers": (f"<routes>{element(1, extra=PLACE)}</routes>", 4, "start_actor_flow"),
    "far away": (f"<routes>{FAR}</routes>", 4, "r.xml: route 1: a waypoint"),
    "a long town": (f"<routes>{element(1, town='T' * 300)}</routes>", 4, "r.xml: route 1: town 'TTTT"),
    "no length": (f"<routes>{HALTS}</routes>", 4, "r.xml: route 1: its waypoints are 0 m long"),
    "a far flow": (f"<routes>{element(1, extra=FLOW)}</routes>", 4, "r.xml: route 1: the start_actor_flow"),
    "a far trigger": (f"<routes>{FAR_TRIGGER}</routes>", 4, "the trigger_point"),
    "an endless turn": (f"<routes>{TURNED}</routes>", 4, "r.xml: route 1: the yaw of its PedestrianCrossing"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused_and_nothing_is_written(bestrand: Command, tmp_path: Path, case: str) -> None:
    text, code, word = BAD[case]
    (tmp_path / "r.xml").write_text(text)
    ran = bestrand("headless", "map-from-routes", tmp_path / "r.xml", "--out", tmp_path / "maps")
    assert (ran.code, word in ran.err) == (code, True), ran.err
    assert not (tmp_path / "maps").exists()


def test_one_id_in_two_files_is_refused(bestrand: Command, tmp_path: Path) -> None:
    files = [written(tmp_path / f"{name}.xml", element(1)) for name in "ab"]
    ran = bestrand("headless", "map-from-routes", *files, "--out", tmp_path / "maps")
    assert ran.code == 4
    assert "same id: 1;" in ran.err


def test_an_empty_folder_is_a_usage_error(bestrand: Command, tmp_path: Path) -> None:
    ran = bestrand("headless", "map-from-routes", tmp_path, "--out", tmp_path / "maps")
    assert ran.code == 2
    assert f"{tmp_path} holds no *.xml file" in ran.err
