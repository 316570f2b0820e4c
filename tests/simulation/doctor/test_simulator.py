"""The server's folder and its maps."""

from __future__ import annotations

import importlib.util
import os

import pytest

from bestrand_drive.simulation.doctor import simulator
from bestrand_drive.simulation.doctor.finding import Level
from bestrand_drive.simulation.servers.root import look_into
from tests.simulation.doctor.conftest import make_carla


@pytest.fixture
def no_root(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)


@pytest.mark.usefixtures("no_root")
def test_a_script_that_may_not_be_executed(found, case, monkeypatch):
    """For root everything may be; so the question is answered for another user."""
    monkeypatch.setattr(simulator.os, "access", lambda path, _: bool(path.stat().st_mode & 0o001))
    assert found("server")["server"].level is Level.OK
    binary = case.carla_root / "CarlaUE4/Binaries/Linux/CarlaUE4-Linux-Shipping"
    binary.parent.mkdir(parents=True)
    for path in (binary, case.server.script):
        path.touch(mode=0o644)
        path.chmod(0o644)
        said = found("server")["server"]
        assert said.level is Level.FAIL
        assert "chmod +x" in said.advice
        assert str(path) in said.advice


def test_a_folder_without_the_script(found, tmp_path):
    said = found("server", "towns", carla_root=tmp_path)
    assert said["server"].level is Level.FAIL
    assert "CarlaUE4.sh" in said["server"].said
    assert said["towns"].level is Level.SKIPPED


def test_unreal_does_not_run_as_root(found, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert found("server")["user"].level is Level.WARNING


@pytest.mark.parametrize(("words", "level"), [
    (("sh", "-c", "carla {port}"), Level.OK),
    (("no-such-program-anywhere", "{port}"), Level.FAIL),
    (("sh", "-c", "carla"), Level.FAIL),
    (("sh", "{prot}", "{port}"), Level.FAIL),
])  # fmt: skip
def test_another_way_to_start_it(found, words, level):
    said = found("server", "towns", server_command=words)
    assert said["server"].level is level
    assert said["towns"].level is Level.SKIPPED, "maps in a container are not seen"


def test_towns_of_the_routes(found, tmp_path):
    assert found("towns")["towns"].said == "Town12, Town13"
    said = found("towns", carla_root=make_carla(tmp_path / "small", "Town01", "Town13_Opt"))["towns"]
    assert said.level is Level.FAIL
    assert said.said.startswith("Town12 not in ")
    assert "1 routes" in said.said
    assert "AdditionalMaps" in said.advice
    assert found("towns", carla_root=make_carla(tmp_path / "packed"))["towns"].level is Level.WARNING


def test_routes_that_cannot_be_read(found, case):
    case.routes.write_text("<routes><route")
    assert found("towns")["towns"].level is Level.FAIL


def test_an_installed_headless_server(found, bestrand, tmp_path, build, monkeypatch):
    """What is read from its script is what `bestrand headless install` writes there."""
    if importlib.util.find_spec("carla") is None or importlib.util.find_spec("msgpack") is None:
        pytest.skip("needs carla and msgpack")
    maps = tmp_path / "some maps"
    maps.mkdir()
    (maps / "Town13.xodr").touch()
    call = (
        "headless",
        "install",
        tmp_path / "headless",
        "--maps",
        maps,
        "--map",
        "Town13",
        "--carla-version",
        "0.9.15",
    )
    ran = bestrand(*call)
    assert ran.code == 0, ran.err
    root = look_into(tmp_path / "headless")
    assert (root.headless, root.version, root.towns) == (True, "0.9.15", {"Town13"})
    said = found("server", "towns", "carla client", carla_root=tmp_path / "headless")
    assert "not CARLA's" in said["server"].said
    assert said["carla versions"].level is Level.OK
    assert (said["towns"].level, "--maps" in said["towns"].advice) == (Level.FAIL, True)
    more = tmp_path / "more"
    more.mkdir()
    (more / "Town12.xodr").touch()
    monkeypatch.setenv("BESTRAND_HEADLESS_OPTIONS", f"--maps={more} --carla-version 0.9.16")
    said = found("towns", "carla client", carla_root=tmp_path / "headless")
    assert (said["towns"].level, said["carla versions"].level) == (Level.OK, Level.FAIL)
