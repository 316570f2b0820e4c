"""A slot's CARLA_ROOT: the real one in all but the script, which translates the rank; the kill that misses siblings."""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path

import pytest

from bestrand_drive.errors import EnvironmentFault, UsageError
from bestrand_drive.simulation.processes.identity import identify, is_running
from bestrand_drive.simulation.processes.marks import new_mark
from bestrand_drive.simulation.processes.supervised import Supervised
from bestrand_drive.simulation.servers.command import ServerCommand
from bestrand_drive.simulation.servers.probe import Health, ask_version
from bestrand_drive.simulation.servers.shim import make_slot_root, rank_token
from tests.simulation.processes.trees import LIMIT_S, foreign, gone, shell, until
from tests.simulation.servers.stand_in import asked

START = "{root}/CarlaUE4.sh -RenderOffScreen -nosound -carla-rpc-port={port} -graphicsadapter={rank}"
KILL = "ps -ef | grep '-graphicsadapter={rank}' | grep -v grep | awk '{{print $2}}' | xargs -r kill -9"
"""What Bench2Drive's evaluator runs (``_setup_simulation``, ``run``), each through a shell."""


def run(slot, port: int, tmp_path: Path, **environment: str) -> subprocess.Popen[bytes]:
    """Start a slot's server as the evaluator does: one string, a shell, a session."""
    command = START.format(root=slot.folder, port=port, rank=slot.rank)
    known = {**os.environ, "STAND_IN_ARGV": f"{tmp_path}/argv", **environment}
    return subprocess.Popen(command, shell=True, start_new_session=True, env=known, cwd=tmp_path)


def kill_by_grep(kill: str, rank: int) -> None:
    """Run the pipeline where ``ps`` shows whole lines."""
    known = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    subprocess.run(kill.format(rank=rank), shell=True, check=False, timeout=30, capture_output=True, env=known)


def test_everything_of_the_root_is_there(tmp_path, carla_root):
    slot = make_slot_root(tmp_path / "slot", ServerCommand(carla_root), rank_token(20_000), 1)
    names = {path.name for path in carla_root.iterdir()}
    assert {path.name for path in slot.folder.iterdir()} == names
    assert (slot.folder / "VERSION").read_text() == "0.9.15\n"
    assert (slot.folder / "PythonAPI" / "carla").is_dir()
    assert not (slot.folder / "CarlaUE4.sh").is_symlink()
    assert slot.stop_argv == ()
    assert slot.launched() is None
    assert slot.server_pids() == ()


def test_the_rank_is_translated_and_the_script_becomes_the_server(tmp_path, carla_root, lease):
    command = ServerCommand(carla_root, extra=("-quality-level=Low", "-x=a b'c"))
    with lease() as leased:
        slot = make_slot_root(tmp_path / "slot", command, rank_token(leased.ports.rpc), 3)
        with run(slot, leased.ports.rpc, tmp_path) as evaluators:
            (one,) = until(lambda: asked(tmp_path / "argv"), "the server runs")
            flags = ["-RenderOffScreen", "-nosound", f"-carla-rpc-port={leased.ports.rpc}", "-graphicsadapter=3"]
            assert one[1:] == [*flags, "-quality-level=Low", "-x=a b'c"]
            assert slot.launched() == (int(one[0]), leased.ports.rpc)
            assert os.getpgid(int(one[0])) == evaluators.pid, "the evaluator's killpg must reach it"
            known = identify(int(one[0]))
            assert slot.server_pids() == (known.pid,)
            os.killpg(evaluators.pid, 9)
        assert gone(known)


@pytest.mark.parametrize("kill", [KILL, KILL.replace("grep '", "grep -- '")])
def test_the_evaluators_kill_misses_its_siblings(tmp_path, carla_root, lease, kill):
    """As written, which GNU grep takes for options and refuses, and as meant: neither reaches a sibling."""
    with lease() as one, lease() as two, foreign() as somebody_elses:
        leases = (one, two)
        slots = [
            make_slot_root(tmp_path / f"slot{place}", ServerCommand(carla_root), rank_token(leased.ports.rpc), 0)
            for place, leased in enumerate(leases)
        ]
        shells = [run(slot, leased.ports.rpc, tmp_path) for slot, leased in zip(slots, leases, strict=True)]
        until(lambda: len(asked(tmp_path / "argv")) == 2, "both run")
        servers = [identify(slot.launched()[0]) for slot in slots]
        kill_by_grep(kill, slots[0].rank)
        assert is_running(servers[1])
        until(lambda: ask_version(two.ports.rpc, 5).health is Health.ANSWERS, "the sibling answers")
        assert is_running(somebody_elses), "it is on the same GPU, number 0"
        for process in shells:
            os.killpg(process.pid, 9)  # the evaluator's own way at its exit
            process.wait()
        assert gone(*servers)


