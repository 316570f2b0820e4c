"""What logs tell."""

from __future__ import annotations

import pytest

from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.signatures import MAX_LINE, MAX_LINES, scan, scan_logs

CRASH = "Engine crash handling finished; re-raising signal 11 for the default handler. Good bye."


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (CRASH, Reason.SIMULATION_CRASH),
        ("Signal 11 caught.", Reason.SIMULATION_CRASH),
        ("RuntimeError: time-out of 600000ms while waiting for the simulator", Reason.SIMULATION_CRASH),
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20 MiB", Reason.GPU_MEMORY),
        ("Fatal error: Out of video memory trying to allocate a rendering resource", Reason.GPU_MEMORY),
        ("RuntimeError: trying to create rpc server for traffic manager; bind error", Reason.PORT_TAKEN),
        ("OSError: [Errno 98] Address already in use", Reason.PORT_TAKEN),
        ("Error during the simulation:", None),
        ("Watchdog exception", None),
    ],
)
def test_known_lines(line, reason):
    found = scan(["all is well", f"  {line}  "])
    assert (found.reason, found.lines) == (reason, (line,))


def test_a_plain_log_tells_nothing():
    assert scan(["tick 1", "memory 3 GB"]).lines == ()


def test_memory_decides_over_the_crash_that_it_causes():
    found = scan([CRASH, "CUDA out of memory", "Watchdog exception"])
    assert found.reason is Reason.GPU_MEMORY
    assert len(found.lines) == 3


def test_few_and_short_lines_are_kept():
    found = scan([CRASH + "x" * 1000] * 100)
    assert len(found.lines) == MAX_LINES
    assert {len(line) for line in found.lines} == {MAX_LINE}


def test_both_ends_of_a_flood_are_read(tmp_path):
    """F2: 20 MB on standard error; bytes that are no text do no harm."""
    path = tmp_path / "server.log"
    path.write_bytes(b"Address already in use\n" + b"\xff LogCarla: noise\n" * 1_200_000 + b"Signal 11 caught.\n")
    found = scan_logs([path, tmp_path / "absent.log"])
    assert found.lines == ("Address already in use", "Signal 11 caught.")


def test_a_line_is_found_once_where_the_ends_meet(tmp_path):
    path = tmp_path / "server.log"
    path.write_bytes(b"a" * (1 << 22) + b"\nSignal 11 caught.\n" + b"b" * 100)
    assert scan_logs([path]).lines == ("Signal 11 caught.",)
