"""Where an agent and its configuration are looked for."""

from __future__ import annotations

import pytest

from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.adapters.agent import find_agent


@pytest.fixture
def places(tmp_path):
    """Where the command is given, and the checkout."""
    for name in ("here/ckpt", "root/leaderboard/team_code"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "here/mine.py").touch()
    (tmp_path / "here/cfg.yaml").touch()
    (tmp_path / "root/leaderboard/team_code/theirs.py").touch()
    return {"cwd": tmp_path / "here", "root": tmp_path / "root"}


def test_from_either_place(places):
    assert find_agent("mine.py", **places).path == places["cwd"] / "mine.py"
    theirs = places["root"] / "leaderboard/team_code/theirs.py"
    assert find_agent("leaderboard/team_code/theirs.py", **places).path == theirs
    assert find_agent(str(theirs), **places).path == theirs


def test_parts_of_the_configuration(places):
    agent = find_agent("mine.py", "cfg.yaml+ckpt+only_traj+meta/model-7b+0.75", **places)
    here = places["cwd"]
    assert agent.config == f"{here}/cfg.yaml+{here}/ckpt+only_traj+meta/model-7b+0.75"
    assert find_agent("mine.py", **places).config == ""
    assert find_agent("mine.py", "x" * 300, **places).config == "x" * 300


def test_links_keep_their_names(places):
    """An agent's folder is put on its Python path; where a link leads is not where its modules lie."""
    (places["cwd"] / "link.py").symlink_to(places["root"] / "leaderboard/team_code/theirs.py")
    assert find_agent("link.py", **places).path == places["cwd"] / "link.py"


def test_the_same_place_twice(places):
    assert find_agent("mine.py", root=places["cwd"], cwd=places["cwd"]).path == places["cwd"] / "mine.py"


@pytest.mark.parametrize(
    ("agent", "config", "message"),
    [
        ("absent.py", "", r"--agent absent.py: no such file in .*here or .*root"),
        ("ckpt", "", "--agent ckpt: no such file"),
        ("mine.py", "cfg.yaml+model.pth", r"--agent-config model.pth: no such file"),
        ("mine.py", "./checkpoints", r"--agent-config ./checkpoints: no such file"),
        ("mine.py", "/absolute", r"--agent-config /absolute: no such file"),
    ],
)
def test_what_is_not_there(places, agent, config, message):
    with pytest.raises(UsageError, match=message):
        find_agent(agent, config, **places)


def test_one_name_for_two_files(places):
    (places["root"] / "mine.py").touch()
    with pytest.raises(UsageError, match=r"both .* exist. Give an absolute path"):
        find_agent("mine.py", **places)


@pytest.mark.parametrize("name", ["my.agent.py", "agent.txt", "agent"])
def test_names_that_an_evaluator_cannot_import(places, name):
    (places["cwd"] / name).touch()
    with pytest.raises(UsageError, match="import"):
        find_agent(name, **places)
