"""pytest: node ids, one a line, which pytest takes as ``@FILE`` since 8.2."""

from __future__ import annotations

from shlex import quote

from bestrand_drive.errors import UsageError
from bestrand_drive.exporters.contract import Exporter, Subset, lines


def write(subset: Subset) -> bytes:
    """All node ids, as ``pytest --collect-only -q`` prints them.

    Raises:
        UsageError: An id would be read as an option or as another file of arguments, or there are several suites.
    """
    ids = subset.of_one_task("pytest")
    for own in ids:
        if own.startswith(("-", "@")):
            raise UsageError(f"Item {own!r} would be an option of pytest, no test; ids are such as tests/test_a.py::b.")
    return lines(ids)


def usage(subset: Subset, file: str) -> str:
    """Node ids are relative to pytest's rootdir, so that is where to call it."""
    return f"pytest {quote('@' + file)}"


EXPORTER = Exporter("pytest-ids", write, usage)
