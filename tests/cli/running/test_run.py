"""What ``bestrand run`` says: options that are wrong, lines, and the live table."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from bestrand_drive.benchmarks.routes import parse_routes
from bestrand_drive.cli.running import run_lines
from bestrand_drive.cli.running.run_lines import Lines, duration
from bestrand_drive.cli.running.run_live import HEADS, LiveTable, row_of
from bestrand_drive.simulation.engines.books import Settled
from bestrand_drive.simulation.servers.gpus import Gpu
from bestrand_drive.simulation.slots.cell import Cell, Finished, Situation
from bestrand_drive.workflows.running.run_again import again_line
from bestrand_drive.workflows.running.run_request import RunRequest
from tests.conftest import Builders
from tests.faults.conftest import base, make_runs, runs
from tests.simulation.attempts.made import key, scored, tree

__all__ = ["base", "make_runs", "runs"]

FILE = parse_routes(Path("routes.xml"), Builders.routes(Builders.route(1)))
CELL = Cell(key(1711), 2, FILE)
SITUATION = Situation(3, CELL, 100.0, "drives", 450, 0.8125)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--servers", 0), "--servers 0: at least 1"),
        (("--repeats", 0), "--repeats 0"),
        (("--repeat", -1), "--repeat -1"),
        (("--only", "1,1711"), "--only 1: no such route"),
        (("--evaluator", "local"), "only Fail2Drive"),
        (("--limit", "tock=3"), "--limit tock=3"),
        (("--limit", "tick=x"), "write NAME=SECONDS"),
        (("--limit", "tick=-1"), "positive"),
        (("--limit", "tick=nan"), "--limit tick=nan"),
        (("--timeout", 0), "--timeout 0: give a positive"),
        (("--timeout", "nan"), "--timeout nan"),
        (("--route-limit", "inf"), "--route-limit inf"),
        (("--stop-grace", "nan"), "--stop-grace nan"),
        (("--stop-grace", -1), "--stop-grace -1"),
        (("--keep-quota-mib", -1), "--keep-quota-mib -1"),
        (("--python", "/absent/python"), "--python /absent/python: no such program"),
        (("--server-command", "docker run x"), "--server-command needs {port}"),
        (("--server-command", "docker 'run {port}"), "No closing quotation"),
        (("--gpus", "a"), "--gpus a"),
        (("--gpus", "0,1", "--servers", 3), "Give --servers-per-gpu 2"),
        (("--servers-per-gpu", 0), "--servers-per-gpu 0"),
        (("--env", "CARLA_ROOT=x"), "follows from --carla-root"),
        (("--keep-on-failure", "video"), "--keep-on-failure video"),
        (("--agent", "absent.py"), "--agent absent.py: no such file"),
        (("--root", "/"), "not Bench2Drive's checkout"),
        (("--max-attempts", 0), "--max-attempts 0"),
        (("--port-base", 65_515, "--servers", 3), "--port-base 65515: from there on are ports for 1 servers"),
        (("--port-base", 65_521), "ports for 0 servers"),
        (("--port-base", 0), "ports for 0 servers"),
        (("--port-base", 0, "--engine", "ray"), "ports for 0 servers"),
        (("--engine", "ray", "--ray-resource", "CPU"), "--ray-resource CPU"),
    ],
)
def test_a_wrong_option_is_said_and_nothing_is_written(runs, options, said):
    assert said in runs.run(*options, code=2).err
    assert not runs.path.exists()


def test_damaged_records_are_told_and_counted_and_left(runs):
    """F9: by ``--explain``; the start after it moves them aside."""
    runs.run("--only", "1711,1712")
    damaged = next(runs.path.glob("attempts/1712.*/1.json"))
    damaged.write_text("{")
    before = tree(runs.path)
    said = runs.run("--explain").out
    assert f"damaged, the next start moves it into the quarantine: {damaged}" in said
    assert said.splitlines()[-1] == "1 done, 3 run, 0 exhausted, 1 damaged"
    assert [str(damaged) in why for why in runs.run("--explain", "--json").json["damaged"]] == [True]
    assert tree(runs.path) == before
    runs.run()
    said = runs.run("--explain").out
    assert said.splitlines()[-1] == "4 done, 0 run, 0 exhausted"


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"schema": "bestrand-run/1"}'])
def test_a_damaged_description_of_the_run_is_refused_with_what_helps(runs, bestrand, content):
    """Removing it would not help, nor would running again."""
    runs.run("--only", "1711")
    (runs.path / "run.json").write_text(content)
    before = tree(runs.path)
    helps = f"Take run.json back from a copy, or use another --out and `bestrand adopt {runs.path}/results`"
    for ran in (runs.run(code=4), runs.run("--explain", code=4)):
        assert helps in ran.err
        assert "run again" not in ran.err
    assert {name for name in tree(runs.path) if name != "driver.lock"} == {*before} - {"driver.lock"}


def test_what_is_said_to_help_helps(runs, bestrand):
    runs.run("--only", "1711,1712")
    (runs.path / "run.json").unlink()
    assert "Take run.json back from a copy, or use another --out" in runs.run(code=4).err
    declared = ("--benchmark", "bench2drive", "--carla-version", "0.9.15", "--evaluator-commit", "1", "--json")
    ran = bestrand("adopt", runs.path / "results", "--out", runs.folder / "other", *declared)
    assert (ran.code, ran.json["counting"]) == (0, 2)


def test_a_place_where_no_folder_can_be_made(runs):
    runs.out = "/proc/run"
    assert "--out /proc/run: cannot be written (No such file or directory)" in runs.run(code=7).err


def test_an_absent_folder_above_the_run(runs):
    """One is made, as a reader of "--out runs/MyPolicy" expects; two are rather a wrong path, or no mount."""
    runs.out = "absent/deeper/run"
    assert "make it first" in runs.run(code=2).err
    runs.out = "absent/run"
    runs.run("--explain")
    assert not (runs.folder / "absent").exists()
    runs.run("--only", 1711)
    assert runs.endings() == ["Completed"]


def test_a_run_folder_whose_name_a_shell_would_split_is_refused_at_once(runs):
    """Bench2Drive's evaluator hands CARLA_ROOT to a shell as it is."""
    runs.out = "my run"
    assert "without spaces and special characters" in runs.run(code=2).err
    assert not runs.path.exists()


