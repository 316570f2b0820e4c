"""The user's interpreter for an evaluator: its version, and what it cannot import."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.adapters.adapter import Adapter
from bestrand_drive.simulation.adapters.checkout import Checkout
from bestrand_drive.simulation.adapters.command import Command

_MARK = "bestrand-interpreter:"
_SCRIPT = f"""
import importlib.util, json, sys
def there(name):
    try:
        spec = importlib.util.find_spec(name)
        return spec is not None and (name != "carla" or spec.origin not in (None, "namespace"))
    except Exception:
        return False
try:
    import pkg_resources
    carla = pkg_resources.get_distribution("carla").version
except Exception:
    carla = ""
missing = [name for name in sys.argv[1:] if not there(name)]
print("{_MARK}" + json.dumps([list(sys.version_info[:2]), missing, carla, sys.executable]))
"""
"""CARLA's folder PythonAPI is on the path, so that its subfolder ``carla`` is found as a package without a file."""
_LIMIT_S = 120
_GETCHILDREN_GONE = (3, 9)


@dataclass(frozen=True)
class Interpreter:
    """What an interpreter says of itself.

    Attributes:
        version: Such as ``(3, 8)``.
        missing: Modules that it does not find.
        carla: Version of its ``carla`` distribution, "" when it has none of that name.
        executable: The program that runs in the end.
    """

    version: tuple[int, int]
    missing: tuple[str, ...]
    carla: str
    executable: str


def look_at(python: tuple[str, ...], modules: tuple[str, ...], command: Command) -> Interpreter:
    """Ask an interpreter, in the environment of a command; no module but ``pkg_resources`` is imported.

    Raises:
        EnvironmentFault: It does not run.
    """
    words = [*python, "-c", f"exec({_SCRIPT!r})", *modules]  # on one line: conda run takes no line breaks
    environment = {**os.environ, **command.env}
    folder = command.cwd if command.cwd.is_dir() else None  # an attempt's own scratch is not there yet
    try:
        done = subprocess.run(  # noqa: S603  the user's own interpreter, arguments as a list
            words, cwd=folder, env=environment, capture_output=True, timeout=_LIMIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EnvironmentFault(f"--python {' '.join(python)}: does not run ({error}).") from error
    output, errors = (stream.decode("utf-8", "replace") for stream in (done.stdout, done.stderr))
    lines = [line for line in output.splitlines() if line.startswith(_MARK)]
    if done.returncode or not lines:
        said = (errors.strip().splitlines() or ["no output"])[-1]
        raise EnvironmentFault(f"--python {' '.join(python)}: is no interpreter that runs ({said[:200]}).")
    version, missing, carla, executable = json.loads(lines[-1][len(_MARK) :])
    return Interpreter((version[0], version[1]), tuple(missing), carla, executable)


def problems(adapter: Adapter, checkout: Checkout, interpreter: Interpreter) -> list[str]:
    """Why an evaluator will not run under an interpreter, in sentences; none when it will."""
    said, version = [], ".".join(map(str, interpreter.version))
    if interpreter.missing:
        said.append(f"its Python {version} cannot import {', '.join(interpreter.missing)}")
    parser = checkout.root / "leaderboard/leaderboard/utils/route_parser.py"
    if interpreter.version >= _GETCHILDREN_GONE and parser.is_file() and b".getchildren(" in parser.read_bytes():
        said.append(f"{parser.name} calls Element.getchildren, which Python 3.9 removed; its Python is {version}")
    told = not {"carla", "pkg_resources"} & set(interpreter.missing)
    if "pkg_resources" in adapter.modules and told and not interpreter.carla:
        said.append("the evaluator asks for a distribution named carla, and its carla comes from another")
    return said


def carla_egg(carla_root: Path, version: tuple[int, int]) -> Path | None:
    """CARLA's own archive of its Python API for an interpreter of this version, if it brings one."""
    tag = ".".join(map(str, version))
    return next(iter(sorted((carla_root / "PythonAPI/carla/dist").glob(f"carla-*-py{tag}-linux-x86_64.egg"))), None)
