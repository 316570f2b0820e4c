"""Where an agent and its configuration are looked for."""

from __future__ import annotations

import pytest

from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.adapters.agent import find_agent


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Where the command is given, beside the checkout."""
    for name in ("here/ckpt", "root/leaderboard/team_code"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "here/mine.py").touch()
    (tmp_path / "here/cfg.yaml").touch()
    (tmp_path / "root/leaderboard/team_code/theirs.py").touch()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.fixture
def root(here):
    """The checkout."""
    return here.parent / "root"


def test_from_either_place(here, root):
    assert find_agent("mine.py", root=root).path == here / "mine.py"
    theirs = root / "leaderboard/team_code/theirs.py"
    assert find_agent("leaderboard/team_code/theirs.py", root=root).path == theirs
    assert find_agent(str(theirs), root=root).path == theirs


def test_parts_of_the_configuration(here, root):
    agent = find_agent("mine.py", "cfg.yaml+ckpt+only_traj+meta/model-7b+0.75", root=root)
    assert agent.config == f"{here}/cfg.yaml+{here}/ckpt+only_traj+meta/model-7b+0.75"
    assert find_agent("mine.py", root=root).config == ""
    assert find_agent("mine.py", "x" * 300, root=root).config == "x" * 300


def test_links_keep_their_names(here, root):
    """An agent's folder is put on its Python path; where a link leads is not where its modules lie."""
    (here / "link.py").symlink_to(root / "leaderboard/team_code/theirs.py")
    assert find_agent("link.py", root=root).path == here / "link.py"


def test_the_same_place_twice(here):
    assert find_agent("mine.py", root=here).path == here / "mine.py"


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
def test_what_is_not_there(root, agent, config, message):
    with pytest.raises(UsageError, match=message):
        find_agent(agent, config, root=root)


def test_one_name_for_two_files(root):
    (root / "mine.py").touch()
    with pytest.raises(UsageError, match=r"both .* exist. Give an absolute path"):
        find_agent("mine.py", root=root)


@pytest.mark.parametrize("name", ["my.agent.py", "agent.txt", "agent"])
def test_names_that_an_evaluator_cannot_import(here, root, name):
    (here / name).touch()
    with pytest.raises(UsageError, match="import"):
        find_agent(name, root=root)
