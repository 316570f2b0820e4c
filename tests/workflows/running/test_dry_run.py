"""A dry run: each of its lines does in a shell what the run would do, and it touches nothing else."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from bestrand_drive.simulation.servers.probe import Health, ask_version
from tests.faults.conftest import base, make_runs, runs
from tests.faults.runs import Runs, record_of
from tests.faults.stand_in.checkout import HERE
from tests.simulation.attempts.made import tree
from tests.simulation.processes.trees import ROOT, until

__all__ = ["base", "make_runs", "runs"]

SERVER = f"{shlex.join([sys.executable, str(HERE / 'server.py')])} {{flags}}"


def paste(runs: Runs, lines: Sequence[str]) -> None:
    """Give each line to a shell of its own, so that none lives on what an earlier one left in its shell."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for line in lines:
        command = ["sh", "-c", line]
        done = subprocess.run(command, cwd=runs.folder, env=environment, capture_output=True, timeout=60, check=False)
        assert done.returncode == 0, f"{line}\n{done.stdout!r}\n{done.stderr!r}"


def results(runs: Runs) -> list[tuple[str, str]]:
    """Route and status of what pasted lines left."""
    found = [record_of(path) for path in (runs.path / "dry-run").rglob("result.json")]
    return sorted((one["route_id"], one["status"]) for one in found)


def completed(*names: str) -> list[tuple[str, str]]:
    return [(name, "Completed") for name in names]


def is_open(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


def test_it_starts_nothing_and_touches_one_folder(runs):
    runs.run("--only", "1711")
    before = tree(runs.path)
    ran = runs.run("--dry-run", "--repeats", 2)
    commands = [line for line in ran.out.splitlines() if not line.startswith("#")]
    assert len(commands) == 7
    assert all("leaderboard_evaluator.py" in line and "--routes=" in line for line in commands)
    assert len({line.split("--routes=")[1].split()[0] for line in commands}) == 7
    assert ran.out.splitlines()[0].endswith(str(runs.path / "dry-run"))
    after = tree(runs.path)
    assert {name: after[name] for name in before} == before
    new = sorted(set(after) - set(before))
    assert len(new) > 7
    assert {name.split("/")[0] for name in new} == {"dry-run"}
    assert "result.json" not in {name.rpartition("/")[2] for name in new}


def test_one_object_has_the_same_lines(runs):
    lines = runs.run("--dry-run").out.splitlines()
    said = runs.run("--dry-run", "--json").json
    assert said["commands"] == [line for line in lines if not line.startswith("#")]
    assert said["run"] == 4


@pytest.mark.parametrize("servers", [1, 2])
def test_the_lines_of_bench2drive_give_results(runs, servers):
    """Twice: the second dry run finds the first one's CARLA_ROOTs, and what its lines left."""
    for _ in range(2):
        lines = runs.run("--dry-run", "--only", "1711,1712", "--servers", servers).out.splitlines()
        paste(runs, lines)
        assert results(runs) == completed(*(f"RouteScenario_{route}_rep0" for route in (1711, 1712)))
    assert runs.attempts() == ()


@pytest.mark.parametrize(("evaluator", "each"), [("default", 1), ("default", 10), ("local", 2)])
def test_the_lines_of_fail2drive_give_results_by_servers_that_they_start_and_end(make_runs, evaluator, each):
    runs = make_runs("fail2drive")
    runs.routes(75, 76, 1075)
    ran = runs.run("--dry-run", "--evaluator", evaluator, "--routes-per-server", each)
    lines = ran.out.splitlines()
    starts = [number for number, line in enumerate(lines) if "CarlaUE4.sh" in line]
    assert len(starts) == -(-3 // each)
    assert "-RenderOffScreen" in lines[starts[0]]
    paste(runs, lines[: starts[0] + 2])
    assert ask_version(runs.port_base, 5).health is Health.ANSWERS  # the control
    paste(runs, lines[starts[0] + 2 :])
    assert results(runs) == completed(*(f"RouteScenario_{route}_rep0" for route in (1075, 75, 76)))
    until(lambda: not is_open(runs.port_base), "the server ends")


@pytest.mark.parametrize("benchmark", ["bench2drive", "fail2drive"])
def test_a_server_command_is_shown_obeyed_and_ended_by_its_own(make_runs, benchmark, tmp_path):
    runs = make_runs(benchmark)
    runs.routes(75)
    stopped = tmp_path / "stopped {port}"
    options = ("--server-command", SERVER, "--server-stop-command", shlex.join(["touch", str(stopped)]))
    lines = runs.run("--dry-run", *options, "--carla-version", "0.9.15", "--gpus", "0:2").out.splitlines()
    shown = [line for line in lines if "server.py" in line]
    assert len(shown) == 1
    assert f"-carla-rpc-port={runs.port_base} -graphicsadapter=2" in shown[0]
    (drive,) = (line for line in lines if "leaderboard_evaluator.py" in line)
    assert "CUDA_VISIBLE_DEVICES=0 " in drive
    assert "CUDA_DEVICE_ORDER=PCI_BUS_ID" in drive
    paste(runs, lines)
    assert results(runs) == completed("RouteScenario_75_rep0")
    assert Path(str(stopped).replace("{port}", str(runs.port_base))).exists()


def test_a_folder_whose_name_the_evaluators_shell_would_split_is_refused_before_anything_is_written(runs):
    runs.out = "my run"
    assert "without spaces and special characters" in runs.run("--dry-run", code=2).err
    assert not runs.path.exists()


def test_ports_that_are_taken_are_not_named(make_runs):
    """In a folder whose name asks for quoting."""
    runs = make_runs("fail2drive")
    runs.out = "my $run's"
    runs.routes(75)
    with socket.create_server(("127.0.0.1", runs.port_base)):
        lines = runs.run("--dry-run").out.splitlines()
        paste(runs, lines)
    assert results(runs) == completed("RouteScenario_75_rep0")


def test_a_run_in_the_folder_follows(runs):
    runs.run("--dry-run")
    runs.run("--only", "1711")
    assert runs.endings() == ["Completed"]
    assert runs.results() == ["0/RouteScenario_1711.json"]
    lines = runs.run("--dry-run", "--only", "1711").out.splitlines()
    assert all(line.startswith("#") for line in lines)
