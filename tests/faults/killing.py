"""Writers that are killed at any moment: one server forks them, so that no start of Python is in the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.simulation.processes.trees import LIMIT_S, ROOT

SERVER = """
import os, signal, sys
{imports}
os.fsync = lambda descriptor: None  # a killed process does not lose what it wrote; this way every stage is hit
while said := sys.stdin.readline():
    after_s, line = said.rstrip().split(" ", 1)
    if os.fork() == 0:
        signal.setitimer(signal.ITIMER_PROF, float(after_s))
{writes}
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
"""


@contextmanager
def writers(imports: str, writes: str) -> Iterator[Callable[[str, float], None]]:
    """Starts the server; what it gives has a writer begin with a ``line`` and be killed after some seconds.

    They are seconds of its own processor time, told by a signal that no Python sees: how far it comes does not depend
    on what else the machine does.

    Args:
        imports: Lines of Python that the server runs once.
        writes: Those of a writer, which never ends by itself.
    """
    body = "\n".join(f"        {line}" for line in writes.strip().splitlines())
    with subprocess.Popen(
        [sys.executable, "-c", SERVER.format(imports=imports.strip(), writes=body)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        asked, told = server.stdin, server.stdout

        def killed(line: str, after_s: float) -> None:
            print(after_s, line, file=asked, flush=True)
            assert int(told.readline()) == -signal.SIGPROF, "it ended in another way"

        yield killed
        asked.close()
        assert server.wait(LIMIT_S) == 0
