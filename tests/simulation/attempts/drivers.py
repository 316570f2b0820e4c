"""Another process that drives a run folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_DRIVER = """
import sys
from pathlib import Path
from bestrand_drive.simulation.attempts.lock import driver_lock
with driver_lock(Path(sys.argv[1])):
    print("driving", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def driver_of(lock: Path) -> Iterator[subprocess.Popen[str]]:
    """Drive from a process of its own until the block ends, or a line is written to it."""
    with subprocess.Popen(
        [sys.executable, "-c", _DRIVER, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": ":".join(sys.path)},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "driving\n"
        try:
            yield process
        finally:
            if process.poll() is None:
                process.communicate("\n", timeout=30)
