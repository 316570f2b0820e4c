"""A suite's uses: which policies were judged on it, one line each in ``uses.jsonl`` beside ``suite.json``.

Who tunes on a suite fits its routes: the more policies were judged on it, the less the best one's lead says. The file
only grows, by whole lines, under a lock; ``suite.json`` keeps its bytes.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path

from bestrand_drive.errors import DataRefused
from bestrand_drive.workflows.choosing.suite_folder import USES as LEDGER


def count_uses(folder: Path, digest: str, policies: Mapping[str, str]) -> int:
    """Add policies that are not in the ledger yet; distinct policies judged on this suite, these among them.

    Args:
        folder: Of the suite.
        digest: ``Suite.choice_digest``; lines of another choice do not count.
        policies: Digest of the policy (or of its scores) -> name.

    Raises:
        OSError: The ledger cannot be written.
        DataRefused: A line of it is damaged.
    """
    path = _file(folder)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with os.fdopen(os.dup(handle), "rb") as stream:
            content = stream.read()
        known = _known(content, path, digest)
        fresh = {key: name for key, name in policies.items() if key not in known}
        lines = [json.dumps({"suite": digest, "policy": key, "name": name}) for key, name in fresh.items()]
        if lines:
            os.ftruncate(handle, content.rfind(b"\n") + 1)  # what a crash tore off says nothing
            with os.fdopen(os.dup(handle), "ab") as stream:
                stream.write("".join(f"{line}\n" for line in lines).encode())
            os.fsync(handle)
        return len(known | fresh.keys())
    finally:
        os.close(handle)


def read_uses(folder: Path, digest: str) -> int:
    """Distinct policies in the ledger; 0 when there is none.

    Raises:
        DataRefused: A line of it is damaged.
        OSError: It cannot be read.
    """
    path = _file(folder)
    return len(_known(path.read_bytes(), path, digest)) if path.exists() else 0


def uses_told(place: Path, digest: str) -> int | None:
    """The same for who only tells it: None when nothing was judged yet, or the ledger does not tell.

    Args:
        place: Folder of the suite, or its ``suite.json``.
        digest: As in ``count_uses``.
    """
    try:
        return read_uses(folder_of(place), digest) or None
    except (OSError, DataRefused):
        return None


def folder_of(place: Path) -> Path:
    """Where the ledger of a suite lies, by its folder or its ``suite.json``."""
    return place if place.is_dir() else place.parent


def ledger_damage(place: Path) -> str:
    """Why the ledger of a suite does not tell, or ""."""
    try:
        read_uses(folder_of(place), "")
    except (DataRefused, OSError) as error:
        return f"how many policies were judged on this suite cannot be told: {error}"
    return ""


def _file(folder: Path) -> Path:
    """The ledger, whose reading could wait for ever were it a pipe."""
    path = folder / LEDGER
    if path.exists() and not path.is_file():
        raise DataRefused(f"{path}: not a file; remove it.")
    return path


def _known(content: bytes, path: Path, digest: str) -> set[str]:
    """Digests of the policies; a last line without an end was torn by a crash and says nothing."""
    found = set()
    lines = content.split(b"\n")
    for number, line in enumerate(lines[:-1], 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            suite, policy = entry["suite"], entry["policy"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise DataRefused(
                f"{path}, line {number}: not a use of a suite. The file was edited or damaged; mend or remove the line."
            ) from error
        if suite == digest:
            found.add(str(policy))
    return found
