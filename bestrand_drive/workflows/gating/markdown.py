"""A gate's evidence as Markdown for job summaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bestrand_drive.workflows.gating.fitting import fitting
from bestrand_drive.workflows.gating.summary import HEADS, rows, sentences

_MARKS = {"passed": "✅", "failed": "❌", "undecided": "❔"}


def markdown(found: Mapping[str, Any]) -> str:
    """The page.

    Args:
        found: As ``evidence`` makes it.
    """
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"### {_MARKS[found['status']]} {_plain(found['said'])}"
    yield ""
    yield f"| {' | '.join(HEADS)} |"
    yield f"|{' --- |' * len(HEADS)}"
    yield from (f"| {' | '.join(map(_plain, row))} |" for row in rows(found))
    yield ""
    yield from (f"- {_plain(said)}" for said in sentences(found))
    yield from (f"- {_plain(note)}" for note in found["notes"])
    yield from (f"- **{_plain(caution)}**" for caution in found["cautions"])


def _plain(text: str) -> str:
    """Text as it is: neither Markdown nor HTML, in one line."""
    text = " ".join(fitting(text).split())
    for mark in ("\\", "`", "*", "_", "[", "]", "|"):
        text = text.replace(mark, f"\\{mark}")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
