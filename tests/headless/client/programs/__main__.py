"""``python -m tests.headless.client.programs NAME PORT [JSON ...]``: run a program, print what it returns as JSON.

The process ends at once, with all that the client still holds, as a program that crashed would.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
import tempfile
import traceback
from pathlib import Path

from tests.headless.client.programs import (
    actors,
    batches,
    controls,
    driving,
    episode,
    lights,
    maps,
    peers,
    sensing,
    stress,
    surroundings,
    traffic,
)
from tests.headless.client.programs.pulse import Pulse
from tests.headless.client.programs.session import Session

_MODULES = (
    *(actors, batches, controls, driving, episode, lights, maps, peers, sensing, stress, surroundings, traffic),
)
PROGRAMS = {program.__name__: program for module in _MODULES for program in module.PROGRAMS}


def main(name: str, port: str, *arguments: str) -> int:
    """Run a program and print what it found."""
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    page = Path(os.environ.get("CLIENT_PULSE") or Path(tempfile.mkdtemp()) / "pulse")
    session = Session(int(port), Pulse(page), int(os.environ.get("CLIENT_MANAGER_PORT", "8000")))
    try:
        print(json.dumps(PROGRAMS[name](session, *map(json.loads, arguments))), flush=True)
    except BaseException:  # the process ends at once below, so that nothing else would show it
        traceback.print_exc()
        sys.stderr.flush()
        return 1
    return 0


if __name__ == "__main__":
    os._exit(main(*sys.argv[1:]))
