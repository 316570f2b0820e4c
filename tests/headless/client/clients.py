"""The releases of the real client that are at hand, each with the Python that has it."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
OWN, OLDER = "0.9.16", "0.9.15"
VARIABLE = "BESTRAND_CLIENT_0915"
MADE = ROOT / ".venv-0915" / "bin" / "python"
"""Where ``scripts/client_0915`` puts it."""


class NotAtHand(Exception):
    """A release of the client cannot be used; why."""


def python_of(release: str) -> Path:
    """The interpreter that can import a release of the client.

    Raises:
        NotAtHand: There is none.
    """
    missing = [name for name in ("carla", "msgpack") if find_spec(name) is None]
    if missing:
        raise NotAtHand(f"without {' and '.join(missing)}; pip install 'bestrand-drive[headless]'")
    return _own() if release == OWN else _older()


def _own() -> Path:
    """That of the tests."""
    try:
        found = version("carla")
    except PackageNotFoundError:
        found = "one of another name"
    if found != OWN:
        raise NotAtHand(f"carla is {found}, not {OWN}")
    return Path(sys.executable)


def _older() -> Path:
    """Python 3.7 to 3.10 with the release that has no wheel for newer ones."""
    python = Path(os.environ.get(VARIABLE, MADE))
    if not python.is_file():
        raise NotAtHand(f"no client {OLDER} at {python}; run scripts/client_0915 or set {VARIABLE} to its Python")
    ask = "import carla; print(carla.Client('127.0.0.1', 1).get_client_version(), flush=True); import os; os._exit(0)"
    done = subprocess.run([python, "-c", ask], check=False, capture_output=True, text=True, timeout=60)
    if done.stdout.strip() != OLDER:
        raise NotAtHand(f"{python} has no client {OLDER}: {(done.stdout or done.stderr).strip()[-200:]}")
    return python
