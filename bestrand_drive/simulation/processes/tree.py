"""Who descends from whom."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator

from bestrand_drive.simulation.processes.identity import Running, running


def processes() -> Iterator[Running]:
    """Everything that runs on this host (or in this container)."""
    for name in os.listdir("/proc"):
        found = running(int(name)) if name.isdigit() else None
        if found:
            yield found


def descendants(roots: Iterable[int]) -> tuple[Running, ...]:
    """Everything below some processes, without these themselves; the parent stands before the child."""
    return below(roots, processes())


def below(roots: Iterable[int], table: Iterable[Running]) -> tuple[Running, ...]:
    """As ``descendants``, among the processes of a table."""
    children: dict[int, list[Running]] = defaultdict(list)
    for one in table:
        children[one.parent].append(one)
    waiting = list(dict.fromkeys(roots))
    seen, found = set(waiting), []
    while waiting:
        for child in children[waiting.pop(0)]:
            if child.process.pid not in seen:
                seen.add(child.process.pid)
                waiting.append(child.process.pid)
                found.append(child)
    return tuple(found)


def lineage(pid: int) -> set[int]:
    """A process and its ancestors, by id."""
    found: set[int] = set()
    while pid > 0 and pid not in found:
        found.add(pid)
        above = running(pid)
        pid = above.parent if above else 0
    return found


def command_line(pid: int) -> str:
    """What it was started as, for people; "" when that cannot be read."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as stream:
            return stream.read(4096).replace(b"\0", b" ").decode("utf-8", "replace").strip()
    except OSError:
        return ""
