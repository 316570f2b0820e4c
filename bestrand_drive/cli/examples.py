"""Examples of commands: paragraphs ``Example: bestrand ...`` of a command's own help, shown at its end."""

from __future__ import annotations

import re
from typing import Any

MARK = "Example: "
_LINE = re.compile(rf"^{MARK}(.+)$", re.MULTILINE)


def examples_of(command: Any) -> tuple[str, ...]:  # noqa: ANN401  the parser's own class, whose module differs by version
    """The examples that ``with_examples`` put at the end of a command's help."""
    return tuple(line for line in (command.epilog or "").split("\n\n") if line.startswith("bestrand "))


def with_examples(command: Any) -> None:  # noqa: ANN401  as above
    """Move the examples of a command, and of those below it, from the middle of the help to its end."""
    lines = _LINE.findall(command.help or "")
    if lines:
        rest = _LINE.sub("", command.help)
        command.help = re.sub(r"\n{3,}", "\n\n", rest).strip()
        command.epilog = "\n\n".join(["Examples:" if len(lines) > 1 else "Example:", *lines])
    for one in getattr(command, "commands", {}).values():
        with_examples(one)
