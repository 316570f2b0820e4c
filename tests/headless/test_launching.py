"""The server as a process: command line, signals at any time, ports, its parent's end."""

import contextlib
import dataclasses
import os
import signal
import socket
import subprocess
import sys
from inspect import signature
from pathlib import Path

import pytest

from bestrand_drive.cli.headless.install import install as cli_install
from bestrand_drive.cli.headless.serve import serve as cli_serve
from bestrand_drive.errors import UsageError
from bestrand_drive.headless.faults.order import parse_faults
from bestrand_drive.headless.installation import install
from bestrand_drive.headless.launch import _OPTIONS, VARIABLE, command_line, script_arguments
from bestrand_drive.headless.options import ServeOptions, check_ports
from tests.headless.processes import ROOT, Started, launcher, runs, serve, surroundings, wait_for
from tests.ports import free_ports

PORTS = {"port", "streaming_port"}
DOORS = (cli_serve, cli_install)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
@pytest.mark.parametrize("door", ["launch", "serve"])
def test_it_says_what_it_is_serves_and_ends_cleanly(maps, tmp_path, number, code, door):
    port = free_ports(2)
    commands = {
        "launch": launcher(maps, f"-carla-rpc-port={port}", "-RenderOffScreen", "-nosound", "-graphicsadapter=1"),
        "serve": serve(maps, "--port", port),
    }
    with Started(tmp_path, *commands[door]) as server:
        line = server.first_line()
        for part in ("headless", "not CARLA's", f"127.0.0.1:{port}", f"streams on {port + 1}", "0.9.16", "Town01"):
            assert part in line
        client = server.peer(port)
        assert client.call("version") == [[1, "0.9.16"]]
        client.call("make_coffee")
        client.call("\x1b[2J")
        assert server.end(number) == code, server.errors
        assert "Traceback" not in server.errors
        assert "make_coffee 1, \\x1b[2J 1" in server.errors
        assert "\x1b" not in server.errors
        assert server.errors.count("headless server: stopped.") == (number == signal.SIGINT)
        assert "interrupted" not in server.errors


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
@pytest.mark.parametrize(
    ("door", "first_import"), [(launcher, "argparse"), (launcher, "yaml"), (serve, "typer"), (serve, "carla")]
)
def test_a_signal_during_the_imports_ends_it_as_cleanly(maps, tmp_path, number, code, door, first_import):
    slow = tmp_path / "slow"
    slow.mkdir()
    (slow / f"{first_import}.py").write_text("import time\nprint('importing', flush=True)\ntime.sleep(60)\n")
    path = {"PYTHONPATH": f"{slow}{os.pathsep}{ROOT}"}
    with Started(tmp_path, *door(maps), environment=path) as server:
        assert server.first_line() == "importing\n"
        assert server.end(number) == code
        assert server.errors == ("headless server: stopped.\n" if number == signal.SIGINT else "")


@pytest.mark.parametrize("offset", [0, 1])
def test_a_busy_port_leaves_with_7_and_names_it(maps, tmp_path, offset):
    busy = free_ports(2) + offset
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", busy))
        taken.listen()
        with Started(tmp_path, *launcher(maps, f"-carla-rpc-port={busy - offset}")) as server:
            assert server.code() == 7
            assert f"port {busy} " in server.errors
            assert "Traceback" not in server.errors


def test_a_killed_server_leaves_no_port_behind(maps, tmp_path):
    port = free_ports(2)
    for _ in range(2):
        with Started(tmp_path, *launcher(maps, f"-carla-rpc-port={port}")) as server:
            server.first_line()
            client = server.peer(port)
            assert client.call("version") == [[1, "0.9.16"]]
            server.end(signal.SIGKILL)


