"""The blocks of commands in README and docs, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHELL = ("bash", "console")


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        place: Document and line, as test ids have it.
        language: What stands behind the fence.
        text: Between the fences.
    """

    place: str
    language: str
    text: str

    @property
    def lines(self) -> list[str]:
        """Commands, without prompts and comments, continued lines joined; of a console, output left out."""
        joined = re.sub(r"\\\n\s*", "", self.text).splitlines()
        if self.language == "console":
            joined = [line[2:] for line in joined if line.startswith("$ ")]
        return [line for line in (re.sub(r"(^|\s+)# .*", "", one).strip() for one in joined) if line]


def blocks(path: Path) -> Iterator[Block]:
    """The fenced blocks of a document."""
    text = path.read_text()
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        number = text.count("\n", 0, found.start()) + 1
        yield Block(f"{path.relative_to(ROOT).as_posix()}:{number}", found[1], found[2])


def all_blocks() -> list[Block]:
    """Those of README and docs."""
    return [block for path in DOCUMENTS for block in blocks(path)]


def spans() -> list[tuple[str, str]]:
    """Commands inside sentences: document, text."""
    found = []
    for path in DOCUMENTS:
        outside = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
        found += [(path.relative_to(ROOT).as_posix(), one) for one in re.findall(r"`(bestrand [^`]+)`", outside)]
    return found
