"""Which routes are driven, and on which map."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real_evaluator import at_hand
from tests.real_evaluator.driving import install
from tests.real_evaluator.jobs import Job, evenly, jobs, map_folder, one_of_each, towns_in

XODR = "x" * 2000


def job(route: str = "7", town: str = "Town12", scenarios: tuple[str, ...] = ("A",), file: str = "routes.xml") -> Job:
    return Job(Path(file), route, town, scenarios)


def test_routes_are_read_in_file_order(build, tmp_path):
    file, towns = tmp_path / "routes.xml", ("Town01", "Town12", "Town01")
    file.write_bytes(build.routes(*(build.route(k, town=town) for k, town in enumerate(towns))))
    assert [(job.route, job.town) for job in jobs(file)] == [("0", "Town01"), ("1", "Town12"), ("2", "Town01")]
    assert [job.route for job in jobs(tmp_path, ["2"])] == ["2"]


def test_a_route_is_driven_on_its_own_map_then_on_its_towns(tmp_path):
    """As two maps of one town, each around a route."""
    towns, made = tmp_path / "towns", tmp_path / "made"
    for file in (towns / "Town01.xodr", made / "7/Town12.xodr", made / "8/Town12.xodr", made / "Town13.xodr"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(XODR)
    (towns / "Town12.xodr").write_text("version https://git-lfs.github.com/spec/v1\n")
    both = [towns, made]
    assert [map_folder(both, job(route)) for route in "789"] == [made / "7", made / "8", None]
    assert map_folder(both, job("7", "Town13")) == made
    assert map_folder(both, job("7", "Town01")) == towns
    (towns / "Town12.xodr").write_text(XODR)
    assert map_folder(both, job("7")) == towns
    assert map_folder(both[::-1], job("7")) == made / "7"
    assert towns_in(towns) == ["Town01", "Town12"]


def test_one_of_each_is_the_first_of_a_type_or_of_a_class():
    of_types = [job("1", scenarios=("A",)), job("2", scenarios=("B",)), job("3", scenarios=("A",))]
    assert [one.route for one in one_of_each(of_types)] == ["1", "2"]
    files = {"Base_Wall_0095.xml": (), "Base_Wall_0096.xml": ("A",), "Generalization_Wall_1095.xml": ("A",)}
    of_classes = [job(file[-6:-4], scenarios=types, file=file) for file, types in files.items()]
    assert [one.title for one in one_of_each(of_classes)] == ["Base_Wall: no scenario", "Generalization_Wall: A"]


@pytest.mark.parametrize(("count", "chosen"), [(1, "0"), (2, "05"), (3, "036"), (10, "0123456789"), (99, "0123456789")])
def test_some_are_spread_over_all(count, chosen):
    assert "".join(one.route for one in evenly([job(str(k)) for k in range(10)], count)) == chosen


@pytest.fixture
def split(build, tmp_path, monkeypatch) -> Path:
    """Fail2Drive's routes: the two of a pair."""
    folder = tmp_path / "fail2drive" / at_hand.ROUTES["fail2drive"].inside
    folder.mkdir(parents=True)
    for name in ("Base_Wall_0095", "Generalization_Wall_1095"):
        (folder / f"{name}.xml").write_bytes(build.routes(build.route(int(name[-4:]), town="Town13")))
    monkeypatch.setenv("FAIL2DRIVE_ROOT", str(tmp_path / "fail2drive"))
    monkeypatch.delenv("EVALUATOR_MAPS", raising=False)
    return folder


def test_fail2drives_routes_are_at_hand_without_their_town(split, monkeypatch):
    assert [job.kind for job in at_hand.routes("fail2drive")] == ["Base_Wall", "Generalization_Wall"]
    monkeypatch.setenv("EVALUATOR_ROUTES", "1")
    assert [job.route for job in at_hand.routes("fail2drive")] == ["95"]


def test_each_gets_a_map_of_its_own(split, tmp_path):
    first, second = (at_hand.folder_of(job, tmp_path / job.route) for job in at_hand.routes("fail2drive"))
    assert towns_in(first) == towns_in(second) == ["Town13"]
    assert first != second


def test_its_town_is_taken_where_it_is_at_hand(split, tmp_path, monkeypatch):
    (tmp_path / "Town13.xodr").write_text(XODR)
    monkeypatch.setenv("EVALUATOR_MAPS", str(tmp_path))
    assert {at_hand.folder_of(job, tmp_path / "none") for job in at_hand.routes("fail2drive")} == {tmp_path}


def test_a_server_is_told_to_end_with_its_evaluator(tmp_path):
    """That it does is the matter of the launching tests."""
    (tmp_path / "Town13.xodr").write_text(XODR)
    script = (install(tmp_path / "carla", tmp_path) / "CarlaUE4.sh").read_text()
    assert "--die-with-parent" in script
    assert "Town13" in script
