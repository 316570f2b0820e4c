"""Examples of commands: paragraphs ``Example: bestrand ...`` of a command's own help, shown at its end."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

Command: TypeAlias = Any
"""The parser's own class, whose module differs between versions of typer."""
MARK = "Example: "
_LINE = re.compile(rf"^{MARK}(.+)$", re.MULTILINE)


def examples_of(command: Command) -> tuple[str, ...]:
    """The examples that ``with_examples`` put at the end of a command's help."""
    return tuple(line for line in (command.epilog or "").split("\n\n") if line.startswith("bestrand "))


def with_examples(command: Command) -> None:
    """Move the examples of a command, and of those below it, from the middle of the help to its end.

    Lines of a paragraph are joined: the terminal breaks them at its own width, not at the source's.
    """
    lines = _LINE.findall(command.help or "")
    if command.help:
        paragraphs = re.split(r"\n{2,}", _LINE.sub("", command.help).strip())
        command.help = "\n\n".join(" ".join(one.split()) for one in paragraphs)
    if lines:
        command.epilog = "\n\n".join(["Examples:" if len(lines) > 1 else "Example:", *lines])
    for one in getattr(command, "commands", {}).values():
        with_examples(one)
