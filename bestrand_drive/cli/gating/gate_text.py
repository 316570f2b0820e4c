"""A gate's evidence in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bestrand_drive.cli.tables import console, say, sentences, table
from bestrand_drive.workflows.gating import summary


def print_gate(found: Mapping[str, Any]) -> None:
    """The text form: the verdict leads, then the table, then what to bear in mind."""
    out = console()
    say(out, found["said"])
    table(out, summary.HEADS, summary.rows(found))
    for line in summary.sentences(found):
        say(out, line)
    sentences(out, found["notes"])
    sentences(out, found["cautions"], mark="caution")
