"""Files that are whole or absent: atomic writes, strict JSON, content hashes, shipped data."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

from bestrand_drive.errors import DataRefused

PARTIAL = ".partial"
"""How the names of temporary files end."""
MOST_OBJECTS = 4 * 2**30
"""Bytes of the objects of one JSON document."""
_SIZES = {b"{": 184, b"[": 88, b",": 40}
"""Bytes of what begins there, measured on CPython 3.11: an object with a key, a list with a value, one more value."""
_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
"""What file systems without hard links answer."""


def write_atomic(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path`` so that a reader sees the old file or the new one, never a part.

    Args:
        path: Target; its folder must exist. A pipe, a device or an open file, such as /dev/null or /dev/stdout, is
            written to, not replaced.
        content: The whole file.

    Raises:
        OSError: The disk is full or the folder is not writable; ``path`` is then as it was.
    """
    if _is_stream(path):
        with path.open("ab") as stream:  # what else was printed to the same file stays
            stream.write(content)
    else:
        _write_beside(path, content, os.replace)


def _is_stream(path: Path) -> bool:
    """Whether a file put in its place would take something away that is no file of the folder."""
    opened = path.is_symlink() and os.readlink(path).startswith(("/proc/", "/dev/fd/"))
    return path.exists() and (opened or not (path.is_file() or path.is_dir()))


def write_new(path: Path, content: bytes) -> None:
    """As ``write_atomic``, but never in the place of a file that is there.

    Raises:
        FileExistsError: There is one; it is as it was.
        OSError: The disk is full or the folder is not writable; there is then no such file.
    """
    _write_beside(path, content, _move_to_free)


def _move_to_free(temporary: str, path: Path) -> None:
    """Give a file its name unless the name is taken: a hard link tells atomically."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if path.exists():  # file systems without hard links: as good as it gets there, for a single writer
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from error
        os.replace(temporary, path)
    else:
        os.unlink(temporary)


def _write_beside(path: Path, content: bytes, put: Callable[[str, Path], None]) -> None:
    """Write a temporary file in the same folder, make it durable, and ``put`` it in its place."""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=PARTIAL, dir=path.parent)
    except OSError as error:
        error.filename = str(path)  # which was asked for; the temporary name says nothing to anybody
        raise
    try:
        try:
            _write_all(handle, content)
            os.fchmod(handle, 0o644)
            os.fsync(handle)
        finally:
            os.close(handle)
        put(temporary, path)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(path)
        raise
    _sync_folder(path.parent)


def _write_all(handle: int, content: bytes) -> None:
    """Write to a descriptor until nothing is left (one call may take only a part)."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where the file system can."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # network file systems may refuse; the content itself was synced above
    finally:
        os.close(descriptor)


def dump_json(value: Any) -> bytes:  # noqa: ANN401  anything JSON can hold
    """Serialise to strict, indented, newline-ended JSON (no NaN, keys in the given order)."""
    return (json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def sha256_bytes(content: bytes) -> str:
    """Hex SHA-256 of ``content``."""
    return hashlib.sha256(content).hexdigest()


def read_bytes(path: Path, *, limit_mib: int = 1024) -> bytes:
    """Read a whole file, refusing one that is absent, a folder, or larger than ``limit_mib``.

    Raises:
        DataRefused: Naming the path and the reason.
    """
    try:
        size = path.stat().st_size
        if size > limit_mib * 2**20:
            raise DataRefused(f"{path}: {size / 2**20:.0f} MiB is over the limit of {limit_mib} MiB for such a file.")
        return path.read_bytes()
    except OSError as error:
        raise DataRefused(f"{path}: cannot be read ({error.strerror}).") from error


def refuse_swollen(content: bytes, place: str) -> None:
    """Refuse JSON whose many small values would fill the memory: what is two bytes there may become 88 of objects.

    Args:
        content: The document; commas inside its texts are taken for values, too.
        place: Only used in messages.

    Raises:
        DataRefused: Reading it would take more than ``MOST_OBJECTS`` bytes by ``_SIZES``.
    """
    if len(content) * max(_SIZES.values()) <= MOST_OBJECTS:
        return
    size = sum(bytes_each * content.count(sign) for sign, bytes_each in _SIZES.items())
    if size > MOST_OBJECTS:
        raise DataRefused(
            f"{place}: holds so many small values that reading it would take {size / 2**30:.0f} GiB of memory, over "
            f"the limit of {MOST_OBJECTS / 2**30:.0f}. Give it in parts."
        )


def printable(text: str) -> str:
    """Text that every encoding of Unicode can carry: bytes of a path that are no UTF-8 become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def shipped_folder(name: str) -> Path:
    """Folder of data that travels with the package: inside the wheel, or beside the sources."""
    packaged = Path(str(resources.files("bestrand_drive"))) / "_data" / name
    return packaged if packaged.is_dir() else Path(__file__).resolve().parent.parent / name
