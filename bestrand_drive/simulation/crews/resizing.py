"""``servers.json``: how many servers the driver of a run folder is to use; anybody may change it while it drives."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from types import TracebackType
from typing import Annotated

from pydantic import Field

from bestrand_drive.errors import BestrandError, UsageError
from bestrand_drive.files import dump_json, read_bytes, write_atomic
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.lock import is_driven
from bestrand_drive.simulation.attempts.models import Frozen, parse_model

_LOOK_S = 1.0


class Servers(Frozen):
    """The file.

    Attributes:
        servers: That are wanted.
        most: That the driver has GPUs or ports for.
    """

    servers: Annotated[int, Field(ge=1)]
    most: Annotated[int, Field(ge=1)]


class Resizing:
    """The driver's side: the file is there while the block runs.

    Args:
        layout: Of the run folder.
        servers: To begin with.
        most: That may be asked for.
    """

    def __init__(self, layout: Layout, servers: int, most: int) -> None:
        self._path = layout.servers
        self._servers, self._most = servers, most
        self._looked_s = time.monotonic()

    def wanted(self) -> int:
        """How many are wanted now; a file that is gone or damaged changes nothing."""
        now_s = time.monotonic()
        if now_s - self._looked_s >= _LOOK_S:
            self._looked_s = now_s
            with contextlib.suppress(BestrandError, OSError):
                self._servers = min(_read(self._path).servers, self._most)
        return self._servers

    def __enter__(self) -> Resizing:
        _write(self._path, Servers(servers=self._servers, most=max(self._most, self._servers)))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)


def ask_servers(folder: Path, servers: int | None = None) -> Servers:
    """How many servers a run that goes on uses; ask for another number, which it takes up within a few seconds.

    Args:
        folder: Of the run.
        servers: None asks for no change.

    Raises:
        UsageError: Nobody drives the folder, or its driver cannot use so many.
    """
    layout = Layout(folder)
    if not (layout.servers.is_file() and is_driven(layout.lock)):
        raise UsageError(f"{folder}: nobody drives it with servers of its own now. Say --servers to `bestrand run`.")
    now = _read(layout.servers)
    if servers is None:
        return now
    if not 1 <= servers <= now.most:
        raise UsageError(
            f"--set {servers}: from 1 to {now.most}, for which this run has ports and GPUs (--port-base, --gpus, "
            "--servers-per-gpu of `bestrand run`). To stop it, end its process; the same command goes on."
        )
    asked = Servers(servers=servers, most=now.most)
    _write(layout.servers, asked)
    return asked


def _read(path: Path) -> Servers:
    return parse_model(Servers, read_bytes(path), path)


def _write(path: Path, servers: Servers) -> None:
    write_atomic(path, dump_json(servers.model_dump()))
