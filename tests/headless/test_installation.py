"""The installed CARLA_ROOT: its script serves under CARLA's flags and harms nothing that was there."""

import signal
import stat
from pathlib import Path

import pytest

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.headless.installation import install
from bestrand_drive.headless.launch import VARIABLE
from bestrand_drive.headless.options import ServeOptions
from tests.headless.processes import Started
from tests.ports import free_ports


def test_the_script_serves_with_carlas_flags_whatever_the_python_path(maps, tmp_path):
    script = install(tmp_path / "carla root", ServeOptions(maps=(maps,), carla_version="0.9.15"))
    assert script.stat().st_mode & stat.S_IXUSR
    foreign = tmp_path / "foreign"
    (foreign / "carla").mkdir(parents=True)
    (foreign / "carla" / "__init__.py").write_text("raise ImportError('for another Python')")
    port = free_ports(2)
    flags = ("-RenderOffScreen", "-nosound", f"-carla-rpc-port={port}", "-graphicsadapter=0", "-fps", "20", "-what=1")
    with Started(tmp_path, script, *flags, environment={"PYTHONPATH": str(foreign)}) as server:
        line = server.first_line()
        assert "CARLA 0.9.15" in line
        assert "map Carla/Maps/Town01" in line
        client = server.peer(port)
        assert client.call("version") == [[1, "0.9.15"]]
        command = Path(f"/proc/{server.process.pid}/cmdline").read_text()
        assert "-graphicsadapter=0" in command  # evaluators find and kill their server by it
        assert server.end(signal.SIGTERM) == 0
        assert server.errors == "headless server: flags without a meaning here: -what=1\n"


def test_the_script_begins_in_synchronous_mode_when_told_to(bestrand, maps, tmp_path):
    ran = bestrand("headless", "install", tmp_path / "root", "--maps", maps, "--synchronous", "--map", "Town02")
    assert ran.code == 0
    port = free_ports(2)
    with Started(tmp_path, tmp_path / "root" / "CarlaUE4.sh", f"-carla-rpc-port={port}") as server:
        assert "Town02" in server.first_line()
        settings = server.peer(port).call("get_episode_settings")
        assert settings[0][1][0] is True


def test_faults_come_from_the_command_and_from_the_variable(bestrand, maps, tmp_path):
    ran = bestrand("headless", "install", tmp_path / "root", "--maps", maps, "--fault", "wrong-version=0.8.1")
    assert ran.code == 0
    port = free_ports(2)
    more = {VARIABLE: "--synchronous --fault oom-exit@tick=1"}
    with Started(tmp_path, ran.out.split()[0], f"-carla-rpc-port={port}", environment=more) as server:
        server.first_line()
        client = server.peer(port)
        assert client.call("version") == [[1, "0.8.1"]]
        with pytest.raises(ConnectionError):
            client.call("tick_cue")
        assert server.code() == -signal.SIGKILL


def test_a_real_carla_is_never_overwritten(maps, tmp_path):
    (tmp_path / "CarlaUE4.sh").write_text("#!/bin/sh\nexec CarlaUE4-Linux-Shipping\n")
    with pytest.raises(UsageError, match="was not written by this command"):
        install(tmp_path, ServeOptions(maps=(maps,)))
    assert "Shipping" in (tmp_path / "CarlaUE4.sh").read_text()


def test_installing_twice_is_fine_and_the_last_one_holds(maps, tmp_path):
    install(tmp_path / "root", ServeOptions(maps=(maps,), seed=1))
    script = install(tmp_path / "root", ServeOptions(maps=(maps,), seed=2))
    assert "--seed=2" in script.read_text()


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"map_name": "Town99"}, DataRefused, "--map Town99: no such town; there are Town01, Town02"),
        ({"carla_version": "0.9.99"}, UsageError, "--carla-version 0.9.99: not one of 0.9.16"),
        ({"maps": "nowhere"}, UsageError, "nowhere: there is no such folder"),
        ({"maps": "."}, DataRefused, r"no \*\.xodr file"),
    ],
)
def test_what_every_start_would_refuse_is_refused_at_once(maps, tmp_path, options, error, said):
    options = {**options, "maps": (tmp_path / options["maps"] if "maps" in options else maps,)}
    with pytest.raises(error, match=said):
        install(tmp_path / "root", ServeOptions(**options))
    assert not (tmp_path / "root").exists()


def test_a_file_in_the_folder_s_place_is_named(maps, tmp_path):
    (tmp_path / "root").write_text("")
    with pytest.raises(UsageError, match="root is a file"):
        install(tmp_path / "root", ServeOptions(maps=(maps,)))


def test_the_command_line_installs(bestrand, maps, tmp_path):
    ran = bestrand("headless", "install", tmp_path / "root", "--maps", maps)
    assert ran.code == 0
    assert f"CARLA_ROOT={tmp_path / 'root'}" in ran.out
