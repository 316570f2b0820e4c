"""One start of an evaluator: what is written before, what is started, and what it leaves behind."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.files import write_atomic


@dataclass(frozen=True)
class Command:
    """A command of an evaluator; nothing of it goes through a shell.

    Attributes:
        argv: Interpreter, script, flags.
        env: Added to the environment of the driver.
        cwd: Working folder.
        files: To be written before, by path.
        folders: To be made before.
        result: Where the evaluator writes its result.
        live: Where it writes while it drives, with ``--debug`` only.
        heartbeat: Where the hooks write; None without hooks.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path
    files: Mapping[Path, bytes]
    folders: tuple[Path, ...]
    result: Path
    live: Path
    heartbeat: Path | None = None

    def prepare(self) -> None:
        """Make folders and files.

        Raises:
            OSError: The disk is full, or a folder is not writable.
        """
        for folder in (*self.folders, *(path.parent for path in self.files)):
            folder.mkdir(parents=True, exist_ok=True)
        for path, content in self.files.items():
            write_atomic(path, content)

    def line(self) -> str:
        """The same as one line for a POSIX shell, to be read or pasted; the files must be there."""
        variables = [f"{name}={value}" for name, value in self.env.items()]
        return f"cd {shlex.quote(str(self.cwd))} && {shlex.join(['env', *variables, *self.argv])}"
