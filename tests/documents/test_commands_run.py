"""Every command in README and docs is given, or its dry run where it needs CARLA; what cannot be is listed here."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from bestrand_drive.cli.app import every_command
from bestrand_drive.reports.study_plots import write_plots
from tests.conftest import call
from tests.documents.blocks import SHELL, Block, all_blocks, spans
from tests.documents.world import copied, make_world

NOT_GIVEN = {
    r"(\S+/)?pip install ": "installs from a package index; tests/test_package.py builds and installs the package",
    r"python3\.8 -m venv ": "makes an environment",
    r"scripts/demo$": "sets up an environment, then gives `bestrand demo`; tests/workflows/running drives it",
    r"scripts/test$": "is what runs this test",
    r"docs/ci/gate\.sh ": "drives routes; scripts/ci_recipe gives it",
    r"bestrand demo\b": "drives 160 routes; tests/workflows/running drives it on a few",
    r"bestrand headless serve ": "serves until it is ended; tests/headless gives it",
    r"bestrand worker ": "waits for a driver; tests/simulation/crews gives it",
    r"bestrand servers ": "asks a run that goes on; tests/simulation/crews gives it",
    r"python -m tests\.real_evaluator ": "needs checkouts of the benchmarks; tests/real_evaluator is run on demand",
    r"BENCH2DRIVE_ROOT=": "the same",
    r"BESTRAND_SLURM_HIGH=": "needs a Slurm; tests/real_slurm is run on demand",
    r"HOOKS=|cd Bench2Drive|export |/path/to/evaluator": "needs a checkout; tests/real_evaluator is run on demand",
}
"""What begins so is not given here, and why."""
DRY = {"run", "probe"}
"""Commands whose dry run is given: all else of them needs CARLA or takes minutes."""
CODES = {"doctor": {0, 7}, "gate": {0, 1}, "plan": {0, 5}}
"""A doctor may find that this machine lacks a GPU, a gate that a toy got worse; no size need reach a goal for toys."""
CHEAPER = {"--seeds": "2", "--workers": "1"}
"""Values of options that only say how much is measured."""
BLOCKS = [block for block in all_blocks() if block.language in SHELL]


@pytest.fixture(scope="module", autouse=True)
def no_waiting_for_the_disk():
    """Most of the time of these commands, and nothing here is about power cuts; nor about a plot for each metric."""

    def first_plot(rows, folder):
        return write_plots([row for row in rows if row["metric"] == rows[0]["metric"]], folder)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda _: None)
        patch.setattr("bestrand_drive.reports.study_plots.write_plots", first_plot)
        yield


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return make_world(tmp_path_factory.mktemp("documents") / "world")


@pytest.fixture
def here(world, tmp_path, monkeypatch):
    """A folder like that of the documents' reader, who stands in it; it is the home folder, too."""
    folder = copied(world, tmp_path / "here")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return folder


def why_not(line: str) -> str | None:
    """The pattern by which a line is not given."""
    return next((pattern for pattern in NOT_GIVEN if re.match(pattern, line)), None)


def words_of(line: str, block: Block) -> list[str]:
    """What to call for a line."""
    assert line.startswith("bestrand "), f"{block.place}: {line!r}: neither one of our commands nor listed in NOT_GIVEN"
    assert "..." not in line, f"{block.place}: {line!r}: say it in full, so that a reader can give it"
    words = [word.replace("~/", f"{Path.home()}/") for word in shlex.split(line.partition(" > ")[0])[1:]]
    if words[0] in DRY and not {"--dry-run", "--explain"} & set(words):
        place = words.index("--out") + 1
        words[place] = words[place].rstrip("/") + ".dry"
        words.append("--dry-run")
    return [CHEAPER.get(before, word) for before, word in zip(["", *words], words, strict=False)]


def make_room(words: list[str], made: set[str]) -> None:
    """Take away what a reader would not have yet: what the command is to make, unless the block itself has made it."""
    if "--out" not in words:
        return
    out = Path(words[words.index("--out") + 1])
    if str(out) not in made and out.exists():
        shutil.rmtree(out) if out.is_dir() and not out.is_symlink() else out.unlink()
    made.add(str(out))


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.place)
def test_the_commands_of_a_block_do_what_they_say(block, here):
    made: set[str] = set()
    for line in block.lines:
        if why_not(line):
            continue
        words = words_of(line, block)
        make_room(words, set() if block.place.startswith("docs/commands/") else made)  # there, lines are apart
        ran = call(*words)
        assert ran.code in CODES.get(words[0], {0}), f"{block.place}: {line}\n{ran.code}\n{ran.out}\n{ran.err}"
        assert ran.out or ran.err, f"{block.place}: {line}: said nothing"


def test_the_list_of_what_is_not_given_is_of_today():
    used = {why_not(line) for block in BLOCKS for line in block.lines}
    assert set(NOT_GIVEN) - used == set(), "no document has such a line any more"


def test_no_command_hides_in_a_block_of_another_kind():
    """It would not be given."""
    hidden = [f"{block.place}: {line}" for block in all_blocks() if block.language not in (*SHELL, "yaml")
              for line in block.text.splitlines() if re.match(r"(\$ )?bestrand \w+ .*(--\w|/)", line)]  # fmt: skip
    allowed = [one for one in hidden if "[OPTIONS]" in one or "docs/commands/" in one]
    assert [one for one in hidden if one not in allowed] == []


def test_commands_inside_sentences_have_the_options_that_they_name():
    """They are too short to be given, but a renamed option must not stay in them."""
    commands = every_command()
    options = {words: {flag for one in command.params for flag in one.opts} for words, command in commands.items()}
    wrong = []
    for place, text in spans():
        words = text.split()[1:]
        name = next((" ".join(words[:size]) for size in (2, 1) if " ".join(words[:size]) in commands), None)
        if name is None and words[0].isupper():
            continue
        flags = set(re.findall(r"--[a-z0-9][a-z0-9-]*", text))
        known = {"--help", "--version", "--install-completion", "--show-completion"}
        known |= {flag for one, own in options.items() if name and one.split()[0] == name.split()[0] for flag in own}
        wrong += [f"{place}: {text}"] if (name is None and not flags <= known) or flags - known else []
    assert wrong == []


PYTHON = [one for one in all_blocks() if one.language == "python" and "carla" not in one.text]


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.place)
def test_python_does_what_it_says(block, here, capsys):
    exec(compile(block.text, block.place, "exec"), {})
    assert capsys.readouterr().out
