"""The releases of the real client that are at hand, each with the Python that has it."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
VARIABLE = "BESTRAND_CLIENTS"
"""Pythons that have other releases than the tests' own, divided as in PATH."""
MADE = ROOT / ".venv-0915" / "bin" / "python"
"""One of those if the variable names none: where ``scripts/client_0915`` puts it."""
_ASK = "import carla; print(carla.Client('127.0.0.1', 1).get_client_version(), flush=True); import os; os._exit(0)"


class NotAtHand(Exception):
    """A release of the client cannot be used; why."""


def python_of(release: str) -> Path:
    """The interpreter that can import a release of the client.

    Raises:
        NotAtHand: There is none.
    """
    missing = [name for name in ("carla", "msgpack") if find_spec(name) is None]
    if missing:
        raise NotAtHand(f"without {' and '.join(missing)}; run: pip install '.[headless]'")
    found = at_hand()
    if release not in found:
        raise NotAtHand(f"no client {release}, only {', '.join(found)}; set {VARIABLE} to a Python that has it")
    return found[release]


@functools.cache
def at_hand() -> dict[str, Path]:
    """Release -> the first Python that has it; that of the tests comes first."""
    named = os.environ.get(VARIABLE, str(MADE)).split(os.pathsep)
    pythons = [Path(sys.executable), *(Path(name) for name in named if name)]
    found: dict[str, Path] = {}
    for python in pythons:
        if release := release_of(python):
            found.setdefault(release, python)
    return found


def release_of(python: Path = Path(sys.executable)) -> str:
    """Release of the client in a Python, "" without one."""
    if not python.is_file():
        return ""
    done = subprocess.run([python, "-c", _ASK], check=False, capture_output=True, text=True, timeout=60)
    return done.stdout.strip()
