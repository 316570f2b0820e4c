"""Folders that look like a benchmark's checkout and like CARLA's root, made of the stand-ins."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHARED = ("driving.py", "orders.py", "results.py")
PROGRAMS = {
    "bench2drive": {"bench2drive.py": "leaderboard_evaluator.py"},
    "fail2drive": {
        "fail2drive.py": "leaderboard_evaluator.py",
        "fail2drive_local.py": "leaderboard_evaluator_local.py",
    },
}
AGENT = """
import os
import time

if os.environ.get("BESTRAND_STAND_IN_AGENT") == "import_error":
    import a_model


def get_entry_point():
    return "Agent"


class Agent:
    def __call__(self):
        print("standing still", flush=True)
        while True:
            time.sleep(10)  # shorter than the hooks' long sleeps
"""
"""Its first call never comes back; the stand-ins call it only to see that."""


def make_checkout(root: Path, benchmark: str) -> Path:
    """A checkout of a benchmark; its root."""
    package = root / "leaderboard/leaderboard"
    folders = ("leaderboard/leaderboard/fake", "leaderboard/leaderboard/autoagents", "leaderboard/data")
    for folder in (*folders, "scenario_runner/srunner"):
        (root / folder).mkdir(parents=True)
    for source, target in {**PROGRAMS[benchmark], **{name: name for name in SHARED}}.items():
        shutil.copyfile(HERE / source, package / target)
    shutil.copyfile(HERE / "fake_carla.py", package / "fake/carla.py")
    shutil.copyfile(HERE / "agent_wrapper.py", package / "autoagents/agent_wrapper.py")
    if benchmark == "bench2drive":
        (root / "leaderboard/data/weather.xml").write_text("<weathers/>")
    else:
        (root / "scenario_runner/speed_limits").mkdir()
    return root


def make_agent(folder: Path, name: str = "agent.py") -> Path:
    """The file of an agent."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(AGENT)
    return folder / name


def make_carla_root(root: Path) -> Path:
    """A CARLA_ROOT whose server is the stand-in."""
    root.mkdir(parents=True)
    script = root / "CarlaUE4.sh"
    script.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, str(HERE / "server.py")])} "$@"\n')
    script.chmod(0o755)
    return root
