"""F2: a hundred megabytes of output neither fill the disk nor hold anybody up."""

from __future__ import annotations

import re

from bestrand_drive.simulation.processes.marks import new_mark
from bestrand_drive.simulation.processes.supervised import Supervised
from tests.simulation.processes.trees import LIMIT_S, own_runtime_folder, shell

__all__ = ["own_runtime_folder"]

SIZE, LIMIT = 100_000_000, 1 << 20


def test_a_flood(tmp_path):
    """The log stays below its limit at every look, and keeps the first words, the last, and the count between."""
    flood = f"echo the first word; head -c {SIZE} /dev/zero | tr '\\0' x >&2; echo the last word"
    process = Supervised(shell(tmp_path, flood, log_limit_bytes=LIMIT), new_mark())
    sizes = [0]
    while process.wait(0.02) is None:
        sizes.append((tmp_path / "out.log").stat().st_size)
    ended = process.poll()
    content = (tmp_path / "out.log").read_text()
    assert max(*sizes, len(content)) <= LIMIT
    assert ended.code == 0
    assert content.startswith("the first word\nxxx")
    assert content.endswith("xxxthe last word\n")
    (notice,) = re.finditer(r"\n\[\.\.\. (\d+) bytes were left out here \.\.\.\]\n", content)
    printed = SIZE + len("the first word\nthe last word\n")
    assert int(notice[1]) == printed - (len(content) - len(notice[0]))


def test_a_full_disk_does_not_stop_the_command(tmp_path):
    (tmp_path / "out.log").symlink_to("/dev/full")
    process = Supervised(shell(tmp_path, "head -c 1000000 /dev/zero; exit 3"), new_mark())
    assert process.wait(LIMIT_S).code == 3
