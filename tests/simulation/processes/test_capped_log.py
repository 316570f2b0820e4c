"""A log keeps its limit, its beginning and its end, and counts what it does not keep."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest

from bestrand_drive.simulation.processes.capped_log import CappedLog

NOTICE = re.compile(rb"\n\[\.\.\. (\d+) bytes were left out here \.\.\.\]\n")


def random_text(rng: np.random.Generator, size: int) -> bytes:
    """Without the characters of a notice."""
    return rng.integers(97, 123, size=size, dtype=np.uint8).tobytes()


@pytest.mark.parametrize("seed", range(30))
def test_what_is_kept_is_a_beginning_and_an_end(tmp_path, seed):
    """At every moment, for output of any size in pieces of any size."""
    rng = np.random.default_rng(seed)
    limit = int(rng.integers(4096, 20_000))
    path = tmp_path / "log"
    log, given = CappedLog(path, limit), b""
    for _ in range(int(rng.integers(1, 40))):
        part = random_text(rng, int(rng.integers(0, 3 * limit)) if rng.random() < 0.2 else int(rng.integers(0, 2000)))
        log.write(part)
        given += part
        content = path.read_bytes()
        assert len(content) <= limit
        found = NOTICE.findall(content)
        if not found:
            assert content == given
            continue
        head, _, tail = NOTICE.split(content)
        assert len(found) == 1
        assert given.startswith(head)
        assert given.endswith(tail)
        assert len(head) == limit // 4
        assert len(tail) >= (limit - len(head)) // 2 - 1
        assert int(found[0]) == len(given) - len(head) - len(tail)
    log.close()


def test_a_full_disk_loses_output_and_nothing_else():
    log = CappedLog(Path("/dev/full"), 10_000)
    log.write(b"x" * 5000)
    log.close()


def test_it_goes_on_when_the_disk_has_room_again(tmp_path, monkeypatch):
    log = CappedLog(tmp_path / "log", 4096)
    log.write(b"a" * 4096)

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        log.write(b"b" * 100)  # the middle is taken out first, and cannot be written back
    log.write(b"c" * 100)
    content = (tmp_path / "log").read_bytes()
    assert content == b"a" * 1024 + b"c" * 100
    log.close()


def test_a_log_begins_anew(tmp_path):
    (tmp_path / "log").write_bytes(b"of an earlier start")
    CappedLog(tmp_path / "log", 4096).close()
    assert (tmp_path / "log").read_bytes() == b""
