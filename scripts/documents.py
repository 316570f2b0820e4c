"""Tables, and the marked parts of documents that scripts write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from bestrand_drive.files import write_atomic


def markdown(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def marks(name: str) -> tuple[str, str]:
    """What stands around a part that a script of this name writes."""
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def filled(document: str, name: str, text: str, where: Path) -> str:
    """A document with a text between its marks.

    Args:
        document: Whole.
        name: Of the marks.
        text: To stand between them.
        where: The document's file, for the error.

    Raises:
        SystemExit: The marks are not there.
    """
    begin, end = marks(name)
    before, found, rest = document.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{where}: the marks {begin} and {end} are not there")
    return f"{before}{begin}\n{text}\n{end}{after}"


def put_into(path: Path, name: str, text: str) -> None:
    """Write between the marks of a document.

    Raises:
        SystemExit: The marks are not there.
    """
    write_atomic(path, filled(path.read_text(), name, text, path).encode())
