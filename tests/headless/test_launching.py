"""The server as a process: command line, CARLA's flags, signals, ports, the installed CARLA_ROOT."""

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.headless.installation import install
from bestrand_drive.headless.launch import IGNORED, carla_flags, command_line
from bestrand_drive.headless.options import ServeOptions
from tests.headless.fakes import Raw

ROOT = Path(__file__).resolve().parents[2]
ROAD = """<?xml version="1.0"?>
<OpenDRIVE><header revMajor="1" revMinor="4" name="" north="0" south="0" east="0" west="0">
<geoReference><![CDATA[+proj=tmerc +lat_0=0 +lon_0=0 +k=1 +x_0=0 +y_0=0 +datum=WGS84]]></geoReference></header>
<road name="a" length="200.0" id="0" junction="-1"><type s="0.0" type="town"/>
<planView><geometry s="0.0" x="0.0" y="0.0"
 hdg="0.0" length="200.0"><line/></geometry></planView><lanes><laneSection s="0.0"><center><lane id="0" type="none"
 level="false"/></center><right><lane id="-1" type="driving" level="false"><width sOffset="0.0" a="3.5" b="0.0" c="0.0"
 d="0.0"/></lane></right></laneSection></lanes></road></OpenDRIVE>"""


@pytest.fixture
def maps(tmp_path):
    folder = tmp_path / "towns with a space"
    folder.mkdir()
    (folder / "Town01.xodr").write_text(ROAD)
    return folder


