"""Options with which nothing can be driven are said in one line, before carla is imported."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from bestrand_drive.errors import UsageError
from bestrand_drive.evaluator import __main__
from bestrand_drive.evaluator.options import parse
from tests.headless.client.clients import ROOT


@pytest.fixture
def sound(tmp_path):
    """Options that are right."""
    (tmp_path / "agent.py").touch()
    (tmp_path / "my.agent.py").touch()
    return {"--routes": "r.xml", "--agent": tmp_path / "agent.py", "--checkpoint": tmp_path / "result.json"}


def words(options):
    return [str(word) for pair in options.items() for word in pair]


def test_a_result_in_the_current_folder(sound, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert parse(words(sound | {"--checkpoint": "x.json", "--agent": "agent.py"})).repetitions == 1


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--repetitions", 0, "--repetitions 0: at least 1."),
        ("--timeout", 0, "--timeout 0: give a positive"),
        ("--timeout", "nan", "--timeout nan: give a positive"),
        ("--timeout", "inf", "--timeout inf: give a positive"),
        ("--background", -3, "--background -3: at least 0."),
        ("--port", 0, "--port 0: 1 to 65535."),
        ("--port", 65536, "--port 65536: 1 to 65535."),
        ("--agent", "absent.py", "--agent absent.py: no such file."),
        ("--agent", "{tmp}", "--agent {tmp}: no such file."),
        ("--agent", "{tmp}/my.agent.py", "without another dot"),
        ("--checkpoint", "{tmp}/dir/x.json", "there is no folder {tmp}/dir; make it first."),
        ("--checkpoint", "{tmp}", "is a folder"),
        ("--debug-checkpoint", "{tmp}/dir/x.txt", "--debug-checkpoint {tmp}/dir/x.txt: there is no folder"),
    ],
)
def test_what_is_wrong_is_said(sound, tmp_path, option, value, said):
    with pytest.raises(UsageError) as raised:
        parse(words(sound | {option: str(value).format(tmp=tmp_path), "--debug": 2}))
    assert said.format(tmp=tmp_path) in str(raised.value)


def test_live_results_that_nobody_wants_may_lie_anywhere(sound):
    assert parse(words(sound | {"--debug-checkpoint": "absent/x.txt"})).debug == 0


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "result.json"), 7, "result.json: No space left on device; "),
        (KeyboardInterrupt(), 130, "interrupted; "),
    ],
)
def test_a_full_disk_and_an_interrupt_are_said_in_one_line(monkeypatch, capsys, error, code, said):
    def run(_options):
        raise error

    monkeypatch.setattr(__main__, "parse", lambda: None)
    monkeypatch.setitem(sys.modules, "bestrand_drive.evaluator.runner", SimpleNamespace(run=run))
    assert __main__.main() == code
    assert capsys.readouterr().err.startswith(said)


def test_the_evaluator_says_one_line_and_ends_with_2(sound):
    command = [sys.executable, "-m", "bestrand_drive.evaluator", *words(sound | {"--background": "-3"})]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)
    assert (done.returncode, done.stderr) == (2, "--background -3: at least 0.\n")
    assert not sound["--checkpoint"].exists()