def a_console(width: int = 160) -> Console:
    return Console(file=io.StringIO(), width=width, highlight=False)


def said_by(out: Console) -> list[str]:
    return out.file.getvalue().splitlines()


def test_plain_lines_tell_now_and_then_how_far_it_is(monkeypatch):
    monkeypatch.setattr(run_lines, "EVERY_S", 0.0)
    out = a_console()
    lines = Lines(out, lambda *_: "")
    lines.look([SITUATION], 6)
    attempt = scored(2, key(1711), wall_s=40.0)
    lines.ended(Finished(CELL, attempt, b"", None, Path(), Path()), Settled(attempt))
    lines.look([SITUATION], 6)
    now = "now route 1711, repeat 0 drives at 0.81 times real time, tick 450"
    assert said_by(out) == [
        f"0 ended, 1 run, 6 wait; {now}",
        "route 1711, repeat 0: Completed in 40 s",
        f"1 ended, 1 run, 6 wait, about 4 min 20 s to go; {now}",
    ]


def test_a_row_of_the_table():
    row = dict(zip(HEADS, row_of(SITUATION, 112.0), strict=True))
    assert row == {"server": "3", "town": "Town12", "route": "1711", "repeat": "0", "attempt": "2", "state": "drives",
                   "tick": "450", "speed": "0.81x", "since": "12 s"}  # fmt: skip


