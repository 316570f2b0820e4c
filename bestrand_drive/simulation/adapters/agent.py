"""The policy's agent file and configuration, as absolute paths: evaluators run in a folder of their own."""

from __future__ import annotations

import errno
import os
import re
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.errors import UsageError, choices
from bestrand_drive.files import shipped_folder

PROBE = "probe:"
"""Before the name of a probe that comes with this package."""
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}$")
"""The end of a file's name, unlike that of a number."""
_PATH_STARTS = ("/", "./", "../")


@dataclass(frozen=True)
class Agent:
    """A policy as the evaluators take it.

    Attributes:
        path: Its Python file.
        config: For ``--agent-config``: the parts that agents split at ``+``.
        shared: Folders of modules that it imports and that are part of the policy.
    """

    path: Path
    config: str = ""
    shared: tuple[Path, ...] = ()


def find_agent(agent: str, config: str = "", *, root: Path | None = None) -> Agent:
    """The agent with absolute paths.

    A path may be relative to the folder where the command is given, or to the checkout, as in the benchmarks' own
    scripts. Parts of the configuration that name nothing are kept as text.

    Args:
        agent: Path of the agent's file, or ``probe:NAME`` for a probe that comes with this package.
        config: Configuration, parts joined by ``+``.
        root: The benchmark's checkout, None without one.

    Raises:
        UsageError: A file is in neither place, or another one in each; or the evaluator could not import the name.
    """
    places = (Path.cwd(), *([root] if root else []))
    shipped = agent.startswith(PROBE)
    path = shipped_probe(agent.removeprefix(PROBE)) if shipped else _found("--agent", agent, places)
    if path is None or not path.is_file():
        raise UsageError(f"--agent {agent}: no such file in {_named(places)}.")
    if path.name.count(".") != 1 or path.suffix != ".py":
        raise UsageError(f"--agent {agent}: evaluators import NAME.py, without another dot in NAME.")
    shared = tuple(sorted(place for place in path.parent.iterdir() if _is_package(place))) if shipped else ()
    return Agent(path, "+".join(_part(part, places) for part in config.split("+")), shared)


def shipped_probe(name: str) -> Path:
    """The agent file of a probe that comes with this package.

    Raises:
        UsageError: There is none of that name.
    """
    folder = shipped_folder("probes")
    names = sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_"))
    if name not in names:
        raise UsageError(f"{PROBE}{name}: no such probe is shipped; there are {choices(name, names)}")
    return folder / f"{name}.py"


def _is_package(place: Path) -> bool:
    return place.is_dir() and any(place.glob("*.py"))


def _named(places: tuple[Path, ...]) -> str:
    return " or ".join(map(str, places))


def _part(part: str, places: tuple[Path, ...]) -> str:
    """One part of the configuration: an absolute path, or a text."""
    path = _found("--agent-config", part, places) if part else None
    if path is not None:
        return str(path)
    if part.startswith(_PATH_STARTS) or _SUFFIX.search(part):
        raise UsageError(f"--agent-config {part}: no such file in {_named(places)}.")
    return part


def _is_there(path: Path) -> bool:
    """Whether there is such a file or folder; a text that is too long for a name names none."""
    try:
        return path.exists()
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        return False


def _found(flag: str, text: str, places: tuple[Path, ...]) -> Path | None:
    """Where a path leads from one of the places; links are kept as they are."""
    found = [path for place in places if _is_there(path := Path(os.path.abspath(place / text)))]
    if len(found) == 2 and not found[0].samefile(found[1]):
        raise UsageError(f"{flag} {text}: both {found[0]} and {found[1]} exist. Give an absolute path.")
    return found[0] if found else None
