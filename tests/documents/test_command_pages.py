"""docs/commands is what the commands say today; every command has an example at the end of its help."""

from __future__ import annotations

import re
import sys

import pytest

from bestrand_drive.cli.app import every_command
from bestrand_drive.cli.commands import ERRANDS
from bestrand_drive.cli.examples import examples_of
from tests.documents.blocks import ROOT

COMMANDS = every_command()
PAGES = ROOT / "docs/commands"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import make_command_pages  # type: ignore[import-not-found]

    yield make_command_pages
    for name in ("make_command_pages", "documents"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("columns", ["40", "300"])
def test_the_pages_are_of_today(script, monkeypatch, columns):
    """Whatever the terminal."""
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("FORCE_COLOR", "1")
    found = script.documents(ROOT / "docs/commands")
    stale = [path.name for path, text in found.items() if not path.exists() or path.read_text() != text]
    assert stale == [], "run scripts/make_command_pages.py"
    assert {path.name for path in found} == {path.name for path in PAGES.iterdir()}, "a page of no command"


def test_text_outside_the_marks_is_kept(script, tmp_path):
    (tmp_path / "share.md").write_text(
        "# A title\n\n<!-- make_command_pages: begin -->\nwhat was there\n<!-- make_command_pages: end -->\nmine\n"
    )
    made = script.documents(tmp_path)[tmp_path / "share.md"]
    assert made.startswith("# A title\n")
    assert made.endswith("-->\nmine\n")
    assert "what was there" not in made
    assert "--probe-data" in made
    (tmp_path / "share.md").write_text("no marks")
    with pytest.raises(SystemExit, match="are not there"):
        script.documents(tmp_path)


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_has_an_example(words):
    """A paragraph ``Example: bestrand ...`` of its docstring or help; the pages' examples are given by another test."""
    examples = examples_of(COMMANDS[words])
    assert examples, f"bestrand {words}: end its docstring with a paragraph  Example: bestrand {words} ..."
    assert all(one.startswith(f"bestrand {words.split()[0]} ") for one in examples)


def test_the_example_is_the_end_of_the_help(bestrand, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    said = bestrand("cite", "--help").out
    assert said.rstrip().endswith("bestrand cite suite/ --format text")
    assert said.index("--format") < said.index("Example:")
    assert said.count("Example:") == 1


def test_the_list_of_commands_is_that_of_the_errands(bestrand):
    said = bestrand("--help").out
    places = {name: place for places in ERRANDS.values() for name, place in places.items()}
    known = {words for words in COMMANDS if " " not in words}
    assert known - set(places) == set(), (
        "name these in cli/commands.py, not in cli/app.py: they would be imported by every command"
    )
    assert set(places) <= known
    assert [errand for errand in ERRANDS if errand not in said] == []
    assert [name for name in places if f" {name} " not in said] == []


def test_help_has_no_line_breaks_of_the_source():
    """Else lines of a paragraph end early, where one of the docstring did."""
    assert [words for words, one in COMMANDS.items() if "\n" in one.help.replace("\n\n", "")] == []


@pytest.mark.parametrize("words", ["run", "gate", "adopt"])
def test_no_choice_is_cut_in_a_word(bestrand, monkeypatch, words):
    """At 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    said = bestrand(*words.split(), "--help").out
    assert re.findall(r"<[^> ]*\|[^> ]* ", said) == []
