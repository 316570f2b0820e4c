"""Writes docs/commands: a page a command and an index by errand, from the commands themselves.

    python scripts/make_command_pages.py [--docs docs]

What stands outside the marks of a page is kept.
"""

from __future__ import annotations

import argparse
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, TypeAlias

from documents import filled, markdown, marks

from bestrand_drive.cli.app import every_command
from bestrand_drive.cli.commands import ERRANDS
from bestrand_drive.cli.examples import Command, examples_of
from bestrand_drive.files import write_atomic

NAME = "make_command_pages"
Parameter: TypeAlias = Any
"""The parser's own class, as ``Command``."""
Kind: TypeAlias = Any
"""A type as an annotation names it."""
WORDS = {bool: "", int: "NUMBER", float: "NUMBER", str: "TEXT", Path: "PATH"}


def pages(commands: dict[str, Command]) -> dict[str, str]:
    """Name of each page, and what belongs between its marks."""
    roots = [words for words in commands if " " not in words]
    made = {root: "\n\n".join(_sections(root, commands)) for root in roots}
    return {"README": _index(commands)} | made


def _index(commands: dict[str, Command]) -> str:
    """What to do -> which command; commands that no errand names come last."""
    named = {name for places in ERRANDS.values() for name in places}
    rest = {words: _first_sentence(one) for words, one in commands.items() if " " not in words and words not in named}
    errands = {title: {name: place.summary for name, place in places.items()} for title, places in ERRANDS.items()}
    lines = []
    for title, summaries in (errands | ({"Others": rest} if rest else {})).items():
        lines += [f"## {title}", ""]
        lines += [f"- [bestrand {name}]({name}.md): {summary}" for name, summary in summaries.items()] + [""]
    return "\n".join(lines).rstrip()


def _first_sentence(command: Command) -> str:
    return " ".join(command.help.split("\n\n")[0].split())


def _sections(root: str, commands: dict[str, Command]) -> Iterator[str]:
    """A command, then those below it; options that are those of an earlier one are not told again."""
    told: dict[str, str] = {}
    for words, command in commands.items():
        if words != root and not words.startswith(f"{root} "):
            continue
        if words != root:
            yield f"## bestrand {words}"
        yield _escaped(command.help)
        yield f"```\n{_usage(words, command)}\n```"
        examples = examples_of(command)
        if examples:
            yield "```bash\n" + "\n".join(examples) + "\n```"
        yield from _options(words, command, told)


def _options(words: str, command: Command, told: dict[str, str]) -> Iterator[str]:
    panels = _panels(command)
    text = "\n\n".join(f"{title}\n\n{markdown(('option', '', 'default'), rows)}" for title, rows in panels.items())
    if not text:
        return
    if text in told:
        yield f"Options: those of `bestrand {told[text]}`."
    else:
        told[text] = words
        yield text


def _usage(words: str, command: Command) -> str:
    arguments = [_argument(one) for one in command.params if not one.opts[0].startswith("-")]
    needed = [f"{one.opts[0]} {_value(one)}" for one in command.params if one.opts[0].startswith("-") and one.required]
    below = ["COMMAND ..."] if getattr(command, "commands", None) else []
    options = ["[OPTIONS]"] if _panels(command) else []
    return " ".join(["bestrand", words, *arguments, *needed, *options, *below])


def _argument(one: Parameter) -> str:
    word = (one.metavar or _choices(one) or one.name.upper()) + ("..." if one.nargs == -1 else "")
    return word if one.required else f"[{word}]"


def _panels(command: Command) -> dict[str, list[tuple[str, str, str]]]:
    """Rows of the tables by their titles, as --help groups them."""
    panels: dict[str, list[tuple[str, str, str]]] = {}
    for one in command.params:
        if one.name == "help" or getattr(one, "hidden", False):
            continue
        option = one.opts[0].startswith("-")
        name = f"{', '.join(one.opts)} {_value(one)}".rstrip() if option else _argument(one)
        row = f"`{name}`".replace("|", "\\|"), _escaped(one.help or ""), _default(one)
        panels.setdefault(getattr(one, "rich_help_panel", None) or ("Options" if option else "Arguments"), []).append(
            row
        )
    return panels


def _value(one: Parameter) -> str:
    """The word that stands for the value of an option; none for a flag."""
    return one.metavar or _choices(one) or WORDS.get(_kind(one), "TEXT")


def _kind(one: Parameter) -> Kind:
    """What one value of a parameter is."""
    kind = one.type_descriptor.annotation
    return typing.get_args(kind)[0] if typing.get_origin(kind) is list else kind


def _choices(one: Parameter) -> str:
    kind = _kind(one)
    origin: object = typing.get_origin(kind)
    return "|".join(typing.get_args(kind)) if origin is Literal else ""


def _default(one: Parameter) -> str:
    if one.required:
        return "needed"
    shown = getattr(one, "show_default", False)
    told = shown and not (one.default is None or one.default is False or one.default == "" or callable(one.default))
    return f"`{one.default}`" if told else ""


def _escaped(text: str) -> str:
    """Text of the command line as Markdown: no table and no tag begins in it."""
    return text.replace("|", "\\|").replace("<", "\\<").replace("*", "\\*").replace("\n    ", "\n")


def updated(path: Path, title: str, text: str) -> str:
    """A page with the text between its marks; a page that is not there yet is begun."""
    document = path.read_text() if path.exists() else "# {}\n\n{}\n{}\n".format(title, *marks(NAME))
    return filled(document, NAME, text, path)


def documents(folder: Path) -> dict[Path, str]:
    """All pages as they must be, by their paths."""
    titles = {"README": "Commands"}
    found = pages(every_command()).items()
    return {
        folder / f"{one}.md": updated(folder / f"{one}.md", titles.get(one, f"bestrand {one}"), text)
        for one, text in found
    }


def main() -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--docs", type=Path, default=Path(__file__).resolve().parent.parent / "docs")
    folder = parser.parse_args().docs / "commands"
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in documents(folder).items():
        write_atomic(path, text.encode())


if __name__ == "__main__":
    main()
