"""Where a verdict is written for a CI system to find."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bestrand_drive.errors import UsageError
from bestrand_drive.files import write_atomic
from bestrand_drive.workflows.gating.junit import junit
from bestrand_drive.workflows.gating.markdown import markdown

_OTHERS = {".json", ".jsonl", ".xml", ".html", ".csv"}
"""Endings of files to which no Markdown is added: it would spoil them."""


def check_places(junit_file: Path | None, markdown_file: Path | None) -> None:
    """Refuse places that cannot be written to, or hold something else, before anything is read.

    Raises:
        UsageError: A place is empty (a variable that is not set), no file, in no folder, another kind of file, or both
            are one.
    """
    for option, place in (("--junit", junit_file), ("--markdown", markdown_file)):
        if place is not None:
            _check_place(option, place)
    if junit_file is not None:
        _check_junit(junit_file)
    if markdown_file is None:
        return
    if markdown_file.suffix.lower() in _OTHERS:
        raise UsageError(
            f"--markdown {markdown_file}: Markdown would spoil a {markdown_file.suffix} file; name another."
        )
    if junit_file is not None and junit_file.resolve() == markdown_file.resolve():
        raise UsageError(f"--junit and --markdown {markdown_file}: these are two files; name both.")


def _check_place(option: str, place: Path) -> None:
    if place == Path():
        raise UsageError(f"{option}: no file is named; is a variable of the CI system not set here?")
    if place.is_dir() or not place.parent.is_dir():
        raise UsageError(f"{option} {place}: it must be a file in a folder that is there.")


def _check_junit(place: Path) -> None:
    """A file takes the place of what is there, so that this must be an earlier one, or empty."""
    if place == Path("-"):
        raise UsageError("--junit -: JUnit is a file; name it.")
    if not place.exists():
        return
    if not place.is_file():
        raise UsageError(f"--junit {place}: a pipe or a device is there; name a file.")
    with place.open("rb") as stream:
        begins = stream.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")
    if begins and not begins.startswith(b"<"):
        raise UsageError(f"--junit {place}: what is there is no XML and would be lost; name another file or remove it.")


def write_junit(found: dict[str, Any], place: Path) -> None:
    """Write the JUnit file, whole or not at all; a link keeps leading there."""
    write_atomic(place.resolve(), junit(found))


def add_markdown(found: dict[str, Any], place: Path) -> None:
    """Add the page to a file: a job summary is one file to which every step adds.

    Raises:
        OSError: Naming the file.
    """
    try:
        with place.open("a", encoding="utf-8") as stream:
            stream.write(markdown(found))
    except OSError as error:
        error.filename = str(place)
        raise
