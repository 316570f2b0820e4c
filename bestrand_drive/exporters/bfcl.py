"""BFCL: ``test_case_ids_to_generate.json``, ids by test category, for ``bfcl generate --run-ids``."""

from __future__ import annotations

import re
from shlex import quote

from bestrand_drive.errors import UsageError
from bestrand_drive.exporters.contract import Exporter, Subset
from bestrand_drive.files import dump_json

FILE = "test_case_ids_to_generate.json"
"""The name under which the tool looks for it, in BFCL_PROJECT_ROOT."""
_ID = re.compile(r"([a-z][a-z0-9_]*)_[0-9][^_]*")
"""Category and the rest; the tool too takes what stands before the last "_" for the category."""


def write(subset: Subset) -> bytes:
    """``{"category": [ids]}``, categories and ids in the order of the benchmark.

    Raises:
        UsageError: An item has no category in its id, as those of the files of 2024, which are numbered only.
    """
    by_category: dict[str, list[str]] = {}
    for ids in subset.tasks.values():
        for own in ids:
            match = _ID.fullmatch(own)
            if match is None:
                raise UsageError(
                    f"Item {own!r} is no test case of BFCL, such as simple_python_12: its category is not to be seen."
                )
            by_category.setdefault(match[1], []).append(own)
    return dump_json(by_category)


def usage(subset: Subset, file: str) -> str:
    """The tool reads the one file of that name."""
    place = "" if file.rpartition("/")[2] == FILE else f"cp {quote(file)} $BFCL_PROJECT_ROOT/{FILE}; "
    return f"{place}bfcl generate --run-ids ...; bfcl evaluate --partial-eval ..."


EXPORTER = Exporter("bfcl", write, usage)
