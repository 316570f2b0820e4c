"""inspect_ai: ``--sample-id``, ids joined by commas.

The tool (0.3.285) splits at commas, strips blanks, takes what is left for a shell pattern, and reads ``task:id`` as an
id of that task. So what a pattern would read otherwise is bracketed, and tasks are named where there are several, or
where an id begins like one. Ids of digits are numbers to it, so that nothing names 7 and leaves out 007.
"""

from __future__ import annotations

import glob
from collections.abc import Collection
from shlex import quote

from bestrand_drive.errors import UsageError
from bestrand_drive.exporters.contract import Exporter, Subset


def write(subset: Subset) -> bytes:
    """All ids on one line.

    Raises:
        UsageError: An id or task cannot be written in such a list, or the tool would run another sample with it.
    """
    for task, ids in subset.tasks.items():
        _refuse_twins(ids, subset.known[task])
    names = {task.lower() for task in subset.known if task}
    several = len(subset.known) > 1
    parts = [_selector(task, own, names, several) for task, ids in subset.tasks.items() for own in ids]
    return (",".join(parts) + "\n").encode()


def _refuse_twins(chosen: Collection[str], known: Collection[str]) -> None:
    """Refuse a chosen number that another sample has, too, which is not chosen."""
    taken = set(chosen)
    numbers = {own.lstrip("0"): own for own in chosen if own.isdecimal()}
    for own in known:
        twin = numbers.get(own.lstrip("0")) if own.isdecimal() else None
        if twin is not None and own not in taken:
            raise UsageError(
                f"Items {twin!r} and {own!r} are one number to inspect's --sample-id, and only the first is chosen; "
                "rename one of them in the data, or take --format ids."
            )


def _selector(task: str, own: str, names: set[str], several: bool) -> str:
    if not own or "," in own or own != own.strip() or own.splitlines() != [own]:
        raise UsageError(
            f"Item {own!r} cannot be named in inspect's --sample-id (commas part ids and outer blanks are dropped). "
            "Python's inspect_ai.eval(sample_id=[...]) takes it; --format ids writes the ids."
        )
    if several and (not task or set(task) & set(",:")):
        raise UsageError(f"Task {task!r} cannot stand before its ids in inspect's --sample-id; take one task a suite.")
    scoped = several or (":" in own and own.partition(":")[0].lower() in names)
    return (f"{task}:" if scoped else "") + glob.escape(own)


def usage(subset: Subset, file: str) -> str:
    """The list goes into the command."""
    tasks = " ".join(quote(task) for task in subset.tasks if task) or "TASK"
    return f'inspect eval {tasks} --sample-id "$(cat {quote(file)})" ...'


EXPORTER = Exporter("inspect-sample-ids", write, usage)
