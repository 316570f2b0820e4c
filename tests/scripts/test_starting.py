"""What measures is started by a file of its own, from any folder, in an environment that is made or named."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
STARTERS = sorted(
    path.name for path in SCRIPTS.iterdir() if path.is_file() and not path.suffix and '"$0.py"' in path.read_text()
)
TELL = '#!/bin/sh\necho "$PWD"\nprintf "%s\\n" "$@"\nexit 3\n'


def stand_in(folder: Path) -> Path:
    """A bin folder whose python tells where it is and what it is to do, and leaves with 3."""
    folder.mkdir()
    python = folder / "python"
    python.write_text(TELL)
    python.chmod(0o755)
    return folder


def ran(command: list[str | Path], here: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A script, called from a folder."""
    environment = {name: value for name, value in os.environ.items() if name != "BESTRAND_BIN"} | variables
    return subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("name", STARTERS)
def test_options_are_those_of_the_caller_s_folder_and_the_exit_code_is_told(name, tmp_path):
    """Who says ``--out runs`` means a folder where they stand."""
    done = ran([SCRIPTS / name, "--out", "a b"], tmp_path, BESTRAND_BIN=str(stand_in(tmp_path / "bin")))
    here, script, *words = done.stdout.splitlines()
    assert (done.returncode, here, words) == (3, str(tmp_path), ["--out", "a b"])
    assert Path(script).samefile(SCRIPTS / f"{name}.py")


def test_there_are_such_files():
    assert len(STARTERS) > 9


def test_the_environment_is_made_where_none_is_named(tmp_path):
    (tmp_path / "scripts").mkdir()
    start, make = tmp_path / "scripts/python", tmp_path / "scripts/environment"
    start.write_text((SCRIPTS / "python").read_text())
    make.write_text('#!/bin/sh\nmkdir -p "$(dirname "$0")/../.venv"\nmv bin "$(dirname "$0")/../.venv"\n')
    for one in (start, make):
        one.chmod(0o755)
    stand_in(tmp_path / "bin")
    assert ran([start, "x.py"], tmp_path).stdout.splitlines() == [str(tmp_path), "x.py"]


@pytest.mark.parametrize(("name", "words"), [("real_tools", []), ("real_tools", ["--help"]), ("demo", ["one.xml"])])
def test_a_wrong_call_says_how_and_makes_nothing(name, words, tmp_path):
    done = ran([SCRIPTS / name, *words], tmp_path, BESTRAND_BIN=str(stand_in(tmp_path / "bin")))
    assert done.returncode == 2
    assert done.stderr.startswith(f"usage: scripts/{name} ")
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]
