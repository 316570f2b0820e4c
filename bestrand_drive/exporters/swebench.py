"""SWE-bench: instance ids, one a line, for ``--instance_ids``."""

from __future__ import annotations

from shlex import quote

from bestrand_drive.errors import UsageError
from bestrand_drive.exporters.contract import Exporter, Subset, lines


def write(subset: Subset) -> bytes:
    """All instance ids.

    Raises:
        UsageError: There are several data sets, or an id would be more than one word of a command.
    """
    ids = subset.of_one_task("swebench")
    for own in ids:
        if len(own.split()) != 1 or set(own) & set("*?["):
            raise UsageError(f"Item {own!r} is no instance id of SWE-bench, such as django__django-11099.")
    return lines(ids)


def usage(subset: Subset, file: str) -> str:
    """The harness takes ids as words."""
    return f"python -m swebench.harness.run_evaluation --instance_ids $(cat {quote(file)}) ..."


EXPORTER = Exporter("swebench", write, usage)
