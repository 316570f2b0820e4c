"""The commands of the three evaluators that lie in checkouts."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from bestrand_drive.benchmarks.routes import parse_routes, read_route_file
from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.adapters.adapter import FLAGS, HOOKS
from bestrand_drive.simulation.adapters.bench2drive import BENCH2DRIVE
from bestrand_drive.simulation.adapters.catalog import ADAPTERS, find_adapter
from bestrand_drive.simulation.adapters.fail2drive import FAIL2DRIVE, FAIL2DRIVE_LOCAL
from tests.simulation.adapters.parsers import parser_of

WRITTEN_BY_HAND = {
    "--host", "--port", "--traffic-manager-port", "--traffic-manager-seed", "--debug", "--record", "--timeout",
    "--routes", "--routes-subset", "--repetitions", "--agent", "--agent-config", "--track", "--resume", "--checkpoint",
    "--debug-checkpoint",
}  # fmt: skip
"""Options of all three real evaluators."""
THEIRS = tuple(one for one in ADAPTERS.values() if not one.module)
"""Evaluators of checkouts."""


def flags(command) -> dict[str, str]:
    words = [word for word in command.argv if word.startswith("--")]
    return dict(word.split("=", 1) for word in words)


def test_the_flags_are_the_evaluators(adapter, make_job):
    used = set(flags(adapter.command(make_job(adapter))))
    assert used - WRITTEN_BY_HAND == ({"--gpu-rank"} if adapter is BENCH2DRIVE else set())
    assert FLAGS <= WRITTEN_BY_HAND
    assert "--resume" not in used


def test_the_program_understands_them(adapter, make_job):
    """Parsed by the stand-in's own parser, which ``test_real_checkouts`` compares with the real ones."""
    job = make_job(adapter, agent=replace(make_job(adapter).agent, config="-x.py+--y"), record=True, repeat=2)
    parser = parser_of(job.checkout.script.read_text())
    command = adapter.command(job)
    assert command.argv[:2] == (*job.python, str(job.checkout.script))
    parsed = parser.parse_args(list(command.argv[2:]))
    assert (parsed.port, parsed.repetitions, parsed.debug, parsed.resume) == (21000, 1, 0, False)
    assert (parsed.agent, parsed.agent_config) == (str(job.agent.path), "-x.py+--y")
    assert (parsed.routes, parsed.checkpoint, parsed.debug_checkpoint) == tuple(
        map(str, (job.route_path, command.result, command.live))
    )
    assert (parsed.record, parsed.timeout) == (str(job.work / "record"), adapter.timeout_s)


def test_what_each_is_given_of_its_own(make_job):
    of = {adapter.name: flags(adapter.command(make_job(adapter, rank_token=9000007))) for adapter in THEIRS}
    assert of["bench2drive"]["--gpu-rank"] == "9000007"
    assert [of[name].get("--traffic-manager-port") for name in of] == ["21003", "21003", None]
    assert [of[name]["--timeout"] for name in of] == ["600", "300", "300"]
    assert [of[name]["--track"] for name in of] == ["SENSORS", "MAP", "SENSORS"]
    assert [adapter.needs_server for adapter in THEIRS] == [False, True, True]


@pytest.mark.parametrize(("repeat", "bench", "fail"), [(0, "0", "10011"), (1, "1", "20011"), (2, "2", "30011")])
def test_seeds(make_job, repeat, bench, fail):
    """Bench2Drive's own seed is 0; Fail2Drive's launcher: id % 1000 + 10000 * seed, with seeds from 1."""
    for adapter, seed in ((BENCH2DRIVE, bench), (FAIL2DRIVE, fail), (FAIL2DRIVE_LOCAL, fail)):
        assert flags(adapter.command(make_job(adapter, repeat=repeat)))["--traffic-manager-seed"] == seed


def test_both_routes_of_a_pair_get_one_seed(make_job):
    seeds = {
        flags(FAIL2DRIVE.command(make_job(FAIL2DRIVE, route_id=id)))["--traffic-manager-seed"] for id in ("11", "1011")
    }
    assert seeds == {"10011"}


def test_the_route_file_holds_the_users_own_bytes(adapter, make_job, tmp_path):
    job = make_job(adapter)
    command = adapter.command(job)
    command.prepare()
    only = read_route_file(job.route_path)
    (route,) = only.routes
    whole = next(route for route in job.routes.routes if route.id == "1011")
    assert only.content[route.start : route.end] == job.routes.content[whole.start : whole.end]
    assert job.route_path.name == "some_1011.xml"
    assert all(folder.is_dir() for folder in command.folders)


def test_a_file_of_one_route_is_copied_under_its_name(make_job, build, tmp_path):
    """Fail2Drive tells the kind of a route by its file's name only."""
    content = build.routes(build.route(75))
    job = make_job(FAIL2DRIVE, routes=parse_routes(tmp_path / "Base_Animals_0075.xml", content), route_id="75")
    assert FAIL2DRIVE.command(job).files == {tmp_path / "work/routes/Base_Animals_0075.xml": content}


