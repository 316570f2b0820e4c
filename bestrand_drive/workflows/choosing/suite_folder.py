"""Suite folders on disk: written whole or not at all."""

from __future__ import annotations

import ctypes
import os
import platform
import secrets
import shutil
import socket
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path

from bestrand_drive.errors import UsageError
from bestrand_drive.files import dump_json, write_atomic
from bestrand_drive.suite.schema import Suite

USES = "uses.jsonl"
"""Which policies were compared on the suite; see ``workflows.comparing.uses``."""
OWN_NAMES = frozenset({"suite.json", "provenance.json", "routes.xml", "routes-subset.txt", "routes", "items.txt", USES})
AT_FDCWD, RENAME_EXCHANGE = -100, 2
"""Constants of linux/fcntl.h and linux/fs.h."""
VERSIONS_OF = ("bestrand-drive", "torch", "numpy", "pandas", "scipy", "pydantic")


def check_target(folder: Path, *, force: bool) -> None:
    """Refuse a folder that must not be replaced, before any work is done.

    Raises:
        UsageError: It holds a suite and ``force`` is not set, or it holds other files.
    """
    if not folder.exists():
        if not folder.parent.is_dir():
            raise UsageError(f"--out {folder}: the folder {folder.parent} does not exist; make it first.")
        return
    if not folder.is_dir():
        raise UsageError(f"--out {folder}: a file of that name is there; choose another folder.")
    present = {path.name for path in folder.iterdir()}
    foreign = sorted(present - OWN_NAMES)
    if foreign:
        raise UsageError(
            f"--out {folder}: holds files that are not a suite's ({', '.join(foreign[:4])}); choose another."
        )
    if present and "suite.json" not in present:
        raise UsageError(
            f"--out {folder}: holds files ({', '.join(sorted(present))}) but no suite; choose another folder."
        )
    if present and not force:
        raise UsageError(
            f"--out {folder}: a suite is there already; add --force to replace it, or choose another folder."
        )


def write_suite(folder: Path, suite: Suite, files: Mapping[str, bytes], command: Sequence[str], *, force: bool) -> None:
    """Write a suite beside its place, then move it there in one rename.

    Args:
        folder: Its place.
        suite: Goes into ``suite.json``.
        files: The benchmark's own files, relative name -> content.
        command: Goes into ``provenance.json``.
        force: Replace a suite that is there.

    Raises:
        UsageError: See ``check_target``.
        OSError: The disk is full or not writable; a suite that was there still is.
    """
    check_target(folder, force=force)
    folder = folder.resolve()
    fresh = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.partial")
    own = {"provenance.json": _provenance(command), "suite.json": suite.to_json(), **_uses_so_far(folder)}
    try:
        for name, content in {**files, **own}.items():
            path = fresh / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, content)
        _move_into_place(fresh, folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _uses_so_far(folder: Path) -> dict[str, bytes]:
    """The ledger of a suite that is replaced: the same choice made again was still used; lines name their choice."""
    ledger = folder / USES
    return {USES: ledger.read_bytes()} if ledger.is_file() else {}


def _move_into_place(fresh: Path, folder: Path) -> None:
    """Put the new suite in its place in one step; what was there ends up at ``fresh``."""
    if not folder.exists():
        os.rename(fresh, folder)
    elif not _exchange(fresh, folder):
        old = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.old")
        try:
            os.rename(folder, old)
            os.rename(fresh, folder)
        except BaseException:
            if old.exists() and not folder.exists():
                os.rename(old, folder)
            raise
        shutil.rmtree(old)


def _exchange(first: Path, second: Path) -> bool:
    """Swap two folders atomically (Linux renameat2); False where the system or the file system cannot."""
    swap = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if swap is None:
        return False
    return int(swap(AT_FDCWD, os.fsencode(first), AT_FDCWD, os.fsencode(second), RENAME_EXCHANGE)) == 0


def _provenance(command: Sequence[str]) -> bytes:
    return dump_json(
        {
            "written": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "host": socket.gethostname(),
            "command": list(command),
            "python": platform.python_version(),
            "platform": sys.platform,
            "versions": {name: version_of(name) for name in VERSIONS_OF},
        }
    )


def version_of(package: str) -> str:
    """Of an installed package, or that it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
