"""Where a user's processes on this host leave notes for each other."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from bestrand_drive.errors import EnvironmentFault


def runtime_folder() -> Path:
    """The user's own folder on this host: in ``$XDG_RUNTIME_DIR``, else ``/tmp/bestrand-<uid>``; made when absent.

    Raises:
        EnvironmentFault: Something else lies there: a link, or another user's folder.
    """
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    if given and _is_ours(Path(given)):
        return private_folder(Path(given) / "bestrand")
    return private_folder(Path(f"/tmp/bestrand-{os.getuid()}"))  # noqa: S108  its owner, kind and mode are checked


def private_folder(path: Path) -> Path:
    """A folder that only this user can enter; made when absent.

    Raises:
        EnvironmentFault: It is a link, another user's, or open to others.
    """
    with contextlib.suppress(OSError):  # what matters is what lies there then
        path.mkdir(mode=0o700)
    if not _is_ours(path):
        raise EnvironmentFault(
            f"{path}: must be a folder of yours that nobody else can enter (mode 0700), and no link. "
            "Remove it if it is yours, or set XDG_RUNTIME_DIR to a folder of your own."
        )
    return path


def _is_ours(path: Path) -> bool:
    """Whether it is a folder (and no link to one) of this user, closed to others."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
