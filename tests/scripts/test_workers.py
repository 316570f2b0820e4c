"""Worker processes of scripts: answers in order, and none is left when the script ends early."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
PROGRAM = f"""
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where who starts the tests ignores it
sys.path.insert(0, {str(SCRIPTS)!r})
from workers import each
def work(number):
    if number < 0:
        raise ValueError("not this one")
    if number:
        os.write(1, b"%d\\n" % os.getpid())
        time.sleep(600)
    return os.getpid()
"""


def gone(pid: int) -> bool:
    """Whether a process has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def wait_until_gone(pids: list[int]) -> None:
    """They are killed; on a machine that is busy it may take a while until that is seen."""
    until_s = time.monotonic() + 120
    while not all(map(gone, pids)):
        assert time.monotonic() < until_s, f"left: {pids}"
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_none_is_left_by_a_script_that_is_ended(number):
    """Without it they would be waited for, or wait for ever: each holds both ends of the queue."""
    program = f"{PROGRAM}\neach(work, [1, 1], 2)"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as script:
        assert script.stdout is not None
        pids = [int(script.stdout.readline()) for _ in range(2)]
        script.send_signal(number)
        assert script.wait(120) == -number
        wait_until_gone(pids)


def test_a_fault_of_one_ends_the_others():
    program = f"{PROGRAM}\neach(work, [-1, 1], 2)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "ValueError: not this one" in done.stderr
    wait_until_gone([int(line) for line in done.stdout.split()])


def test_answers_come_in_order():
    program = f"{PROGRAM}\nprint(os.getpid() in each(work, [0], 1), *each(abs, [3, -2, 1], 2))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.split() == ["False", "3", "2", "1"]


def test_a_command_that_a_script_runs_ends_with_it():
    """As Ctrl-C would end it; the code is that of the signal."""
    sleeper = 'import os, time; os.write(1, b"%d\\n" % os.getpid()); time.sleep(600)'
    program = f"""{PROGRAM}
import subprocess
from workers import end_by_sigterm
end_by_sigterm()
subprocess.run([sys.executable, "-c", {sleeper!r}])
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as script:
        assert script.stdout is not None
        pid = int(script.stdout.readline())
        script.terminate()
        assert script.wait(120) == 143
        wait_until_gone([pid])