def test_without_slots_the_kill_as_meant_hits_everybody(tmp_path, carla_root, lease):
    """What the slots are for: two servers on one GPU (under a number that nothing else on this host has)."""
    with lease() as one, lease() as two, contextlib.ExitStack() as servers:
        rank, started = rank_token(one.ports.rpc), []
        for leased in (one, two):
            command = ServerCommand(carla_root).start_argv(leased.ports.rpc, rank)
            known = {**os.environ, "STAND_IN_ARGV": f"{tmp_path}/argv"}
            started.append(servers.enter_context(subprocess.Popen(command, env=known, cwd=tmp_path)))
            servers.callback(started[-1].kill)
        until(lambda: len(asked(tmp_path / "argv")) == 2, "both run")
        kill_by_grep(KILL.replace("grep '", "grep -- '"), rank)
        assert [server.wait(LIMIT_S) for server in started] == [-9, -9]


def test_ranks_are_of_one_width_and_unlike_any_gpus():
    """So that none is the beginning of another, for ``grep``."""
    ranks = {str(rank_token(port)) for port in (1024, 9_999, 10_000, 20_000, 65_535)}
    assert len(ranks) == 5
    assert {len(rank) for rank in ranks} == {7}


def test_a_container_is_started_and_ended_with_the_port_that_the_evaluator_found(tmp_path, carla_root):
    """The evaluator may move to another port than it was given; the stop command follows."""
    command = ServerCommand(
        template=(
            "sh",
            "-c",
            'echo "$@" > "started it"; exec sleep 600',
            "it's",
            "--name=c-{run}-{port}",
            "gpu {gpu}",
            "{flags}",
        ),
        stop=("sh", "-c", 'echo "$@" > stopped', "sh", "c-{run}-{port}", "{gpu}"),
        extra=("-opengl",),
        run="0a1b",
    )
    slot = make_slot_root(tmp_path / "slot", command, rank_token(20_000), 5)
    start = START.format(root=slot.folder, port=20_001, rank=slot.rank)
    process = Supervised(shell(tmp_path, f"{start} & wait", stop_argv=slot.stop_argv), new_mark())
    started = until(lambda: (tmp_path / "started it").exists() and (tmp_path / "started it").read_text(), "it starts")
    flags = "-RenderOffScreen -nosound -carla-rpc-port=20001 -graphicsadapter=5 -opengl"
    assert started == f"--name=c-0a1b-20001 gpu 5 {flags}\\n".replace("\\n", "\n")
    process.stop()
    assert (tmp_path / "stopped").read_text() == "c-0a1b-20001 5\n"


def test_a_server_that_was_never_started_is_not_stopped(tmp_path):
    command = ServerCommand(template=("true", "{port}"), stop=("touch", "stopped"))
    slot = make_slot_root(tmp_path / "slot", command, rank_token(20_000), 0)
    process = Supervised(shell(tmp_path, "exit 1", stop_argv=slot.stop_argv), new_mark())
    assert process.wait(LIMIT_S).code == 1
    assert not (tmp_path / "stopped").exists()


def test_a_server_that_cannot_be_noted_is_not_started(tmp_path):
    """On a full disk, say: nobody would stop it."""
    command = ServerCommand(template=("touch", "started", "{port}"), stop=("true",))
    slot = make_slot_root(tmp_path / "slot", command, rank_token(20_000), 0)
    (slot.folder / "launched.new").mkdir()
    with run(slot, 20_000, tmp_path) as evaluators:
        assert evaluators.wait(LIMIT_S) != 0
    assert not (tmp_path / "started").exists()


def test_a_command_that_cannot_start_is_refused_before_anything_is_made(tmp_path):
    with pytest.raises(UsageError, match="holds no"):
        make_slot_root(tmp_path / "slot", ServerCommand(tmp_path), rank_token(20_000), 0)
    assert not (tmp_path / "slot").exists()


def test_a_folder_that_is_there_is_refused(tmp_path, carla_root):
    with pytest.raises(EnvironmentFault, match="slot's CARLA_ROOT cannot be made"):
        make_slot_root(tmp_path, ServerCommand(carla_root), rank_token(20_000), 0)
