"""What the hooks do before the first tick: the wait for a server, the client's threads, other sitecustomize files."""

from __future__ import annotations

import zipfile
from pathlib import Path
from textwrap import dedent

import pytest

from tests.simulation.hooks.running import FAKE_CARLA, FOLDER, PYTHONS, listening, program, run

WAITING = """
    import sys, time, types
    sys.modules["sitecustomize"].LONG_S = 0.5
    class Evaluator:
        def _setup_simulation(self, args):
            start = time.monotonic()
            time.sleep({seconds})
            print("waited" if time.monotonic() - start >= {seconds} else "cut short")
    Evaluator()._setup_simulation(types.SimpleNamespace(port={port}))
"""
ANSWER = b"\x94\x01\x01\xc0\xa60.9.15"


LONG_S = 40
"""A wait that nobody sits out: on a busy machine an answer takes its time."""


def waited(folder: Path, answer: bytes, name: str, python: str = PYTHONS[0], seconds: float = 0.8) -> str:
    with listening(answer) as port:
        text = WAITING.format(port=port, seconds=seconds)
        return run(program(folder, text, name), python=python).stdout.strip()


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("name", ["leaderboard_evaluator.py", "leaderboard_evaluator_local.py"])
def test_the_wait_for_a_server_ends_when_it_answers(tmp_path, python, name):
    assert waited(tmp_path, ANSWER, name, python, LONG_S) == "cut short"


def test_listening_is_not_answering(tmp_path):
    """Unreal's port is open for a while before anything answers on it."""
    assert waited(tmp_path, b"", "leaderboard_evaluator.py") == "waited"


def test_an_agents_sleep_is_its_own(tmp_path):
    assert waited(tmp_path, ANSWER, "agent.py") == "waited"


def test_a_short_sleep_of_the_evaluator_stays(tmp_path):
    assert waited(tmp_path, ANSWER, "leaderboard_evaluator.py", seconds=0.3) == "waited"


def test_a_wrong_argument_is_the_callers_error(tmp_path):
    text = "import time\ntry:\n    time.sleep('long')\nexcept TypeError:\n    print('refused')"
    assert run(program(tmp_path, text)).stdout == "refused\n"


CLIENTS = """
    import carla
    for client in (carla.Client("here", 1), carla.Client("here", port=2, worker_threads=3), carla.Client("here", 1, 2)):
        print(client.given[0], sorted(client.given[1].items()))
"""


@pytest.mark.parametrize("python", PYTHONS)
def test_a_client_gets_eight_threads_unless_its_caller_says_how_many(tmp_path, python):
    program(tmp_path, FAKE_CARLA, "carla.py")
    assert run(program(tmp_path, CLIENTS), python=python).stdout.splitlines() == [
        "('here', 1) [('worker_threads', 8)]",
        "('here',) [('port', 2), ('worker_threads', 3)]",
        "('here', 1, 2) []",
    ]


@pytest.mark.parametrize("python", PYTHONS)
def test_a_client_in_an_egg_too(tmp_path, python):
    """CARLA's own archive is a zip on the path, and Python 3.7 loads from it in an older way."""
    with zipfile.ZipFile(tmp_path / "carla.egg", "w") as egg:
        egg.writestr("carla/__init__.py", "from .libcarla import *")
        egg.writestr("carla/libcarla.py", dedent(FAKE_CARLA))
    done = run(program(tmp_path, CLIENTS), tmp_path / "carla.egg", python=python)
    assert done.stdout.splitlines()[0] == "('here', 1) [('worker_threads', 8)]"
    assert done.stderr == ""


def test_a_client_that_knows_no_threads_is_left_alone(tmp_path):
    program(tmp_path, "class Client:\n    def __init__(self, host, port):\n        print(host, port)", "carla.py")
    assert run(program(tmp_path, "import carla; carla.Client('here', 1)")).stdout == "here 1\n"


def test_the_module_looks_as_if_nothing_had_been(tmp_path):
    program(tmp_path, FAKE_CARLA, "carla.py")
    text = """
        import carla, importlib
        print(carla.__spec__.loader is carla.__loader__, type(carla.__loader__).__name__, carla.__file__)
        importlib.reload(carla)
    """
    assert run(program(tmp_path, text)).stdout.split() == ["True", "SourceFileLoader", str(tmp_path / "carla.py")]


def test_an_absent_carla_is_an_import_error(tmp_path):
    text = """
        import sys
        sys.path[:] = [folder for folder in sys.path if "site-packages" not in folder]
        try:
            import carla
        except ImportError as error:
            print(error)
    """
    assert run(program(tmp_path, text)).stdout == "No module named 'carla'\n"


def test_the_sitecustomize_behind_it_runs(tmp_path):
    program(tmp_path, "print('the other one')", "sitecustomize.py")
    assert run(program(tmp_path, "print('the program')"), tmp_path).stdout == "the other one\nthe program\n"


def test_a_broken_sitecustomize_behind_it_is_noted(tmp_path):
    program(tmp_path, "raise RuntimeError('of its own')", "sitecustomize.py")
    done = run(program(tmp_path, "import time; print(time.sleep.__module__)"), tmp_path)
    assert done.stdout == "sitecustomize\n"
    assert "of its own" in done.stderr


COUNT = "import sys; print(sum(type(finder).__name__ == 'Finder' for finder in sys.meta_path))"
"""How many of the hooks look for carla."""


def test_twice_on_the_path_is_once(tmp_path):
    (tmp_path / "again").symlink_to(FOLDER)
    assert run(program(tmp_path, COUNT), tmp_path / "again", FOLDER).stdout == "1\n"


def test_another_one_that_looks_for_the_next_in_turn_is_no_circle(tmp_path):
    """As ours does, and as those of coverage tools do."""
    text = f"""
        import importlib.machinery, importlib.util
        print("the other one")
        spec = importlib.machinery.PathFinder.find_spec("sitecustomize", [{str(FOLDER)!r}])
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    """
    program(tmp_path, text, "sitecustomize.py")
    done = run(program(tmp_path, COUNT), tmp_path)
    assert (done.stdout, done.stderr) == ("the other one\n1\n", "")


def test_a_signal_shows_where_the_threads_are(tmp_path):
    text = """
        import os, signal
        def somewhere():
            os.kill(os.getpid(), signal.SIGUSR1)
        somewhere()
    """
    assert "in somewhere" in run(program(tmp_path, text)).stderr
