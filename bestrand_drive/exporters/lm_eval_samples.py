"""lm-evaluation-harness: ``--samples``, document numbers by task.

The harness (0.4.13) numbers the documents it has run by their place in this list but runs them in the order of the data
set, so a list out of order mislabels its logs: numbers ascend. A task that is not in the mapping is run in full.
"""

from __future__ import annotations

import json
import re
from shlex import quote

from bestrand_drive.errors import UsageError
from bestrand_drive.exporters.contract import Exporter, Subset

_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")


def write(subset: Subset) -> bytes:
    """``{"task": [numbers]}`` on one line, so that it goes into a command as it is.

    Raises:
        UsageError: An item is no document number, or its task has no name.
    """
    for task in subset.tasks:
        if not task:
            raise UsageError(
                "lm-eval takes documents by task, and this suite's table names none; import it with `bestrand import "
                "lm-eval`, or with a column task."
            )
    numbers = {task: sorted(_number(task, own) for own in ids) for task, ids in subset.tasks.items()}
    return (json.dumps(numbers, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def _number(task: str, own: str) -> int:
    if not _NUMBER.fullmatch(own):
        raise UsageError(
            f"Item {own!r} of {task} is no document number of lm-eval (0, 1, 2 ...); --format ids writes the ids."
        )
    return int(own)


def usage(subset: Subset, file: str) -> str:
    """Only tasks with chosen items: others would be run in full."""
    return f"lm_eval run --tasks {quote(','.join(subset.tasks))} --samples {quote(file)} --log_samples ..."


EXPORTER = Exporter("lm-eval-samples", write, usage)
