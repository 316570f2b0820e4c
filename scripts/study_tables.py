"""Tables of docs/study.md from the rows of a study."""

from __future__ import annotations

from bestrand_drive.study.study import Row


def sections(rows: dict[str, list[Row]]) -> dict[str, str]:
    """Text of each marked section."""
    return {}


def written(text: str, bodies: dict[str, str]) -> str:
    """The page with the bodies put between its markers."""
    return text
