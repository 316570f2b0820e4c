"""Tracebacks as Python itself prints them, of programs that raise in every way."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from bestrand_drive.simulation.attempts.tracebacks import tracebacks


def printed(tmp_path, program):
    """What a program prints, both streams."""
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(program))
    ran = subprocess.run([sys.executable, str(path)], check=False, capture_output=True, text=True, timeout=60)
    return str(path), (ran.stdout + ran.stderr).splitlines()


def test_one_exception(tmp_path):
    path, lines = printed(tmp_path, "def f():\n    raise ValueError('bad')\nprint('before')\nf()\n")
    (raised,) = tracebacks(lines)
    assert (raised.frames, raised.said) == (((path, "<module>"), (path, "f")), ("ValueError: bad",))


@pytest.mark.parametrize("how", ["raise RuntimeError('b')", "raise RuntimeError('b') from error"])
def test_one_that_was_raised_while_another_was_handled(tmp_path, how):
    _, lines = printed(tmp_path, f"try:\n    raise ValueError('a')\nexcept ValueError as error:\n    {how}\n")
    (raised,) = tracebacks(lines)
    assert raised.said == ("ValueError: a", "RuntimeError: b")


def test_one_that_was_survived_stands_alone(tmp_path):
    program = """
        import sys, traceback
        try:
            raise ValueError('a')
        except ValueError:
            traceback.print_exc()
        raise RuntimeError('b')
    """
    _, lines = printed(tmp_path, program)
    assert [one.said for one in tracebacks(lines)] == [("ValueError: a",), ("RuntimeError: b",)]


def test_other_threads_and_destructors_end_nothing(tmp_path):
    program = """
        import threading
        class Loud:
            def __del__(self):
                raise OSError('late')
        def fail():
            raise KeyError('thread')
        other = threading.Thread(target=fail)
        other.start()
        other.join()
        loud = Loud()
        raise RuntimeError('main')
    """
    _, lines = printed(tmp_path, program)
    assert sum("Traceback" in line for line in lines) == 3
    assert [one.said for one in tracebacks(lines)] == [("RuntimeError: main",)]


def test_a_file_that_is_no_python(tmp_path):
    (tmp_path / "broken.py").write_text("def f(:\n")
    _, lines = printed(tmp_path, "import importlib\nimportlib.import_module('broken')\n")
    (raised,) = tracebacks(lines)
    assert raised.frames[-1] == (str(tmp_path / "broken.py"), "")
    assert raised.said[0].startswith("SyntaxError: ")


def test_colours_around_it():
    """As the leaderboard prints them."""
    lines = ["\x1b[91mStopping the route, the agent has crashed:", "", "Traceback (most recent call last):",
             '  File "/a.py", line 1, in f', "    f()", "IndexError: x", "\x1b[0m", "", "next"]  # fmt: skip
    assert [one.said for one in tracebacks(lines)] == [("IndexError: x",)]


def test_a_traceback_that_is_cut_off_says_nothing():
    assert tracebacks(["Traceback (most recent call last):", '  File "/a.py", line 1, in f']) == []
