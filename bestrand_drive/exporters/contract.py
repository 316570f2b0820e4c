"""What an exporter is: a name, a function from the chosen items to a file's bytes, and how that file is used."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from bestrand_drive.errors import UsageError

Kind = Literal["table", "driving", "any"]
"""Of which suites an exporter is."""


@dataclass(frozen=True)
class Subset:
    """The chosen items, benchmark order.

    Attributes:
        ids: As suite and score table name them; the members of a group or pair in its place.
        tasks: Task -> its chosen items by the tool's own ids, tasks without any left out; empty for driving.
        known: Task -> own ids of all its items, chosen or not.
        route_files: Name -> content of the suite's own route files; empty for tables.
    """

    ids: tuple[str, ...]
    tasks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    known: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    route_files: Mapping[str, bytes] = field(default_factory=dict)

    def of_one_task(self, tool: str) -> tuple[str, ...]:
        """Own ids of the only task.

        Raises:
            UsageError: There are several.
        """
        if len(self.tasks) > 1:
            raise UsageError(
                f"{tool} takes the items of one benchmark at a time; this suite has {', '.join(self.tasks)}. "
                "Import and compress one --task at a time."
            )
        return next(iter(self.tasks.values()))


@dataclass(frozen=True)
class Exporter:
    """An exporter.

    Attributes:
        name: As given to ``bestrand export --format``.
        write: The file's bytes; the same items give the same bytes.
        usage: The command that runs these items only, given the file's name.
        kind: Of which suites it is.
    """

    name: str
    write: Callable[[Subset], bytes]
    usage: Callable[[Subset, str], str]
    kind: Kind = "table"


def lines(ids: Collection[str]) -> bytes:
    """One id a line.

    Raises:
        UsageError: An id holds a line break of any alphabet, or is empty.
    """
    for name in ids:
        if name.splitlines() != [name]:
            raise UsageError(f"Item {name!r} is no single line of text, as this format needs; rename it in the table.")
    return ("\n".join(ids) + "\n").encode()
