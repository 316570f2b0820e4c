"""Whether a process that was written down is still the same one: its id together with its start."""

from __future__ import annotations

from pathlib import Path

_PROC = Path("/proc")
_START, _STATE = 19, 0
"""Fields of ``/proc/<pid>/stat`` after the name in brackets (proc(5): state is field 3, starttime is field 22)."""
_GONE = {"Z", "X", "x"}


def process_start(pid: int) -> str | None:
    """When a process was started: boot id and clock ticks since the boot. None when there is no such process.

    A zombie is a process that has ended.
    """
    try:
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None
    return None if fields[_STATE] in _GONE else f"{boot}:{fields[_START]}"
