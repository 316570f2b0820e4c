"""The shim, in a process of its own: it changes Python for the whole of it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

from tests.real_evaluator.evaluators import HERE


def output(script: str, *, port: int, path: Path | None = None) -> str:
    """What a script prints that runs with the shim."""
    folders = [str(folder) for folder in (HERE / "shim", path) if folder]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders), "CARLA_PORT": str(port)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.strip()


def test_a_long_sleep_ends_when_the_server_answers():
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert output("import time; time.sleep(3600); print('awake')", port=server.getsockname()[1]) == "awake"


def test_a_long_sleep_lasts_while_nobody_answers():
    script = (
        "import sitecustomize, time; sitecustomize.LONG_S = 0.1; start = time.monotonic(); time.sleep(0.4);"
        "print(time.monotonic() - start >= 0.4)"
    )
    with socket.socket() as held:  # bound, not listening
        held.bind(("127.0.0.1", 0))
        assert output(script, port=held.getsockname()[1]) == "True"


def test_a_short_sleep_lasts_although_the_server_answers():
    script = "import time; start = time.monotonic(); time.sleep(0.3); print(time.monotonic() - start >= 0.3)"
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert output(script, port=server.getsockname()[1]) == "True"


def test_the_client_gets_more_threads_unless_its_caller_says_how_many(tmp_path):
    (tmp_path / "carla.py").write_text(
        "class Client:\n    def __init__(self, *arguments):\n        print(*arguments)\n"
    )
    script = "import carla; carla.Client('here', 1); carla.Client('here', port=2, worker_threads=3)"
    assert output(script, port=1, path=tmp_path).split("\n") == ["here 1 8", "here 2 3"]


def test_other_modules_are_found_as_ever(tmp_path):
    (tmp_path / "carlas.py").write_text("x = 5\n")
    assert output("import carlas; print(carlas.x)", port=1, path=tmp_path) == "5"
