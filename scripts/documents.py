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


def put_into(path: Path, name: str, text: str) -> None:
    """Write between the marks of a document.

    Raises:
        SystemExit: The marks are not there.
    """
    begin, end = marks(name)
    document = path.read_text()
    if begin not in document or end not in document:
        raise SystemExit(f"{path}: the marks {begin} and {end} are not there")
    before, after = document.split(begin)[0], document.split(end)[1]
    write_atomic(path, f"{before}{begin}\n{text}\n{end}{after}".encode())