def test_the_table_stands_below_the_lines_and_goes_at_the_end():
    out = Console(file=io.StringIO(), force_terminal=True, width=120)
    with LiveTable(out, lambda *_: "") as live:
        live.look([SITUATION], 2)
        live.say("a line")
        live._live.refresh()
        shown = out.file.getvalue()
    assert "Town12" in shown
    assert "1 run, 2 wait" in shown
    assert "a line" in shown


def test_a_terminal_gets_the_table(runs, monkeypatch):
    """Through the whole command, as with ``script``."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    runs.order("slow=2")
    ran = runs.run("--only", "1711")
    assert "server" in ran.out
    assert "drives" in ran.out
    assert "Town12" in ran.out, "a column that no line has"


@pytest.mark.parametrize(("seconds", "said"), [(3.2, "3 s"), (59.6, "1 min 0 s"), (3725.4, "1 h 2 min")])
def test_durations(seconds, said):
    assert duration(seconds) == said


def test_the_line_that_runs_a_route_again_holds_what_matters_and_no_more():
    request = RunRequest(
        "fail2drive", Path("f2d"), Path("my suite"), "a.py", Path("runs/x"), carla_root=Path("c"), servers=4,
        gpus=(Gpu("1", 2), Gpu("0", 0)), repeats=3, local=True, timeout_s=12.5, hooks=False, python="conda run python",
    )  # fmt: skip
    assert again_line(request, "75", 2) == (
        "bestrand run fail2drive --root f2d --routes 'my suite' --agent a.py --carla-root c "
        "--python 'conda run python' --timeout 12.5 --gpus 1:2 --evaluator local --no-hooks "
        "--only 75 --repeat 2 --max-attempts 1 "
        '--out "$(mktemp -d)/75"'
    )


def test_the_line_says_a_long_time_in_full():
    request = RunRequest(
        "builtin", None, Path("r.xml"), "a.py", Path("x"), timeout_s=1234567.0, limits={"load": 7654321}
    )
    line = again_line(request, "75", 0)
    assert "--timeout 1234567.0" in line
    assert "--limit load=7654321" in line


def test_on_a_cluster_the_line_goes_there_too_into_a_folder_that_its_nodes_see():
    ray = RunRequest(
        "bench2drive", Path("b2d"), Path("suite"), "a.py", Path("my runs/x"), engine="ray", ray_address="head:6379",
        ray_resource="carla", gpus=(Gpu("0", 0), Gpu("1", 2)), servers=8,
    )  # fmt: skip
    common = "bestrand run bench2drive --root b2d --routes suite --agent a.py"
    end = "--only 75 --repeat 0 --max-attempts 1 --out"
    assert again_line(ray, "75", 0) == (
        f"{common} --ray-address head:6379 --ray-resource carla --engine ray --gpus 0:0,1:2 {end} "
        "\"$(mktemp -d -p 'my runs')/75\""
    )
    slurm = replace(
        ray, engine="slurm", ray_address="auto", ray_resource="", gpus=(), scratch="/local", slurm={"gres": "gpu:1"}
    )
    assert again_line(slurm, "75", 0) == (
        f"{common} --scratch /local --engine slurm --slurm gres=gpu:1 {end} \"$(mktemp -d -p 'my runs')/75\""
    )
    workers = replace(slurm, engine="workers", scratch="", slurm={})
    assert again_line(workers, "75", 0) == f'{common} {end} "$(mktemp -d)/75"'


@pytest.mark.parametrize("command", ["run", "doctor"])
def test_it_needs_neither_torch_nor_pandas(command):
    """From the entry on: what is imported before its first line is waited for, and stays beside the simulators."""
    heavy = "{'torch', 'pandas', 'scipy', 'carla'}"
    script = f"import sys; from bestrand_drive.cli.entry import _run; _run([{command!r}, '--help'])"
    script += f"; print('found', {heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert "--agent" in done.stdout
    assert done.stdout.endswith("found set()\n")