def test_the_environment_of_the_benchmarks_scripts(adapter, make_job):
    job = make_job(adapter, gpu="3", variables={"PLANNER_TYPE": "only_traj"})
    env = adapter.command(job).env
    root = str(job.checkout.root)
    assert (env["LEADERBOARD_ROOT"], env["SCENARIO_RUNNER_ROOT"]) == (root + "/leaderboard", root + "/scenario_runner")
    assert (env["CARLA_ROOT"], env["CUDA_VISIBLE_DEVICES"]) == (str(job.carla_root), "3")
    assert env["PLANNER_TYPE"] == "only_traj"
    assert "RESUME" not in env
    if adapter is BENCH2DRIVE:
        assert (env["SAVE_PATH"], env["IS_BENCH2DRIVE"], env["GPU_RANK"]) == (str(job.work / "agent"), "True", "3")
        assert (env["ROUTES"], env["CHECKPOINT_ENDPOINT"]) == (str(job.route_path), str(job.work / "result.json"))
    else:
        assert env["WORK_DIR"] == root
        assert not {"SAVE_PATH", "VIZ_PATH"} & set(env)


def test_without_a_gpu_the_environment_decides(adapter, make_job):
    assert not {"CUDA_VISIBLE_DEVICES", "GPU_RANK"} & set(adapter.command(make_job(adapter)).env)


def test_the_python_path_has_one_evaluator(adapter, make_job, tmp_path):
    """Ours, the user's, the checkout's; what the shell had comes later: it may hold another leaderboard."""
    (tmp_path / "carla/PythonAPI/carla").mkdir(parents=True)
    job = make_job(adapter, variables={"PYTHONPATH": "/mine:/also"})
    root = job.checkout.root
    path = adapter.command(job, inherited={"PYTHONPATH": f"/other/leaderboard:{root}/leaderboard"}).env["PYTHONPATH"]
    assert path.split(os.pathsep) == [
        *(str(HOOKS), "/mine", "/also", f"{root}/leaderboard", f"{root}/scenario_runner"),
        *("/other/leaderboard", f"{tmp_path}/carla/PythonAPI/carla", f"{tmp_path}/carla/PythonAPI"),
    ]
    assert (HOOKS / "sitecustomize.py").is_file()


def test_hooks_can_be_left_out(adapter, make_job):
    with_hooks, without = (adapter.command(make_job(adapter, hooks=hooks)) for hooks in (True, False))
    assert with_hooks.env["BESTRAND_HEARTBEAT"] == str(with_hooks.heartbeat)
    assert "BESTRAND_HEARTBEAT" not in without.env
    assert without.heartbeat is None
    assert str(HOOKS) not in without.env["PYTHONPATH"].split(os.pathsep)


def test_the_line_is_the_command(adapter, make_job, tmp_path):
    """Pasted into a shell it runs the same words in the same place, whatever characters they hold."""
    program = tmp_path / "show.py"
    program.write_text("import json, os, sys\nprint(json.dumps([sys.argv[1:], os.getcwd(), os.environ['X']]))")
    job = make_job(adapter, variables={"X": 'it\'s; $(rm) "x"'}, agent=replace(make_job(adapter).agent, config="a b'c"))
    command = adapter.command(job)
    shown = replace(command, argv=(*job.python, str(program), *command.argv[2:]))
    said = subprocess.run(["sh", "-c", shown.line()], capture_output=True, text=True, check=True, timeout=60).stdout
    assert json.loads(said) == [list(command.argv[2:]), str(job.checkout.root), 'it\'s; $(rm) "x"']
    assert "\n" not in command.line()
    assert shlex.split(command.line())[:3] == ["cd", str(job.checkout.root), "&&"]


@pytest.mark.parametrize("name", ["with space", "semi;colon", "$(x)"])
def test_a_root_that_a_shell_would_split_is_refused_where_one_reads_it(make_job, tmp_path, name):
    with pytest.raises(UsageError, match="without spaces"):
        BENCH2DRIVE.command(make_job(BENCH2DRIVE, carla_root=tmp_path / name))
    assert FAIL2DRIVE.command(make_job(FAIL2DRIVE, carla_root=tmp_path / name)).env["CARLA_ROOT"] == str(
        tmp_path / name
    )


def test_an_interpreter_of_several_words(adapter, make_job):
    words = ("conda", "run", "-n", "b2d", "python")
    assert adapter.command(make_job(adapter, python=words)).argv[:5] == words


def test_names():
    assert {name: adapter.id for name, adapter in ADAPTERS.items()} == {
        "bench2drive": "bench2drive/1",
        "fail2drive": "fail2drive/1",
        "fail2drive_local": "fail2drive_local/1",
        "builtin": "builtin/1",
    }
    with pytest.raises(UsageError, match="fail2drive_local"):
        find_adapter("nuplan")


def test_a_full_disk_leaves_no_part_of_a_route_file(adapter, make_job, monkeypatch):
    command = adapter.command(make_job(adapter))

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space left"):
        command.prepare()
    assert [path for path in Path(command.result.parent).rglob("*") if path.is_file()] == []
