"""Faults of files: a full disk at every call, a writer killed at any moment, damaged and absent files."""

from __future__ import annotations

import errno
import json
import os
import stat
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bestrand_drive
from bestrand_drive.errors import DataRefused
from bestrand_drive.files import dump_json, read_bytes, sha256_bytes, shipped_folder, write_atomic
from tests.faults.killing import writers

OLD, NEW = b"old content\n", b"new content\n" * 1000


def _full(*_: Any, **__: Any) -> Any:
    raise OSError(errno.ENOSPC, "No space left on device")


def _break(patch: pytest.MonkeyPatch, where: str) -> None:
    """Make one call of ``write_atomic`` fail with ENOSPC."""
    if where == "mkstemp":
        patch.setattr(tempfile, "mkstemp", _full)
    else:
        patch.setattr(os, where, _full)


@pytest.mark.parametrize("where", ["mkstemp", "write", "fchmod", "fsync", "replace"])
@pytest.mark.parametrize("before", [OLD, None])
def test_a_full_disk_leaves_the_old_content_and_no_temporary(tmp_path: Path, where: str, before: bytes | None) -> None:
    path = tmp_path / "suite.json"
    if before is not None:
        path.write_bytes(before)
    handles = set(os.listdir("/proc/self/fd"))
    with pytest.MonkeyPatch.context() as patch:
        _break(patch, where)
        with pytest.raises(OSError, match="No space left"):
            write_atomic(path, NEW)
    assert [p.name for p in tmp_path.iterdir()] == ([] if before is None else ["suite.json"])
    assert before is None or path.read_bytes() == before
    assert len(os.listdir("/proc/self/fd")) <= len(handles), "a file handle was left open"


def test_an_open_file_is_written_to_under_its_other_name(tmp_path: Path) -> None:
    """``--out /dev/stdout > page.html`` by root: a rename would leave the machine without /dev/stdout."""
    name = tmp_path / "stdout"
    with (tmp_path / "page.html").open("wb", buffering=0) as page:
        page.write(b"said before\n")
        name.symlink_to(f"/proc/self/fd/{page.fileno()}")
        write_atomic(name, OLD)
        assert name.is_symlink()
    assert (tmp_path / "page.html").read_bytes() == b"said before\n" + OLD
    name.unlink()
    name.symlink_to(tmp_path / "page.html")
    write_atomic(name, OLD)
    assert not name.is_symlink(), "a link of the user's own is replaced, as ever"


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    """Renaming over /dev/null would leave the machine without it."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    write_atomic(path, OLD)
    assert os.read(reader, 100) == OLD
    os.close(reader)
    assert path.is_fifo()
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_cannot_be_synced_does_not_undo_the_write(tmp_path: Path) -> None:
    path = tmp_path / "suite.json"
    real_open = os.open

    def no_folder(target: Any, *rest: Any, **more: Any) -> int:
        return _full() if os.path.isdir(target) else real_open(target, *rest, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", no_folder)
        write_atomic(path, NEW)
    assert path.read_bytes() == NEW
    real, calls = os.fsync, []

    def second_fails(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 2:
            raise OSError(errno.EINVAL, "Invalid argument")
        real(descriptor)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", second_fails)
        write_atomic(path, OLD)
    assert len(calls) == 2
    assert path.read_bytes() == OLD


def test_an_interrupt_leaves_the_old_content_and_no_temporary(tmp_path: Path) -> None:
    path = tmp_path / "suite.json"
    path.write_bytes(OLD)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write_atomic(path, NEW)
    assert [p.name for p in tmp_path.iterdir()] == ["suite.json"]
    assert path.read_bytes() == OLD


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_files_are_readable_by_all_whatever_the_mask(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        write_atomic(tmp_path / "a", NEW)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o644


def test_empty_content_is_written(tmp_path: Path) -> None:
    write_atomic(tmp_path / "a", b"")
    assert (tmp_path / "a").read_bytes() == b""


IMPORTS = """
from pathlib import Path
from bestrand_drive.files import write_atomic
old, new = b"o" * 300_000, b"n" * 200_000
"""
WRITES = """
while True:
    write_atomic(Path(line), new)
    write_atomic(Path(line), old)
"""


def test_a_writer_killed_at_any_moment_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "suite.json"
    old, new = b"o" * 300_000, b"n" * 200_000
    path.write_bytes(old)
    rng = np.random.default_rng(0)
    seen = []
    with writers(IMPORTS, WRITES) as killed:
        for _ in range(200):
            killed(str(path), float(rng.uniform(0.0001, 0.01)))
            seen.append(path.read_bytes())
    assert set(seen) == {old, new}
    left = {p.name for p in tmp_path.iterdir()} - {"suite.json"}
    assert left, "no writer was killed in the middle"
    assert all(name.endswith(".partial") for name in left)


def test_json_is_strict_indented_and_in_order() -> None:
    content = dump_json({"b": 1, "a": [0.1, "é"]})
    assert content == '{\n "b": 1,\n "a": [\n  0.1,\n  "é"\n ]\n}\n'.encode()
    assert json.loads(content) == {"b": 1, "a": [0.1, "é"]}


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_json_without_a_number_for_it_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        dump_json({"a": value})


def test_hashes() -> None:
    assert sha256_bytes(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_reading_names_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12")
    assert read_bytes(tmp_path / "a") == b"12"
    with pytest.raises(DataRefused, match=r"absent: cannot be read \(No such file"):
        read_bytes(tmp_path / "absent")
    with pytest.raises(DataRefused, match="cannot be read"):
        read_bytes(tmp_path)
    with (tmp_path / "big").open("wb") as stream:
        stream.truncate(3 * 2**20)
    with pytest.raises(DataRefused, match="3 MiB is over the limit of 2 MiB"):
        read_bytes(tmp_path / "big", limit_mib=2)


def test_shipped_folders_lie_beside_the_sources() -> None:
    folder = shipped_folder("route_configs")
    assert folder.name == "route_configs"
    assert folder.parent.name in {"_data", Path(bestrand_drive.__file__).resolve().parent.parent.name}


def test_a_folder_that_is_not_there_is_told_by_the_name_that_was_asked_for(tmp_path):
    """Not by that of the temporary file beside it."""
    with pytest.raises(FileNotFoundError) as told:
        write_atomic(tmp_path / "absent" / "gate.xml", b"")
    assert told.value.filename == str(tmp_path / "absent" / "gate.xml")
