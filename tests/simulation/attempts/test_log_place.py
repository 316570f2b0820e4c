"""Places in logs, found again after the middle was taken out; compared with what was written after them."""

from __future__ import annotations

import random

import pytest

from bestrand_drive.simulation.attempts.log_place import LogPlace, end_of, read_from
from bestrand_drive.simulation.processes.capped_log import CappedLog

LIMIT = 4096


def test_what_is_written_later(tmp_path):
    path = tmp_path / "log"
    assert end_of(path) == LogPlace(path)
    assert read_from(end_of(path)) == ""
    path.write_bytes(b"before\n" * 100)
    place = end_of(path)
    assert read_from(place) == ""
    with path.open("ab") as stream:
        stream.write(b"\xff after\n")
    assert read_from(place) == "\ufffd after\n"
    assert read_from(LogPlace(path)).startswith("before")


def numbers(text):
    """Of the whole lines."""
    return [int(line[5:]) for line in text.splitlines() if line[:5] == "line " and len(line) == 11]


@pytest.mark.parametrize("seed", range(4))
def test_a_log_whose_middle_is_taken_out(tmp_path, seed):
    """F2, F7: nothing of before is taken for later, and all of the later that is still there is found."""
    draw = random.Random(seed)
    log = CappedLog(tmp_path / "log", LIMIT)
    number = 0
    places = []
    for turn in range(120):
        places.append((end_of(tmp_path / "log"), number))
        for _ in range(draw.randrange(12)):
            log.write(b"line %06d\n" % number)
            number += 1
        for place, first in places if turn % 10 == 9 else ():
            kept = numbers(read_from(LogPlace(place.path)))
            assert numbers(read_from(place)) == [one for one in kept if one >= first]
    assert number * len("line 000000\n") - (tmp_path / "log").stat().st_size > LIMIT / 2, "the middle was taken out"
    log.close()