def test_streams_on_port_0_take_any_free_one(maps, tmp_path):
    """So that servers on neighbouring ports do not take each other's, as with CARLA."""
    port = free_ports(2)
    with socket.socket() as neighbour:
        neighbour.bind(("127.0.0.1", port + 1))
        with Started(tmp_path, *launcher(maps, f"-carla-rpc-port={port}", "-carla-streaming-port=0")) as server:
            assert f"127.0.0.1:{port}, streams on " in server.first_line()


def _from_script(maps, tmp_path, options, variable):
    script = install(tmp_path / "root", ServeOptions(maps=(maps,), **options))
    return [str(script), f"-carla-rpc-port={free_ports(2)}"], {VARIABLE: variable}


@pytest.mark.parametrize("door", ["serve", "script", "variable", "hanging"])
def test_it_ends_with_its_parent(maps, tmp_path, door):
    command, variable = {
        "serve": lambda: (
            [str(part) for part in serve(maps, "--port", free_ports(2), "--die-with-parent")],
            {VARIABLE: ""},
        ),
        "script": lambda: _from_script(maps, tmp_path, {"die_with_parent": True}, ""),
        "variable": lambda: _from_script(maps, tmp_path, {}, "--die-with-parent"),
        "hanging": lambda: _from_script(maps, tmp_path, {}, "--die-with-parent --fault hang@tick=1"),
    }[door]()
    parent = (
        "import subprocess, sys; "
        f"child = subprocess.Popen({command!r}, stdout=subprocess.PIPE); "
        "child.stdout.readline(); print(child.pid, flush=True); sys.stdin.readline()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", parent],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=surroundings(variable),
    ) as process:
        child = int(process.stdout.readline())
        assert runs(child)
        process.kill()
    gone(child)


