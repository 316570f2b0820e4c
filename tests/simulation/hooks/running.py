"""Programs that run with the hooks, in processes of their own: the hooks change Python for the whole of one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from bestrand_drive.simulation import hooks

FOLDER = Path(hooks.__file__).parent
PYTHONS = tuple(dict.fromkeys((sys.executable, os.environ.get("EVALUATOR_PYTHON") or sys.executable)))
"""Interpreters to run with; evaluators have older ones."""
FAKE_CARLA = """
    import os

    class World:
        def tick(self, seconds=10.0):
            return self.step(seconds)

        def step(self, seconds):
            return 41

        def wait_for_tick(self, seconds=10.0):
            return self.snapshot()

    class Client:
        def __init__(self, *arguments, **named):
            self.given = arguments, named

        def load_world(self, map_name, reset_settings=True):
            return World()

        def apply_batch_sync(self, commands, due_tick_cue=False):
            return [None for _ in commands]
"""


def program(folder: Path, text: str, name: str = "program.py") -> Path:
    """Write a program."""
    file = folder / name
    file.write_text(textwrap.dedent(text))
    return file


def run(
    file: Path, *folders: Path, python: str = sys.executable, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run it with the hooks, ``folders`` further on its path; it must end well."""
    path = os.pathsep.join(map(str, (FOLDER, *folders)))
    done = subprocess.run(
        [python, str(file)],
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **(env or {})},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


@contextmanager
def listening(answer: bytes) -> Iterator[int]:
    """A port that takes connections and answers every call with these bytes."""
    with socket.create_server(("127.0.0.1", 0)) as server, ExitStack() as peers:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    peer = peers.enter_context(server.accept()[0])
                    if peer.recv(64) and answer:
                        peer.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
