"""Plain ids, one a line: the bytes of a table suite's ``items.txt``."""

from __future__ import annotations

from bestrand_drive.exporters.contract import Exporter, Subset, lines


def write(subset: Subset) -> bytes:
    """All ids as suite and score table name them."""
    return lines(subset.ids)


def usage(subset: Subset, file: str) -> str:
    """There is no tool in particular."""
    return f"{len(subset.ids)} item ids, one a line: {file}"


EXPORTER = Exporter("ids", write, usage, "any")
