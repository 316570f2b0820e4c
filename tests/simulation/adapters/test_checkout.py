"""What is a checkout, whose, and in which state."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.adapters.bench2drive import BENCH2DRIVE
from bestrand_drive.simulation.adapters.checkout import MAIN, flags_of, version_of
from bestrand_drive.simulation.adapters.fail2drive import FAIL2DRIVE, FAIL2DRIVE_LOCAL
from tests.faults.stand_in.checkout import make_checkout


def test_each_finds_its_own(roots):
    for adapter in (BENCH2DRIVE, FAIL2DRIVE, FAIL2DRIVE_LOCAL):
        found = adapter.checkout(roots[adapter.benchmark])
        assert (found.root, found.script) == (roots[adapter.benchmark], roots[adapter.benchmark] / adapter.script)


def test_a_relative_root(roots, monkeypatch):
    monkeypatch.chdir(roots["bench2drive"].parent)
    assert BENCH2DRIVE.checkout(Path("bench2drive")).root == roots["bench2drive"]


def test_the_other_benchmark_is_refused(roots):
    with pytest.raises(
        UsageError, match=r"not Bench2Drive's checkout: no leaderboard/data/weather.xml; .*no --gpu-rank"
    ):
        BENCH2DRIVE.checkout(roots["fail2drive"])
    with pytest.raises(UsageError, match=r"no .*_local.py; no scenario_runner/speed_limits; .*has --gpu-rank"):
        FAIL2DRIVE.checkout(roots["bench2drive"])


def test_all_that_is_missing_is_named_at_once(tmp_path):
    (tmp_path / "leaderboard").mkdir()
    with pytest.raises(UsageError, match=rf"{tmp_path}: .*no {MAIN}; no scenario_runner/srunner; no leaderboard/data"):
        BENCH2DRIVE.checkout(tmp_path)
    with pytest.raises(UsageError, match="no such folder"):
        BENCH2DRIVE.checkout(tmp_path / "absent")


def test_another_evaluator_in_its_place(tmp_path):
    """The stock leaderboard scores in another way, and has not all the options."""
    root = make_checkout(tmp_path / "root", "bench2drive")
    (root / MAIN).write_text("import argparse\nargparse.ArgumentParser().add_argument('--port')\n")
    with pytest.raises(UsageError, match=r"no --agent; .*no --gpu-rank"):
        BENCH2DRIVE.checkout(root)
    (root / MAIN).write_text("print 'python 2'\n")
    with pytest.raises(UsageError, match=rf"{MAIN}: not a Python program"):
        BENCH2DRIVE.checkout(root)


def test_a_colon_in_the_path_would_split_pythons_path(tmp_path):
    with pytest.raises(UsageError, match="split"):
        BENCH2DRIVE.checkout(make_checkout(tmp_path / "a:b", "bench2drive"))


def test_flags_are_read_and_nothing_is_run():
    source = "raise SystemExit\np.add_argument('-a', '--agent', help='--no-flag')\nother('--not')\n"
    assert flags_of(source, "x") == {"--agent"}


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A checkout under git, and what runs git in it."""
    if shutil.which("git") is None:
        pytest.skip("no git")
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    root = make_checkout(tmp_path / "root", "bench2drive")

    def git(*words: str) -> str:
        identity = ("-c", "user.name=n", "-c", "user.email=e@example.org")
        done = subprocess.run(["git", "-C", root, *identity, *words], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "all")
    return root, git


def test_the_commit(repository, monkeypatch):
    """Also in a hook of another repository, in which git says where that one is."""
    root, git = repository
    with monkeypatch.context() as patch:
        patch.setenv("GIT_DIR", "/absent")
        patch.setenv("GIT_INDEX_FILE", "/absent/index")
        found = version_of(root)
    assert found == git("rev-parse", "HEAD")
    (root / "notes.txt").write_text("mine")
    (root / "leaderboard/data/weather.xml").write_text("<weathers> </weathers>")
    assert version_of(root) == git("rev-parse", "HEAD"), "neither decides scores by its code"


def test_changed_code_is_another_version(repository):
    root, git = repository
    commit = git("rev-parse", "HEAD")
    penalties = root / "scenario_runner/srunner/criteria.py"
    seen = {commit}
    for text in ("x = 1\n", "x = 2\n"):
        penalties.write_text(text)
        git("add", "-N", "scenario_runner")
        version = version_of(root)
        assert version.startswith(commit + "+")
        seen.add(version)
    assert len(seen) == 3
    assert version_of(root) == version


def test_no_program_of_the_checkout_is_started(repository):
    root, git = repository
    spy, trace = root / "spy.sh", root / "trace"
    spy.write_text(f"#!/bin/sh\necho ran >> {trace}\n")
    spy.chmod(0o755)
    git("config", "core.fsmonitor", str(spy))
    git("config", "diff.external", str(spy))
    hooks = root / ".git/hooks"
    for name in ("post-index-change", "post-checkout", "reference-transaction"):
        shutil.copy(spy, hooks / name)
    (root / MAIN).write_text((root / MAIN).read_text() + "\n")
    for path in (root / MAIN).parent.glob("*.py"):
        os.utime(path, (1e9, 1e9))  # git looks again, and writes down what it saw
    trace.unlink(missing_ok=True)
    assert "+" in version_of(root)
    assert not trace.exists()


def test_code_that_git_does_not_know(repository, monkeypatch):
    """A copy inside somebody's repository, and a machine without git."""
    root, _ = repository
    inner = make_checkout(root / "copies/b2d", "bench2drive")
    alone = version_of(inner)
    assert alone.startswith("code-")
    monkeypatch.setenv("PATH", "")
    assert version_of(inner) == alone
    assert version_of(root) == alone, "the same code"
    (inner / MAIN).write_text((inner / MAIN).read_text() + "\n")
    assert version_of(inner) != alone
