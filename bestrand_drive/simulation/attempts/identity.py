"""Who is evaluated: a name, and a hash over what makes the policy what it is."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import model_validator

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.files import printable, sha256_bytes
from bestrand_drive.simulation.attempts.models import Frozen, Sha256, canonical_json

_PASSING = {"__pycache__", ".git"}
"""Folders that change without the policy changing."""
_CHUNK = 1 << 20


class PolicyIdentity(Frozen):
    """A policy: its name, and either the hash of its files or a text that its owner answers for.

    Attributes:
        name: For people.
        sha256: Over agent file and configuration.
        declared: The text of ``--policy-id``.
    """

    name: str
    sha256: Sha256 | None = None
    declared: str | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> PolicyIdentity:
        if (self.sha256 is None) == (not self.declared):
            raise ValueError("a policy has either a hash or a declared id")
        return self

    @property
    def digest(self) -> str:
        """What goes into the key of an attempt."""
        return f"sha256:{self.sha256}" if self.sha256 else f"id:{self.declared}"


def identify_policy(
    name: str,
    *,
    agent: Path | None = None,
    agent_config: str = "",
    policy_id: str | None = None,
    shared: tuple[Path, ...] = (),
) -> PolicyIdentity:
    """The identity of a policy.

    The hash covers the agent file and every part of ``agent_config`` between its plus signs: an existing file by its
    content, an existing folder by relative paths and contents, anything else as text. Where the files lie does not
    matter. Modules that the agent imports are not seen; ``policy_id`` is for who wants to say it otherwise.

    Args:
        name: For people.
        agent: The agent's Python file.
        agent_config: As given to the evaluator, parts joined by ``+``.
        policy_id: Replaces the hash.
        shared: Folders that belong to the policy beside its agent file.

    Raises:
        UsageError: Neither an agent nor an id, or the agent file is absent.
        DataRefused: A file cannot be read.
    """
    if policy_id:
        return PolicyIdentity(name=name, declared=policy_id)
    if agent is None:
        raise UsageError("a policy needs an identity: give its agent file, or --policy-id TEXT.")
    if not agent.is_file():
        raise UsageError(f"--agent {agent}: there is no such file.")
    parts = [_part(agent), *(_part(Path(part), part) for part in agent_config.split("+") if part)]
    whole = {"agent": parts[0], "config": parts[1:]} | ({"shared": [_part(one) for one in shared]} if shared else {})
    return PolicyIdentity(name=name, sha256=sha256_bytes(canonical_json(whole)))


def _part(path: Path, text: str = "") -> list[str]:
    try:
        if path.is_dir():
            return ["folder", _folder_hash(path)]
        return ["file", _file_hash(path)] if path.is_file() else ["text", text]
    except OSError as error:
        if text and error.errno == errno.ENAMETOOLONG:
            return ["text", text]
        raise DataRefused(f"{error.filename or path}: cannot be read ({error.strerror}).") from error


def _folder_hash(folder: Path) -> str:
    contents = {printable(path.relative_to(folder).as_posix()): _file_hash(path) for path in _files(folder)}
    return sha256_bytes(canonical_json(dict(contents)))


def _files(folder: Path) -> Iterator[Path]:
    """Regular files in any depth, links followed; a folder that is reached twice is entered once."""
    seen: set[tuple[int, int]] = set()
    for place, subfolders, names in os.walk(folder, onerror=_raise, followlinks=True):
        own = os.stat(place)
        if (own.st_dev, own.st_ino) in seen:
            subfolders.clear()
            continue
        seen.add((own.st_dev, own.st_ino))
        subfolders[:] = sorted(set(subfolders) - _PASSING)
        yield from (path for path in (Path(place) / name for name in sorted(names)) if path.is_file())


def _raise(error: OSError) -> None:
    """What cannot be listed is not to be left out in silence."""
    raise error


def _file_hash(path: Path) -> str:
    """Hex SHA-256 of a file of any size (checkpoints have gigabytes)."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
