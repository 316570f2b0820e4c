"""The study of our own routes runs commands that end in peace when it is told to end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
COMMAND = (
    "import signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: sys.exit(7)); "
    "print('up', flush=True); time.sleep(60)"
)
STUDY = f"""
import sys
sys.path.insert(0, {str(SCRIPTS)!r})
from embedded_study.driving import _run
sys.exit(_run([sys.executable, "-c", {COMMAND!r}]))
"""


def test_a_signal_reaches_the_run_and_its_code_is_told():
    """F12: without it the run would go on alone."""
    with subprocess.Popen([sys.executable, "-c", STUDY], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        process.terminate()
        assert process.wait(30) == 7
