"""The evaluator that comes with this package, in the place of a checkout: where it lies, and which state of it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from bestrand_drive.benchmarks.builtin_routes import own_towns, towns_path
from bestrand_drive.files import read_bytes
from bestrand_drive.simulation.adapters.checkout import Checkout

HOME = Path(__file__).resolve().parents[3]
"""Folder that holds the package."""
_INSTALLED = {"site-packages", "dist-packages"}


def own_checkout(script: Path, towns: Path | None = None) -> Checkout:
    """The package's own evaluator.

    Args:
        script: Of the evaluator, relative to the folder that holds the package.
        towns: The user's folder of further towns.

    Raises:
        UsageError: It holds none, or one that a shipped one stands for.
    """
    commit = f"code-{_code_hash((HOME / script).parent, towns)[:16]}"
    return Checkout(HOME, HOME / script, commit, None if towns is None else Path(os.path.abspath(towns)))


def own_paths(home: Path) -> list[Path]:
    """For the Python path: the folder of a checkout; where the package is installed, Python finds it by itself.

    The folder of installed packages would bring packages of this Python to another one.
    """
    return [] if _INSTALLED & set(home.parts) else [home]


def _code_hash(folder: Path, towns: Path | None) -> str:
    """Hex SHA-256 over what decides scores: the evaluator's Python files, the shipped towns, and the user's."""
    digest = hashlib.sha256()
    for root, path in _files(folder, towns):
        digest.update(f"{path.relative_to(root).as_posix()}\0".encode("utf-8", "surrogateescape"))
        digest.update(hashlib.sha256(read_bytes(path)).digest())
    return digest.hexdigest()


def _files(folder: Path, towns: Path | None) -> Iterator[tuple[Path, Path]]:
    """Root and file."""
    for root, pattern in ((folder, "*.py"), (towns_path(), "*.xodr")):
        yield from ((root, path) for path in sorted(root.rglob(pattern)))
    yield from ((path.parent, path) for path in own_towns(towns))
