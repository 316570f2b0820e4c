"""The evaluator that comes with this package, as it is run."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bestrand_drive.benchmarks.builtin_routes import read_routes, routes_path, towns_path
from bestrand_drive.errors import UsageError
from bestrand_drive.files import shipped_folder
from bestrand_drive.simulation.adapters import own
from bestrand_drive.simulation.adapters.adapter import HOOKS
from bestrand_drive.simulation.adapters.agent import find_agent
from bestrand_drive.simulation.adapters.builtin import BUILTIN
from bestrand_drive.simulation.adapters.job import Job
from bestrand_drive.simulation.attempts.identity import identify_policy
from bestrand_drive.simulation.servers.headless import headless_command


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(
        checkout=BUILTIN.checkout(None),
        python=(sys.executable,),
        carla_root=tmp_path,
        routes=read_routes(routes_path()),
        route_id="1",
        repeat=2,
        agent=find_agent("probe:expert"),
        work=tmp_path / "work",
        port=21000,
        traffic_manager_port=21005,
    )


def test_it_is_a_module_of_this_package_in_the_attempts_own_folder(job):
    command = BUILTIN.command(job, inherited={})
    assert command.argv[:3] == (sys.executable, "-m", "bestrand_drive.evaluator")
    assert command.cwd == job.work
    flags = dict(word.split("=", 1) for word in command.argv[3:])
    assert (flags["--port"], flags["--traffic-manager-port"], flags["--traffic-manager-seed"]) == (
        "21000",
        "21005",
        "2",
    )
    assert flags["--agent"] == str(shipped_folder("probes") / "expert.py")
    assert command.env["SAVE_PATH"] == str(job.agent_folder)
    assert not {"LEADERBOARD_ROOT", "SCENARIO_RUNNER_ROOT"} & set(command.env)


def test_another_python_does_not_get_the_packages_of_this_one(job):
    """Of a checkout the folder is named; of an installation not: compiled packages lie beside."""
    path = BUILTIN.command(job, inherited={"PYTHONPATH": "/mine"}).env["PYTHONPATH"].split(os.pathsep)
    assert path == [str(HOOKS), *([] if "site-packages" in own.HOME.parts else [str(own.HOME)]), "/mine"]
    assert own.own_paths(Path("/env/lib/python3.12/site-packages")) == []


def test_it_has_no_checkout(tmp_path):
    with pytest.raises(UsageError, match="needs no checkout"):
        BUILTIN.checkout(tmp_path)


def test_its_commit_tells_of_every_source_and_of_the_towns(monkeypatch, tmp_path):
    home, towns = tmp_path / "home", tmp_path / "towns"
    shutil.copytree(own.HOME / "bestrand_drive/evaluator", home / "bestrand_drive/evaluator")
    shutil.copytree(towns_path(), towns)
    monkeypatch.setattr(own, "HOME", home)
    monkeypatch.setattr(own, "towns_path", lambda: towns)
    script = Path("bestrand_drive/evaluator/__main__.py")
    seen = [own.own_checkout(script).commit]
    assert seen[0] == own.own_checkout(script).commit
    (home / "bestrand_drive/evaluator/scenarios/new.py").touch()
    seen.append(own.own_checkout(script).commit)
    next(towns.glob("*.xodr")).write_text("<OpenDRIVE/>")
    seen.append(own.own_checkout(script).commit)
    assert len(set(seen)) == 3
    assert all(commit.startswith("code-") for commit in seen)


def test_own_towns_are_handed_on_and_belong_to_the_commit(job, tmp_path, monkeypatch):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "Atlantis.xodr").write_text("<OpenDRIVE/>")
    monkeypatch.chdir(tmp_path)
    mine = BUILTIN.checkout(None, Path("mine"))
    assert f"--towns={folder}" in BUILTIN.command(replace(job, checkout=mine)).argv, "the evaluator runs elsewhere"
    assert not [word for word in BUILTIN.command(job).argv if word.startswith("--towns")]
    seen = [job.checkout.commit, mine.commit]
    (folder / "Atlantis.xodr").write_text("<OpenDRIVE> </OpenDRIVE>")
    seen.append(BUILTIN.checkout(None, folder).commit)
    assert len(set(seen)) == 3
    shutil.copy(towns_path() / "BestrandCity.xodr", folder)
    BUILTIN.checkout(None, folder)


@pytest.mark.parametrize(
    ("name", "said"), [("BestrandCity.xodr", "is a shipped town, and another one"), ("Town.txt", "no .*xodr file")]
)
def test_towns_that_cannot_be_meant_are_refused(tmp_path, name, said):
    (tmp_path / name).write_text("<OpenDRIVE/>")
    with pytest.raises(UsageError, match=said):
        BUILTIN.checkout(None, tmp_path)


def test_a_shipped_probe_is_what_it_imports_too(tmp_path, monkeypatch):
    """Its agent file is a few lines; a driver that changed is another policy."""
    shutil.copytree(shipped_folder("probes"), tmp_path / "probes")
    monkeypatch.setattr("bestrand_drive.simulation.adapters.agent.shipped_folder", lambda name: tmp_path / name)

    def digest() -> str:
        agent = find_agent("probe:expert")
        return identify_policy("x", agent=agent.path, shared=agent.shared).digest

    before = digest()
    (tmp_path / "probes/cautious.py").write_text("")
    assert digest() == before
    (module,) = (tmp_path / "probes").glob("*/pedals.py")
    module.write_text(module.read_text() + "\n")
    assert digest() != before


def test_an_unknown_probe_is_told_with_those_that_there_are():
    with pytest.raises(UsageError, match=r"probe:nobody: no such probe is shipped; there are .*expert"):
        find_agent("probe:nobody")


@pytest.mark.parametrize(("town", "first"), [("B", "B"), ("Town01", "A")])
def test_a_server_begins_in_the_first_routes_town_where_it_has_it(tmp_path, town, first):
    for name in ("A", "B"):
        (tmp_path / f"{name}.xodr").touch()
    command = headless_command([tmp_path], town, "0.9.16")
    command.check()
    argv = replace(command, extra=("-x",)).start_argv(2000, 0)
    assert f"--map={first}" in argv
    assert argv[argv.index("--") + 1 :] == ("-RenderOffScreen", "-nosound", "-carla-rpc-port=2000",
                                            "-graphicsadapter=0", "-x")  # fmt: skip
