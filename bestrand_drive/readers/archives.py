"""Members of a zip archive, read in memory by their exact names, with bounds on number, size and ratio.

Nothing is ever unpacked to disk. Members may be stored, deflated or, as newer tools write them, Zstandard (method 93),
which Python's own ``zipfile`` does not read before 3.14.
"""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pyarrow as pa

from bestrand_drive.errors import DataRefused

ZSTANDARD = 93
MOST_MEMBERS = 1_000_000
LARGEST = 512 * 2**20
"""Bytes of one member, unpacked."""
HIGHEST_RATIO = 1000
"""Unpacked by packed bytes of a member over ``SMALL``."""
SMALL = 2**20
_DAMAGE = (
    zipfile.BadZipFile,
    OSError,
    EOFError,
    NotImplementedError,  # a method of packing that is not known
    ValueError,  # a name that is no UTF-8 among others
    struct.error,
    zlib.error,
    lzma.LZMAError,
    pa.ArrowException,
)
"""What those who unpack raise of a damaged archive."""
_LOCAL = struct.Struct("<4s22xHH")
"""Local header: signature, then the lengths of name and extra field."""


@dataclass(frozen=True)
class Archive:
    """An open archive.

    Attributes:
        path: Of the file.
        members: Name -> entry of its table of contents.
    """

    path: Path
    members: dict[str, zipfile.ZipInfo]
    _zip: zipfile.ZipFile
    _stream: IO[bytes]

    def read(self, name: str) -> bytes:
        """Content of the member of exactly that name.

        Raises:
            DataRefused: There is none, it is larger than allowed or than it says, or it is damaged.
        """
        info = self.members.get(name)
        if info is None:
            raise DataRefused(f"{self.path}: no member {name} in it.")
        place = f"{self.path}, {name}"
        self._check_size(info)
        if info.flag_bits & 1:
            raise DataRefused(f"{place}: is encrypted.")
        try:
            content = self._zstandard(info) if info.compress_type == ZSTANDARD else self._plain(info)
        except _DAMAGE as error:
            raise DataRefused(f"{place}: cannot be unpacked ({error}).") from error
        if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
            raise DataRefused(f"{place}: damaged, its size or checksum is not the one that the archive states.")
        return content

    def check_sizes(self) -> None:
        """Refuse an archive that another library is to read, when a member of it is too large, or all together.

        Raises:
            DataRefused: A member states a size, or a ratio of sizes, over the bounds.
        """
        for info in self.members.values():
            self._check_size(info)
        whole = sum(info.file_size for info in self.members.values())
        if whole > LARGEST:
            raise DataRefused(f"{self.path}: {whole / 2**20:.0f} MiB unpacked; the most is {LARGEST // 2**20}.")

    def _check_size(self, info: zipfile.ZipInfo) -> None:
        place = f"{self.path}, {info.filename}"
        if info.file_size > LARGEST:
            raise DataRefused(f"{place}: {info.file_size / 2**20:.0f} MiB unpacked; the most is {LARGEST // 2**20}.")
        if info.file_size > max(SMALL, HIGHEST_RATIO * info.compress_size):
            raise DataRefused(f"{place}: unpacks to over {HIGHEST_RATIO} times its size.")

    def _plain(self, info: zipfile.ZipInfo) -> bytes:
        with self._zip.open(info) as member:
            return member.read(info.file_size + 1)

    def _zstandard(self, info: zipfile.ZipInfo) -> bytes:
        """Read at most one byte more than the member claims to hold."""
        self._stream.seek(info.header_offset)
        signature, name, extra = _LOCAL.unpack(self._stream.read(_LOCAL.size))
        if signature != b"PK\x03\x04":
            raise zipfile.BadZipFile("no member where the table of contents says")
        self._stream.seek(name + extra, 1)
        packed = pa.BufferReader(self._stream.read(info.compress_size))
        with pa.CompressedInputStream(packed, "zstd") as stream:
            return bytes(stream.read(info.file_size + 1))


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open a zip archive.

    Raises:
        DataRefused: It is none, has too many members, or a name twice.
    """
    with ExitStack() as opened:
        try:
            stream = opened.enter_context(path.open("rb"))
            archive = opened.enter_context(zipfile.ZipFile(stream))
        except _DAMAGE as error:
            raise DataRefused(f"{path}: not a zip archive that can be read ({error}).") from error
        members = {info.filename: info for info in archive.infolist()}
        if len(archive.infolist()) > MOST_MEMBERS:
            raise DataRefused(f"{path}: {len(archive.infolist())} members; the most is {MOST_MEMBERS}.")
        if len(members) < len(archive.infolist()):
            raise DataRefused(f"{path}: a member's name is there twice.")
        yield Archive(path, members, archive, stream)