def free_port() -> int:
    """A port whose successor is free too, most likely."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1] - 1


class Started:
    """A server process and its first line."""

    def __init__(self, *command: object, environment: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [str(part) for part in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
            start_new_session=True,
        )
        self.first_line = self.process.stdout.readline()

    def end(self, number: int) -> tuple[int, str]:
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=20)
        return self.process.returncode, errors


def launcher(maps, *flags):
    return sys.executable, "-m", "bestrand_drive.headless.launch", "--maps", maps, "--", *flags


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_it_says_what_it_is_serves_and_ends_cleanly(maps, number, code):
    port = free_port()
    server = Started(*launcher(maps, f"-carla-rpc-port={port}", "-RenderOffScreen", "-nosound", "-graphicsadapter=1"))
    for part in ("headless", "not CARLA's", f"127.0.0.1:{port}", f"streams on {port + 1}", "0.9.16", "Town01"):
        assert part in server.first_line
    client = Raw(port)
    assert client.call("version") == [[1, "0.9.16"]]
    client.call("make_coffee")
    client.socket.close()
    ended, errors = server.end(number)
    assert ended == code, errors
    assert "Traceback" not in errors
    assert "make_coffee 1" in errors


@pytest.mark.parametrize("offset", [0, 1])
def test_a_busy_port_leaves_with_7_and_names_it(maps, offset):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        busy = taken.getsockname()[1]
        ran = subprocess.run(
            [str(part) for part in launcher(maps, f"-carla-rpc-port={busy - offset}")],
            env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert ran.returncode == 7
    assert f"port {busy} " in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_killed_server_leaves_no_port_behind(maps):
    port = free_port()
    for _ in range(2):
        server = Started(*launcher(maps, f"-carla-rpc-port={port}"))
        client = Raw(port)
        assert client.call("version") == [[1, "0.9.16"]]
        server.end(signal.SIGKILL)
        client.socket.close()


def test_it_ends_with_its_parent(maps):
    port = free_port()
    serve = [sys.executable, "-m", "bestrand_drive", "headless", "serve", "--port", port, "--maps", maps]
    parent = (
        "import subprocess, sys; "
        f"child = subprocess.Popen({[*map(str, serve), '--die-with-parent']!r}, stdout=subprocess.PIPE); "
        "child.stdout.readline(); print(child.pid, flush=True); sys.stdin.readline()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", parent], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        child = int(process.stdout.readline())
        process.kill()
    end = time.monotonic() + 5
    while _runs(child):
        assert time.monotonic() < end, "the server outlived its parent"
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_the_installed_root_serves_with_carlas_flags_whatever_the_python_path(maps, tmp_path):
    root = tmp_path / "carla root"
    script = install(root, ServeOptions(maps=(maps,), carla_version="0.9.15"))
    assert script.stat().st_mode & stat.S_IXUSR
    port = free_port()
    foreign = tmp_path / "foreign"
    (foreign / "carla").mkdir(parents=True)
    (foreign / "carla" / "__init__.py").write_text("raise ImportError('for another Python')")
    server = Started(
        script, "-RenderOffScreen", "-nosound", f"-carla-rpc-port={port}", "-graphicsadapter=0",
        environment={"PYTHONPATH": str(foreign)},
    )  # fmt: skip
    assert "CARLA 0.9.15" in server.first_line
    client = Raw(port)
    assert client.call("version") == [[1, "0.9.15"]]
    client.socket.close()
    command = Path(f"/proc/{server.process.pid}/cmdline").read_text()
    assert "-graphicsadapter=0" in command  # evaluators find and kill their server by it
    assert server.end(signal.SIGTERM)[0] == 0


def test_install_never_overwrites_a_real_carla(maps, tmp_path):
    (tmp_path / "CarlaUE4.sh").write_text("#!/bin/sh\nexec CarlaUE4-Linux-Shipping\n")
    with pytest.raises(UsageError, match="was not written by this command"):
        install(tmp_path, ServeOptions(maps=(maps,)))
    assert "Shipping" in (tmp_path / "CarlaUE4.sh").read_text()


def test_install_twice_is_fine_and_needs_a_town(maps, tmp_path):
    install(tmp_path / "root", ServeOptions(maps=(maps,)))
    install(tmp_path / "root", ServeOptions(maps=(maps,)))
    with pytest.raises(DataRefused, match=r"no \*\.xodr"):
        install(tmp_path / "other", ServeOptions(maps=(tmp_path,)))


def test_carlas_flags_become_options():
    options, unknown = carla_flags(
        ["-RenderOffScreen", "-carla-rpc-port=3000", "-carla-streaming-port=0", "/Game/Carla/Maps/Town02", "-what=1"],
        ServeOptions(maps=()),
    )
    assert (options.port, options.streaming_port, options.map_name) == (3000, 0, "/Game/Carla/Maps/Town02")
    assert unknown == ["-what=1"]
    assert all(flag == flag.lower() for flag in IGNORED)


@pytest.mark.parametrize("flag", ["-carla-rpc-port=", "-carla-rpc-port=x", "-carla-rpc-port=70000", "-carla-port=-1"])
def test_a_port_that_is_none_is_refused(flag):
    with pytest.raises(UsageError, match="port"):
        carla_flags([flag], ServeOptions(maps=()))


def test_a_whole_command_line():
    options, unknown = command_line(["--maps", "a", "--maps", "b", "--map=Town02", "--seed=3", "--", "-nosound"])
    assert options == ServeOptions(maps=(Path("a"), Path("b")), map_name="Town02", seed=3)
    assert unknown == []


def test_a_missing_extra_is_named(bestrand, maps, monkeypatch):
    monkeypatch.setitem(sys.modules, "carla", None)
    ran = bestrand("headless", "serve", "--maps", maps)
    assert ran.code == 7
    assert "pip install 'bestrand-drive[headless]'" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--map", "Town99"), 4, "Town99"),
        (("--carla-version", "0.9.99"), 2, "0.9.16, 0.9.15"),
    ],
)
def test_wrong_options_are_explained(bestrand, maps, arguments, code, said):
    ran = bestrand("headless", "serve", "--maps", maps, *arguments)
    assert ran.code == code
    assert said in ran.err


def test_the_command_line_installs(bestrand, maps, tmp_path):
    ran = bestrand("headless", "install", tmp_path / "root", "--maps", maps)
    assert ran.code == 0
    assert f"CARLA_ROOT={tmp_path / 'root'}" in ran.out