def gone(pid):
    """The process ends by itself; in any case it has ended afterwards."""
    try:
        wait_for(lambda: not runs(pid), "the server outlived its parent")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_a_parent_that_dies_during_the_imports_is_noticed_too(maps, tmp_path):
    slow = tmp_path / "slow"
    slow.mkdir()
    (slow / "carla.py").write_text(
        "import os, sys, time\nstarted = os.getppid()\nprint(os.getpid(), flush=True)\n"
        "while os.getppid() == started: time.sleep(0.01)\n"
        "sys.path.pop(0)\ndel sys.modules['carla']\nimport carla\n"
    )
    command = [str(part) for part in serve(maps, "--port", free_ports(2), "--die-with-parent")]
    parent = f"import subprocess; subprocess.Popen({command!r}).wait()"
    path = {"PYTHONPATH": f"{slow}{os.pathsep}{ROOT}", "PYTHONSAFEPATH": "1"}
    with subprocess.Popen(
        [sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True, env=surroundings(path)
    ) as process:
        child = int(process.stdout.readline())
        process.kill()
        gone(child)


def test_a_whole_command_line():
    options, unknown = command_line(["--maps", "a", "--maps", "b", "--map=Town02", "--seed=3", "--", "-nosound"], {})
    assert options == ServeOptions(maps=(Path("a"), Path("b")), map_name="Town02", seed=3)
    assert unknown == []


def test_the_script_s_arguments_are_read_back_whole(tmp_path):
    options = ServeOptions(
        maps=(tmp_path / "one town", tmp_path / "b"), map_name="Town07", host="::1", carla_version="0.9.15", seed=9,
        synchronous=True, die_with_parent=True, faults=parse_faults(["crash@tick=5:p=0.5,hang@tick=2"]),
    )  # fmt: skip
    assert command_line(script_arguments(options), {}) == (options, [])


def test_every_option_of_a_server_can_be_said_at_each_door():
    """Ports are CARLA's flags' where it starts like CARLA."""
    fields = {field.name for field in dataclasses.fields(ServeOptions)}
    assert _OPTIONS.keys() == fields - PORTS
    names = {door: {"faults" if name == "fault" else name for name in signature(door).parameters} for door in DOORS}
    assert names == {cli_serve: fields, cli_install: fields - PORTS | {"root"}}


def test_the_variable_outranks_the_script_and_carla_s_flags_outrank_both():
    script = ["--maps", "a", "--map=Town01", "--seed=3", "--fault=crash@tick=1"]
    variable = {VARIABLE: "--map Town02 --seed=4 --synchronous --fault 'hang@tick=2, stderr-flood' --maps 'b c'"}
    options, _ = command_line([*script, "--", "Town03"], variable)
    assert (options.map_name, options.seed, options.synchronous) == ("Town03", 4, True)
    assert [fault.kind for fault in options.faults] == ["crash", "hang", "stderr-flood"]
    assert options.maps == (Path("b c"), Path("a"))  # the first that has a town gives it
    assert command_line(script, {VARIABLE: "--map Town02"})[0].map_name == "Town02"


def test_the_variable_changes_nothing_that_it_does_not_name():
    script = ["--maps=a", "--map=Town04", "--host=::1", "--seed=3", "--synchronous", "--die-with-parent"]
    for text in ("", "--carla-version 0.9.15"):
        options, _ = command_line(script, {VARIABLE: text})
        assert (options.maps, options.map_name, options.host, options.seed) == ((Path("a"),), "Town04", "::1", 3)
        assert (options.synchronous, options.die_with_parent) == (True, True)


@pytest.mark.parametrize("text", ["--falt crash@tick=1", "--fault", "--seed x", "--seed=-1", "'", "Town02", "--help"])
def test_a_wrong_variable_is_named(text):
    with pytest.raises(UsageError, match=VARIABLE):
        command_line(["--maps", "a"], {VARIABLE: text})


def test_a_missing_extra_is_named(bestrand, maps, monkeypatch):
    monkeypatch.setitem(sys.modules, "carla", None)
    ran = bestrand("headless", "serve", "--maps", maps)
    assert ran.code == 7
    assert "pip install '.[headless]'" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--map", "Town99"), 4, "Town99"),
        (("--carla-version", "0.9.99"), 2, "0.9.16, 0.9.15"),
        (("--port", 65535), 2, "port 65535 is the last one"),
        (("--port", 3000, "--streaming-port", 3000), 2, "port 3000 is asked for twice"),
        (("--maps", "/nowhere/towns"), 2, "--maps /nowhere/towns: there is no such folder"),
        (("--fault", "crush@tick=5"), 2, "there is no crush; faults are crash@tick=N"),
    ],
)
def test_wrong_options_are_explained(bestrand, maps, arguments, code, said):
    ran = bestrand("headless", "serve", "--maps", maps, *arguments)
    assert ran.code == code
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize("text", ["<OpenDRIVE/>", "no XML", '<OpenDRIVE><road id="7" length="-1"/></OpenDRIVE>'])
def test_a_broken_town_is_named_with_its_file(bestrand, maps, text):
    (maps / "Town03.xodr").write_text(text)
    ran = bestrand("headless", "serve", "--maps", maps, "--map", "Town03")
    assert ran.code == 4
    assert f"{maps / 'Town03.xodr'}: " in ran.err


@pytest.mark.parametrize(
    "part",
    ['<arc curvature="0"/>', "", '<line/></geometry><geometry s="1" x="1e308" y="0" hdg="0" length="1"><line/>'],
    ids=["no number", "kills the library", "overflows"],
)
def test_a_town_that_the_library_cannot_use_is_refused_in_one_line(bestrand, maps, part):
    broken = maps / "Town03.xodr"
    broken.write_text((maps / "Town01.xodr").read_text().replace("<line/>", part))
    ran = bestrand("headless", "serve", "--maps", maps, "--map", "Town03")
    assert ran.code == 4
    assert ran.err.startswith(f"bestrand: {broken}: ")
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize(("port", "streams"), [(65535, 0), (65535, 2000), (65534, None), (0, 0), (0, None), (2000, 0)])
def test_ports_that_can_be_are_not_refused(port, streams):
    check_ports(ServeOptions(maps=(), port=port, streaming_port=streams))
