"""Where a verdict is written for a CI system to find."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bestrand_drive.errors import UsageError
from bestrand_drive.files import write_atomic
from bestrand_drive.workflows.gating.junit import junit
from bestrand_drive.workflows.gating.markdown import markdown


def check_places(junit_file: Path | None, markdown_file: Path | None) -> None:
    """Refuse places that cannot be written to, before anything is read.

    Raises:
        UsageError: A place is empty (a variable that is not set), a folder, or its folder is absent.
    """
    for option, place in (("--junit", junit_file), ("--markdown", markdown_file)):
        if place is None:
            continue
        if place == Path():
            raise UsageError(f"{option}: no file is named; is a variable of the CI system not set here?")
        if place.is_dir() or not place.parent.is_dir():
            raise UsageError(f"{option} {place}: it must be a file in a folder that is there.")


def write_junit(found: dict[str, Any], place: Path) -> None:
    """Write the JUnit file, whole or not at all."""
    write_atomic(place, junit(found))


def add_markdown(found: dict[str, Any], place: Path) -> None:
    """Add the page to a file: a job summary is one file to which every step adds."""
    with place.open("a", encoding="utf-8") as stream:
        stream.write(markdown(found))
