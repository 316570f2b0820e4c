"""Short programs in the evaluator's interpreter and environment, and what is left of them when they fail."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.adapters.command import Command
from bestrand_drive.simulation.processes.marks import new_mark
from bestrand_drive.simulation.processes.supervised import Launch, Supervised

LIMIT_S = 300
"""A first import of torch from a network file system takes minutes."""
_GRACE_S = 1.0
_MARK = "bestrand-doctor:"
_BEFORE = f"\n{_MARK}"
"""On a line of its own, whatever was written before."""
_PATH = "import sys\nsys.path[0] = sys.argv.pop(1)\n"
"""Modules are found where the evaluator's own script finds them: in its folder, not in the current one."""

_SAY = f"def say(value):\n    print({_BEFORE!r} + json.dumps(value), flush=True)\n"


@dataclass(frozen=True)
class Done:
    """How a program ended.

    Attributes:
        code: Its exit code; negative for a signal, None when nobody saw it.
        output: What it wrote, errors too.
    """

    code: int | None
    output: str


def answer(python: Sequence[str], script: str, arguments: Sequence[str], command: Command) -> Any:  # noqa: ANN401  anything JSON can hold
    """What a script says by calling ``say`` once with something that JSON can hold.

    Raises:
        EnvironmentFault: It ended without an answer; the last line of its output, or its signal, is named.
    """
    program = f"{_PATH}import json\n{_SAY}{script}"
    program_word = command.argv[len(python)]
    script_folder = str(command.cwd if program_word == "-m" else Path(program_word).parent)
    words = [
        *python,
        "-c",
        f"exec({program!r})",
        script_folder,
        *arguments,
    ]  # on one line: conda run takes no line breaks
    done = run(words, command)
    lines = [line for line in done.output.splitlines() if line.startswith(_MARK)]
    if not lines:
        raise EnvironmentFault(last_words(done))
    return json.loads(lines[-1][len(_MARK) :])


def run(words: Sequence[str], command: Command) -> Done:
    """Run a program in the environment of an evaluator, under a supervisor: it never outlives this process.

    Raises:
        EnvironmentFault: It cannot be started, or does not end.
    """
    environment = {**os.environ, **command.env, "PYTHONUNBUFFERED": "1"}  # a traceback's last line comes last
    with TemporaryDirectory(prefix="bestrand-doctor-") as folder:
        log = Path(folder) / "log"
        where = command.cwd if command.cwd.is_dir() else Path()  # the built-in evaluator's would be the attempt's
        launch = Launch(tuple(words), environment, where, log, grace_s=_GRACE_S)
        with Supervised(launch, new_mark()) as program:
            ended = program.wait(LIMIT_S)
        if ended is None:
            raise EnvironmentFault(f"did not end in {LIMIT_S} s")
        return Done(ended.code, log.read_text("utf-8", "replace"))


def last_words(done: Done) -> str:
    """How a program ended, in one line: a traceback's last, or its signal."""
    lines = [line.strip() for line in done.output.splitlines() if line.strip()]
    if done.code is None or done.code < 0:
        return f"ended by signal {-(done.code or -signal.SIGKILL)}"
    return lines[-1][:300] if lines else f"ended with exit code {done.code} without a word"
