"""Short programs in the evaluator's interpreter and environment, and what is left of them when they fail."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.adapters.command import Command

LIMIT_S = 300
"""A first import of torch from a network file system takes minutes."""
_MARK = "bestrand-doctor:"
_PATH = "import sys\nsys.path[0] = sys.argv.pop(1)\n"
"""Modules are found where the evaluator's own script finds them: in its folder, not in the current one."""


def answer(python: Sequence[str], script: str, arguments: Sequence[str], command: Command) -> Any:  # noqa: ANN401  anything JSON can hold
    """What a script says by calling ``say`` once with something that JSON can hold.

    Raises:
        EnvironmentFault: It ended without an answer; the last line of its output, or its signal, is named.
    """
    program = f"{_PATH}import json\ndef say(value):\n    print({_MARK!r} + json.dumps(value), flush=True)\n{script}"
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
    lines = [line for line in done.stdout.splitlines() if line.startswith(_MARK)]
    if not lines:
        raise EnvironmentFault(last_words(done))
    return json.loads(lines[-1][len(_MARK) :])


def run(words: Sequence[str], command: Command) -> subprocess.CompletedProcess[str]:
    """Run a program in the environment of an evaluator, its output as text.

    Raises:
        EnvironmentFault: It cannot be started, or does not end.
    """
    try:
        return subprocess.run(  # noqa: S603  the user's own interpreter, arguments as a list
            list(words),
            cwd=command.cwd if command.cwd.is_dir() else None,
            env={**os.environ, **command.env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentFault(f"did not end in {LIMIT_S} s") from error
    except OSError as error:
        raise EnvironmentFault(f"{words[0]} does not run ({error.strerror})") from error


def last_words(done: subprocess.CompletedProcess[str]) -> str:
    """How a program ended, in one line: a traceback's last, or its signal."""
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    if done.returncode < 0:
        return f"ended by signal {-done.returncode}"
    return lines[-1][:300] if lines else f"ended with exit code {done.returncode} without a word"
