"""F12: the first signal ends what runs with its grace, the second at once; nothing stays behind either way."""

from __future__ import annotations

import signal

import pytest

from tests.simulation.processes.trees import LIMIT_S, STUBBORN, end_all, gone, noted, own_runtime_folder, python

__all__ = ["own_runtime_folder"]

DRIVER = """
import os, sys
from pathlib import Path
from bestrand_drive.simulation.processes.interrupts import interrupts
from bestrand_drive.simulation.processes.marks import run_mark
from bestrand_drive.simulation.processes.supervised import Launch, Supervised
folder, script = Path(sys.argv[1]), sys.argv[2]
launch = Launch(("sh", "-c", script), dict(os.environ), folder, folder / "out.log")
with interrupts() as heard:
    process = Supervised(launch, run_mark(folder))
    print("running", flush=True)
    while not heard.asked:
        process.wait(0.05)
    print("stopping", flush=True)
    ended = process.stop(600, hurry=lambda: heard.forced)
print(ended.code, flush=True)
sys.exit(128 + heard.first)
"""
POLITE = "trap 'exit 9' TERM; echo $$ > {name}; while :; do sleep 0.02; done"


@pytest.mark.parametrize(
    ("script", "numbers", "code"),
    [
        (POLITE, [signal.SIGTERM], "9"),
        (POLITE, [signal.SIGINT], "9"),
        (POLITE, [signal.SIGHUP], "9"),
        (STUBBORN, [signal.SIGTERM, signal.SIGTERM], "-9"),
        (STUBBORN, [signal.SIGINT, signal.SIGINT], "-9"),
        (STUBBORN, [signal.SIGTERM, signal.SIGINT], "-9"),
    ],
)
def test_signals_to_the_driver(tmp_path, script, numbers, code):
    with python(DRIVER, tmp_path, script.format(name="it"), folder=tmp_path) as driver:
        known = noted(tmp_path, "it")
        try:
            assert driver.stdout.readline() == "running\n"
            driver.send_signal(numbers[0])
            assert driver.stdout.readline() == "stopping\n"
            for number in numbers[1:]:
                driver.send_signal(number)
            assert driver.stdout.readline() == f"{code}\n"
            assert driver.wait(LIMIT_S) == 128 + numbers[0]
            assert gone(known)
        finally:
            end_all(known)
